"""Records over time: a bar for each bin, tombstones on top."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from webapp.reports.charts.bars import HOVER, count_ticks
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import MARKS, Theme, Trace, axis, base_layout
from webapp.reports.results import Rows

HEIGHT = 210
TICK_PIXELS = 110
ACCENT = {"light": "#0665c0", "dark": "#86b7f0"}
RECORDS, OTHERS, TOMBSTONES = "records", "other records", "tombstones"


@dataclass(frozen=True)
class RecordHistory:
    """Bins with `start_ms`, `records`, `tombstones`; `width_ms` of one; the time that is drawn, bounds inclusive."""

    bins: Rows
    width_ms: int
    first_ms: int
    last_ms: int


def figure(history: RecordHistory, clock: Clock, theme: Theme, pixels: int) -> go.Figure:
    has_tombstones = any(row["tombstones"] for row in history.bins)
    values = [row["records"] - row["tombstones"] for row in history.bins]
    traces = [_bars(history, clock, OTHERS if has_tombstones else RECORDS, values, ACCENT[theme])]
    if has_tombstones:
        tombstones = [row["tombstones"] for row in history.bins]
        traces.append(_bars(history, clock, TOMBSTONES, tombstones, MARKS["tombstone"][theme]))
    highest = max((row["records"] for row in history.bins), default=0)
    first, last = history.first_ms // history.width_ms, history.last_ms // history.width_ms + 1
    room = max(1, (last - first) // 100) * history.width_ms / 2
    bounds = [edge * history.width_ms + clock.shift_ms for edge in (first, last)]
    layout = base_layout(theme, HEIGHT) | {
        "barmode": "stack",
        "showlegend": has_tombstones,
        "xaxis": axis(
            theme,
            type="date",
            range=[bounds[0] - room, bounds[1] + room],
            tickangle=0,
            nticks=max(3, pixels // TICK_PIXELS),
        ),
        "yaxis": axis(theme, fixedrange=True, **count_ticks(highest)),
    }
    layout["margin"] = {"l": 64, "r": 16, "t": 28 if has_tombstones else 10, "b": 42, "pad": 0}
    layout["legend"] |= {"x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"}
    return go.Figure(traces, layout)


def _bars(history: RecordHistory, clock: Clock, name: str, counts: list[int], colour: str) -> Trace:
    width = history.width_ms
    return {
        "type": "bar",
        "name": name,
        "x": [row["start_ms"] + width / 2 + clock.shift_ms for row in history.bins],
        "y": counts,
        "width": width * 0.86,
        "marker": {"color": colour, "line": {"width": 0}},
        "hovertext": [
            f"{count:,} {name}<br>from {clock.text(row['start_ms'])}<br>to {clock.named(row['start_ms'] + width - 1)}"
            for count, row in zip(counts, history.bins, strict=True)
        ],
        "hovertemplate": HOVER,
    }
