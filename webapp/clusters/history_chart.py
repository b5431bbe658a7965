"""History: size, keys and open findings of each dump over time, one lane each."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from spark.terms.findings import SEVERITIES
from webapp.clusters.history import Point
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.reports.charts.clock import Clock, clock_of
from webapp.reports.charts.look import MARKS, SEVERITY_COLOURS, Theme, Trace, axis, base_layout

HEIGHT = 380
LANES = {"y": (0.70, 1.0), "y2": (0.36, 0.64), "y3": (0.0, 0.28)}
COUNTED = [severity for severity in SEVERITIES if severity != "info"]


def figure(points: Sequence[Point], theme: Theme, zone: str = "") -> go.Figure:
    """The whole figure; a point's mark names the inspection to open."""
    colour = MARKS["create"][theme]
    clock = clock_of(zone, int(points[-1].at.timestamp() * 1000)) if points and zone else Clock()
    times = [clock.text(int(point.at.timestamp() * 1000)) for point in points]
    sizes = [f"{in_words(point.size_bytes)}, {point.records:,} records" for point in points]
    traces = [
        _line("size", times, [point.size_bytes for point in points], sizes, "y", colour),
        _line("keys", times, [point.keys for point in points], None, "y2", colour),
        *[
            _bars(severity, times, [point.findings.get(severity, 0) for point in points], theme)
            for severity in COUNTED
            if any(point.findings.get(severity) for point in points)
        ],
    ]
    layout = base_layout(theme, HEIGHT) | {
        "barmode": "stack",
        "showlegend": True,
        "xaxis": axis(theme, type="date", anchor="y3", title={"text": f"captured or uploaded, {clock.name}"}),
        "yaxis": axis(theme, domain=LANES["y"], title={"text": "bytes"}, rangemode="tozero", nticks=4),
        "yaxis2": axis(theme, domain=LANES["y2"], title={"text": "keys"}, rangemode="tozero", nticks=4),
        "yaxis3": axis(
            theme,
            domain=LANES["y3"],
            title={"text": "findings"},
            rangemode="tozero",
            nticks=4,
            tickformat=",d",
        ),
    }
    layout["margin"] |= {"l": 84, "b": 84}
    return go.Figure(traces, layout)


def _line(
    name: str,
    times: list[str],
    values: list[int | None] | list[int],
    texts: list[str] | None,
    y: str,
    colour: str,
) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": times,
        "y": values,
        "yaxis": y,
        "showlegend": False,
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 7},
        "text": texts,
        "hovertemplate": "%{x|%Y-%m-%d %H:%M}<br>%{text}<extra></extra>"
        if texts
        else f"%{{x|%Y-%m-%d %H:%M}}<br>%{{y:,}} {name}<extra></extra>",
    }


def _bars(severity: str, times: list[str], counts: list[int], theme: Theme) -> Trace:
    return {
        "type": "bar",
        "name": severity,
        "x": times,
        "y": counts,
        "yaxis": "y3",
        "marker": {"color": SEVERITY_COLOURS[theme][severity], "line": {"width": 0}},
        "hovertemplate": f"%{{x|%Y-%m-%d %H:%M}}<br>%{{y}} {severity}<extra></extra>",
    }
