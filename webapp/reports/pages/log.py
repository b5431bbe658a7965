"""Log: segments, formats, leader epochs, missing offsets, producers, the log cleaner's view, and the format advisor."""

from __future__ import annotations

from django.http import HttpResponse

from spark.redaction.selection import LOG
from spark.terms.topic_commands import copy_segments
from webapp.reports.advice import BrokerForm, advice_for, reported_advice
from webapp.reports.charts import log as chart
from webapp.reports.figures import figure_response, theme_of
from webapp.reports.log_map import log_map
from webapp.reports.page import Page, report_page
from webapp.reports.pages import ReportAddress, ReportPage
from webapp.reports.queries.log import (
    SHOWN,
    cleaning_of,
    epochs_of,
    formats_of,
    gaps_of,
    producers_with_sequences,
    segments_of,
)
from webapp.reports.queries.partitions import missing_offsets
from webapp.reports.results import UNKNOWN_TOPIC
from webapp.reports.typed_text import Segments, line_of_marked


@report_page
def log(page: Page) -> HttpResponse:
    """The map, and a table for each of its lanes."""
    partition = page.partition
    epochs = epochs_of(partition)
    return page.render(
        "reports/log.html",
        {
            "segments": segments_of(partition),
            "formats": formats_of(partition),
            "epochs": epochs,
            "has_checkpoint": any(row["checkpoint_offset"] is not None for row in epochs),
            "gaps": gaps_of(partition),
            "missing": missing_offsets(partition),
            "has_offsets": page.report.coverage.get("has_offsets", True),
            "cleaning": cleaning_of(partition),
            "producers": producers_with_sequences(partition),
            "advice": reported_advice(page.report, page.replica),
            "formats_url": page.url("report-formats"),
            "how_to_copy": how_to_copy(page),
            "most": SHOWN,
            "figure_url": page.url("report-log-figure"),
            "cleaned_url": page.url("report-records", cleaned="1"),
        },
    )


def how_to_copy(page: Page) -> Segments:
    """Command that copies the segments of the partition."""
    share = page.source.share
    topic = page.replica.topic if share is None or share.options["names"] else UNKNOWN_TOPIC
    return line_of_marked(copy_segments(topic, page.replica.partition))


@report_page
def log_figure(page: Page) -> HttpResponse:
    """`figure`: the whole partition; null without batches."""
    log_lanes = log_map(page.partition, theme_of(page.request))
    return figure_response(
        page.request, {"figure": chart.figure(log_lanes, theme_of(page.request)) if log_lanes else None}
    )


@report_page
def formats(page: Page) -> HttpResponse:
    """What the message formats of a partition mean under the settings the user states."""
    form = BrokerForm(page.request.GET)
    broker = form.broker
    reported = [] if form.is_stated else reported_advice(page.report, page.replica)
    return page.render(
        "reports/formats.html",
        {
            "form": form,
            "open_all": True,
            "advice_title": "With these settings" if form.is_stated else "Whatever the settings",
            "advice": reported or advice_for(formats_of(page.partition), broker),
            "log_url": page.url("report-log"),
            "how_to_copy": how_to_copy(page),
            "clear_url": page.url("report-formats"),
        },
    )


page = ReportPage(
    name="report-log",
    path="log/",
    view=log,
    title="Log",
    position=80,
    tables=LOG,
    shared=True,
    further=(
        ReportAddress("report-log-figure", "log/figure.json", log_figure, shared=True),
        ReportAddress("report-formats", "formats/", formats, shared=True),
    ),
)
