"""Timeline: one big figure; the server gives the true points of the window that is on the screen."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from webapp.reports.charts import timeline as chart
from webapp.reports.charts.answer import NOTHING, answer_of
from webapp.reports.charts.bars import Height
from webapp.reports.charts.look import MARKS
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.marks import Axis, AxisRange, LaneBy, whole_span
from webapp.reports.queries.timeline.pins import pins_of
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.views.figures import figure_response, plot_pixels, theme_of
from webapp.reports.views.page import Page, report_page, whole_number

LANES: dict[str, LaneBy] = {"entity": "entity", "type": "type", "key": "key"}
HEIGHTS: dict[str, Height] = {"bytes": "bytes", "records": "records"}


@report_page
def timeline(page: Page) -> HttpResponse:
    """The page around the figure; the window's points and counts come with the figure."""
    request = read_wanted(page)
    lanes = page.survey.lanes.get(page.place, {})
    return page.render(
        "reports/timeline.html",
        {
            "wanted": request,
            "switches": _switches(page, request),
            "lanes": [lanes[name] for name in sorted(lanes)],
            "figure_url": page.url("report-timeline-figure"),
            "timeline_url": page.url("report-timeline"),
            "records_url": page.url("report-records"),
        },
    )


@report_page
def timeline_figure(page: Page) -> HttpResponse:
    """The figure of a window and what stands beside it (`webapp.reports.charts.answer`)."""
    request = read_wanted(page)
    if request is None:
        return figure_response(page.request, {"figure": None, **NOTHING})
    drawn = draw(page.results, page.survey, page.report, page.place, request)
    whole = whole_span(page.facts, request.span.axis) or request.span
    bars = whole_bars(page.results, page.place, whole)
    figure = chart.figure(drawn.picture, theme_of(page.request))
    return figure_response(
        page.request, {"figure": figure, **answer_of(drawn.picture, drawn.notes, whole, bars)}
    )


def read_wanted(page: Page) -> TimelineRequest | None:
    """What the address asks for; None when the partition has nothing on this axis."""
    query = page.request.GET
    axis: Axis = "time" if query.get("x") == "time" else "offset"
    whole = whole_span(page.facts, axis)
    if whole is None:
        return None
    first, last = whole_number(query.get("from")), whole_number(query.get("to"))
    hidden = frozenset(query.get("hide", "").split(",")) & set(MARKS)
    height = HEIGHTS.get(query.get("height", ""), "records" if axis == "time" else "bytes")
    span = clip(whole, first, last)
    return TimelineRequest(
        span,
        lanes_of_address(page),
        hidden,
        height=height,
        pixels=plot_pixels(page.request),
        zone=query.get("zone", "")[:60],
    )


def lanes_of_address(page: Page) -> LaneBy:
    """Victims first, where incidents have some; else by entry type."""
    by = LANES.get(page.request.GET.get("lanes", ""), "entity")
    return "type" if by == "entity" and not has_pins(page) else by


def has_pins(page: Page) -> bool:
    """Whether an incident names entities of this partition."""
    return bool(pins_of(page.results, page.report, page.place).pins)


def clip(whole: AxisRange, first: int | None, last: int | None) -> AxisRange:
    """The part of the whole that was asked for; the whole where that is nothing."""
    low = max(whole.first, first if first is not None else whole.first)
    high = min(whole.last, last if last is not None else whole.last)
    return AxisRange(whole.axis, low, high) if low <= high else whole


def _switches(page: Page, request: TimelineRequest | None) -> list[dict[str, Any]]:
    query = page.request.GET
    axis: Axis = "time" if query.get("x") == "time" else "offset"
    by = request.by if request else "type"
    height = request.height if request else "bytes"
    kept = {name: query.get(name) for name in ("x", "lanes", "height", "hide", "from", "to")}

    def address(**changes: str | None) -> str:
        return page.url("report-timeline", **(kept | changes))

    lanes = [("Victims and types", "entity")] if has_pins(page) else []
    lanes += [("Entry type", "type"), ("Key", "key")]
    axes = (("Offset", None, "offset"), ("Time", "time", "time"))
    return [
        {
            "label": "X axis",
            "choices": [
                (label, address(x=x, height=None, **{"from": None, "to": None}), axis == value)
                for label, x, value in axes
            ],
        },
        {"label": "Lanes", "choices": [(label, address(lanes=one), by == one) for label, one in lanes]},
        {
            "label": "Height",
            "choices": [
                (one.capitalize(), address(height=one), height == one) for one in ("bytes", "records")
            ],
        },
    ]
