"""Timeline: one big figure; the server gives the true points of the window that is on the screen."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect

from webapp.reports.charts import timeline as chart
from webapp.reports.charts.answer import NOTHING, answer_of, records_words
from webapp.reports.figures import figure_response, theme_of
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.line import filter_line, filter_of
from webapp.reports.filters.reading import FilterError
from webapp.reports.older_dump import with_addresses
from webapp.reports.page import Page, report_page
from webapp.reports.pages import DISPLAY, RECORD_TABLES, SEARCH, ReportAddress, ReportPage
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw, draw_partitions
from webapp.reports.picture.address import (
    address_of,
    address_with_entity,
    kept_fields,
    partitions_of,
    read_request,
    switches,
    whole_of,
)
from webapp.reports.picture.filtered import matching_page
from webapp.reports.picture.partitions import bars_of_all
from webapp.reports.queries.partitions import PartitionTables, on_whole_axis, survey
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.folds import breaks_of_whole
from webapp.reports.queries.timeline.whole import whole_bars

LEFT_OUT = (
    "This link may leave out records of the dump. Offsets without a record are missing in the dump only where "
    "“Missing offsets” shows them."
)


@report_page
def timeline(page: Page) -> HttpResponse:
    """The page around the figure; the window's points and counts come with the figure."""
    page = _on_whole_axis(page)
    text = page.request.GET.get("entity", "").strip()
    address = address_with_entity(page, text) if text else None
    if address:
        return redirect(address)
    request = read_request(page)
    try:
        record_filter, mistake = filter_of(page), None
    except FilterError as problem:
        record_filter, mistake = RecordFilter(), problem
    return page.render(
        "reports/timeline.html",
        {
            "filter_line": filter_line(page, record_filter, mistake, "Filter what is drawn")
            | {"reloads": True},
            "clear_url": address_of(page, filter=None),
            "line_fields": kept_fields(page),
            "wanted": request,
            "whole_records": records_words(page.facts.marks, _all_records(page, request)) if request else "",
            "unknown_entity": text,
            "switches": switches(page, request),
            "lanes": sorted(page.survey.lanes.get(page.replica, {}).items()),
            "can_pin_entities": page.results.count("entries") > 0,
            "figure_url": page.url("report-timeline-figure"),
            "timeline_url": page.url("report-timeline"),
            "whole_url": address_of(page, **{"from": None, "to": None}),
            "records_url": page.url("report-records", **record_filter.query),
        },
    )


@report_page
def timeline_figure(page: Page) -> HttpResponse:
    """The figure of a window and what stands beside it (`webapp.reports.charts.answer`)."""
    page = _on_whole_axis(page)
    request = read_request(page)
    if request is None:
        return figure_response(page.request, {"figure": None, **NOTHING})
    with suppress(FilterError):  # the page says where the mistake is, and draws every record
        page = matching_page(page, filter_of(page))
    whole = whole_of(page, request.span.axis) or request.span
    drawn, bars, extra = _drawn(page, request, whole)
    figure = chart.figure(drawn.picture, theme_of(page.request))
    words = records_words(sum(bars["records"]), _all_records(page, request))
    notes = [*([LEFT_OUT] if page.source.is_narrowed else []), *drawn.notes]
    answer = answer_of(drawn.picture, notes, whole, bars)
    return figure_response(page.request, {"figure": figure, **answer, "wholeRecords": words, **extra})


def _all_records(page: Page, request: TimelineRequest) -> int:
    """Of the partitions that have lanes, whatever the reader sees or the filter leaves."""
    is_one = request.by != "partition"
    replicas = [page.replica] if is_one else [each.replica for each in partitions_of(page)[0]]
    facts = survey(page.results).facts
    return sum(facts[replica].marks for replica in replicas if replica in facts)


def _on_whole_axis(page: Page) -> Page:
    """The page of a reader who does not get all records, on the axis of all."""
    return replace(page, survey=on_whole_axis(page.survey, survey(page.results)))


def _drawn(
    page: Page, request: TimelineRequest, whole: AxisRange
) -> tuple[TimelineAnswer, dict[str, Any], dict[str, Any]]:
    """The picture, the bars of the whole, and where records are found that are not of the page's partition."""
    if request.by == "partition":
        partitions, left_out = partitions_of(page)
        drawn = draw_partitions(partitions, left_out, page.report, request)
        return (
            drawn,
            bars_of_all(partitions, whole, request.pixels),
            {"recordUrls": record_urls(page, partitions)},
        )
    drawn = draw(page.partition, page.report, request)
    others = with_addresses(page, drawn.picture.others)
    drawn = replace(drawn, picture=replace(drawn.picture, others=others))
    breaks = breaks_of_whole([page.partition], whole, request.pixels)
    return drawn, whole_bars(page.partition, whole, breaks), {}


def record_urls(page: Page, partitions: list[PartitionTables]) -> dict[str, str]:
    """By lane: address of the record at offset 0, in which the page replaces the offset."""
    return {
        partition.replica.name: page.url_of_replica(partition.replica, "report-record", 0)
        for partition in partitions
    }


page = ReportPage(
    name="report-timeline",
    path="timeline/",
    view=timeline,
    title="Timeline",
    position=20,
    tables=RECORD_TABLES,
    filters={**dict.fromkeys(("x", "lanes", "hide", "from", "to"), DISPLAY), "filter": SEARCH},
    reader="rows",
    shared=True,
    further=(
        ReportAddress(
            "report-timeline-figure",
            "timeline/figure.json",
            timeline_figure,
            reader="rows",
            read_as="figure.read",
            shared=True,
        ),
    ),
)
