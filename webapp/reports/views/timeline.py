"""Timeline: one big figure; the server gives the true points of the window that is on the screen."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from webapp.reports.charts import timeline as chart
from webapp.reports.charts.look import MARKS
from webapp.reports.charts.marks import time_text
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw
from webapp.reports.queries.marks import Axis, AxisRange, LaneBy, whole_span
from webapp.reports.views.figures import figure_response, theme_of
from webapp.reports.views.page import Page, report_page, whole_number


@report_page
def timeline(page: Page) -> HttpResponse:
    """The page around the figure; the window's points and counts come with the figure."""
    wanted = read_wanted(page)
    lanes = page.survey.lanes.get(page.place, {})
    return page.render(
        "reports/timeline.html",
        {
            "wanted": wanted,
            "switches": _switches(page, wanted),
            "lanes": [lanes[name] for name in sorted(lanes)],
            "figure_url": page.url("report-timeline-figure"),
            "timeline_url": page.url("report-timeline"),
            "records_url": page.url("report-records"),
        },
    )


@report_page
def timeline_figure(page: Page) -> HttpResponse:
    """{figure, drawn, total, window, whole, notes, sentence, lanes} of a window."""
    wanted = read_wanted(page)
    drawn = draw(page.results, page.survey, page.report, page.place, wanted) if wanted else None
    figure = chart.figure(drawn.picture, theme_of(page.request)) if drawn else None
    answer = {"figure": figure, "lanes": _lane_rows(drawn), **_answer(page, wanted, drawn)}
    return figure_response(page.request, answer)


def read_wanted(page: Page) -> TimelineRequest | None:
    """What the address asks for; None when the partition has nothing on this axis."""
    asked = page.request.GET
    axis: Axis = "time" if asked.get("x") == "time" else "offset"
    by: LaneBy = "key" if asked.get("lanes") == "key" else "type"
    whole = whole_span(page.facts, axis)
    if whole is None:
        return None
    first, last = whole_number(asked.get("from")), whole_number(asked.get("to"))
    span = clip(whole, first, last)
    hidden = frozenset(asked.get("hide", "").split(",")) & set(MARKS)
    return TimelineRequest(span, by, hidden)


def clip(whole: AxisRange, first: int | None, last: int | None) -> AxisRange:
    """The part of the whole that was asked for; the whole where that is nothing."""
    low = max(whole.first, first if first is not None else whole.first)
    high = min(whole.last, last if last is not None else whole.last)
    return AxisRange(whole.axis, low, high) if low <= high else whole


def _answer(page: Page, wanted: TimelineRequest | None, drawn: TimelineAnswer | None) -> dict[str, Any]:
    if wanted is None or drawn is None:
        return {
            "drawn": 0,
            "total": 0,
            "window": None,
            "whole": None,
            "notes": [],
            "sentence": "Nothing to draw.",
        }
    window = drawn.picture.window
    whole = whole_span(page.facts, wanted.span.axis) or wanted.span
    return {
        "drawn": window.drawn,
        "total": window.total,
        "window": [wanted.span.first, wanted.span.last],
        "whole": [whole.first, whole.last],
        "notes": drawn.notes,
        "sentence": _sentence(wanted.span, whole, window.drawn, window.total),
    }


def _sentence(span: AxisRange, whole: AxisRange, drawn: int, total: int) -> str:
    records = "1 record" if total == 1 else f"{total:,} records"
    how = (
        f"every one of {records} drawn"
        if drawn == total
        else f"{drawn:,} of {records} drawn one by one, the others counted"
        if drawn
        else f"{records}, counted"
    )
    if span.axis == "time":
        return f"{time_text(span.first)} – {time_text(span.last)} UTC · {how}"
    return f"Offsets {span.first:,} – {span.last:,} of {whole.first:,} – {whole.last:,} · {how}"


def _lane_rows(drawn: TimelineAnswer | None) -> list[dict[str, Any]]:
    if drawn is None:
        return []
    window = drawn.picture.window
    return [
        {
            "lane": lane,
            "records": window.records_by_lane[lane],
            "tombstones": window.tombstones_by_lane.get(lane, 0),
            "how": "counts per bucket" if lane in window.strips else "every record",
        }
        for lane in window.lanes[::-1]
    ]


def _switches(page: Page, wanted: TimelineRequest | None) -> list[dict[str, Any]]:
    axis, by = (wanted.span.axis, wanted.by) if wanted else (page.request.GET.get("x", "offset"), "type")
    hide = page.request.GET.get("hide", "")
    bounds = {"from": page.request.GET.get("from"), "to": page.request.GET.get("to")}
    lanes = "key" if by == "key" else None
    x = "time" if axis == "time" else None
    return [
        {
            "label": "Across",
            "choices": [
                ("Offset", page.url("report-timeline", lanes=lanes, hide=hide), axis == "offset"),
                ("Time", page.url("report-timeline", x="time", lanes=lanes, hide=hide), axis == "time"),
            ],
        },
        {
            "label": "Lanes",
            "choices": [
                ("Entry type", page.url("report-timeline", x=x, hide=hide, **bounds), by == "type"),
                ("Key", page.url("report-timeline", x=x, lanes="key", hide=hide, **bounds), by == "key"),
            ],
        },
    ]
