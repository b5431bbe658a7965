"""The timeline: density above, lanes of marks (or strips where there are too many) below, gaps, restarts, findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from webapp.reports.charts.background import (
    Band,
    Flag,
    finding_rings,
    gap_bands,
    gap_labels,
    lane_lines,
    restart_lines,
)
from webapp.reports.charts.bars import count_ticks, density, measure_density
from webapp.reports.charts.flags import ROW_PIXELS, flag_notes, place_flags, plain, row_count
from webapp.reports.charts.look import INK, MARKS, MUTED, Theme, axis, base_layout
from webapp.reports.charts.marks import marks_of
from webapp.reports.charts.strips import strips
from webapp.reports.queries.marks import Window

LANE_PIXELS = 56
KEY_LANE_PIXELS = 24
MANY_LANES = 12  # above it lanes are narrower and their names have more room
DENSITY_PIXELS = 80
BELOW_PIXELS = 96  # axis, its title, the legend
ROOM = 0.02  # of the window, left free on both sides


@dataclass(frozen=True)
class TimelineData:
    """All a timeline shows. `hidden` names kinds of marks that are switched off."""

    window: Window
    bands: list[Band] = field(default_factory=list)
    restarts: list[float] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    hidden: frozenset[str] = frozenset()
    compact: bool = False


def figure(picture: TimelineData, theme: Theme) -> go.Figure:
    """The whole figure."""
    return go.Figure(_traces(picture, theme), _layout(picture, theme))


def _traces(picture: TimelineData, theme: Theme) -> list[Any]:
    window = picture.window
    low, high = -0.5, max(len(window.lanes), 1) - 0.5
    traces: list[Any] = gap_bands(picture.bands, low, high, theme)
    traces += strips(window, theme)
    traces += [
        marks_of(window, kind, theme, kind in picture.hidden)
        for kind in MARKS
        if (window.marks["kind"] == kind).any()
    ]
    if picture.flags:
        traces.append(finding_rings(picture.flags, theme))
    if not picture.compact:
        traces.append(density(measure_density(window), theme, "y2"))
    return traces


def _layout(picture: TimelineData, theme: Theme) -> dict[str, Any]:
    window = picture.window
    lanes = max(len(window.lanes), 1)
    lane_pixels = (34 if picture.compact else LANE_PIXELS) if lanes <= MANY_LANES else KEY_LANE_PIXELS
    span = float(window.span.last - window.span.first) or 1.0
    placed = place_flags(picture.flags, window.span.first, span)
    row_height = ROW_PIXELS / lane_pixels
    top = lanes - 0.5 + row_count(placed) * row_height
    lanes_pixels = round((top + 0.5) * lane_pixels)
    layout = base_layout(
        theme, lanes_pixels + (74 if picture.compact else 50 + DENSITY_PIXELS + BELOW_PIXELS)
    )
    layout |= {
        "dragmode": "zoom",
        "bargap": 0,
        "shapes": restart_lines(picture.restarts, theme) + lane_lines(lanes, theme),
        "annotations": gap_labels(picture.bands, span, theme)
        + flag_notes(placed, lanes - 0.5, row_height, theme),
        "xaxis": x_axis(window, theme),
        "yaxis": _lane_axis(picture, theme, top),
        "showlegend": not picture.compact,
    }
    layout["margin"]["l"] = 150 if lanes <= MANY_LANES else 230
    if not picture.compact:
        _add_density(layout, lanes_pixels, window, theme)
    return layout


def _add_density(layout: dict[str, Any], lanes_pixels: int, window: Window, theme: Theme) -> None:
    """Room for the density above the lanes and for the legend below them."""
    plot = layout["height"] - layout["margin"]["t"] - BELOW_PIXELS
    layout["margin"]["b"] = BELOW_PIXELS
    layout["legend"]["y"] = -58 / plot
    layout["xaxis"]["anchor"] = "y"
    layout["yaxis"]["domain"] = [0, lanes_pixels / plot]
    ticks = count_ticks(measure_density(window).highest)
    domain = [1 - DENSITY_PIXELS / plot, 1]
    layout["yaxis2"] = axis(theme, domain=domain, fixedrange=True, title={"text": "records"}, **ticks)


def x_axis(window: Window, theme: Theme) -> dict[str, Any]:
    """Offsets with grouped digits, or times in UTC."""
    room = (
        max(1.0, (window.span.last - window.span.first) * ROOM)
        if window.span.last > window.span.first
        else 1.0
    )
    bounds = [window.span.first - room, window.span.last + room]
    if window.span.axis == "time":
        return axis(theme, type="date", range=bounds, title={"text": "time (UTC)"})
    few = window.span.last - window.span.first <= 20
    ticks = {"dtick": 1} if few else {}
    return axis(theme, range=bounds, title={"text": "offset"}, tickformat=",d", **ticks)


def _lane_axis(picture: TimelineData, theme: Theme, top: float) -> dict[str, Any]:
    lanes = picture.window.lanes
    return axis(
        theme,
        range=[-0.5, top],
        tickvals=list(range(len(lanes))),
        ticktext=[plain(lane) for lane in lanes],
        tickfont={"size": 12, "color": INK[theme] if len(lanes) <= MANY_LANES else MUTED[theme]},
        fixedrange=True,
        showgrid=False,
    )
