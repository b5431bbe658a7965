"""Transactions: a lane per producer, a span from its first record to its marker, and the last stable offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from webapp.reports.charts.look import (
    CHARACTER_PIXELS,
    MUTED,
    SEVERITY_COLOURS,
    Theme,
    Trace,
    axis,
    base_layout,
)
from webapp.reports.results import Rows

LANE_PIXELS = 26
LANES = 40
OTHER = "all other producers"
LOOKS: dict[str, dict[str, Any]] = {
    "committed": {"name": "committed", "symbol": "line-ns", "dash": "solid", "light": "#0072b2", "dark": "#3d9fdd"},
    "aborted": {"name": "aborted", "symbol": "x-thin", "dash": "dot", "light": "#6b7280", "dark": "#9aa4b2"},
    "open": {"name": "open", "symbol": "triangle-right", "dash": "solid", "light": "#b45f00", "dark": "#ffb454"},
    "marker_missing": {
        "name": "marker missing", "symbol": "circle-open", "dash": "dash", "light": "#b83c00", "dark": "#ff8a4c",
    },
}  # fmt: skip


@dataclass(frozen=True)
class TransactionSpans:
    """Rows of transactions to draw between two offsets, and where readers of committed data stop, if they do."""

    rows: Rows
    first: int
    last: int
    last_stable_offset: int | None


def figure(spans: TransactionSpans, theme: Theme) -> go.Figure:
    lanes = lanes_of(spans.rows)
    traces = [_trace(spans, outcome, lanes, theme) for outcome in LOOKS if _with(spans, outcome)]
    height = 128 + LANE_PIXELS * max(len(lanes), 1)
    room = max(1.0, (spans.last - spans.first) * 0.02)
    stable = [] if spans.last_stable_offset is None else [spans.last_stable_offset]
    layout = base_layout(theme, height) | {
        "showlegend": True,
        "shapes": [_stable_line(offset, theme) for offset in stable],
        "annotations": [_stable_words(offset, spans, theme) for offset in stable],
        "xaxis": axis(
            theme,
            range=[spans.first - room, spans.last + room],
            title={"text": "offset", "standoff": 4},
            tickformat=",d",
        ),
        "yaxis": axis(
            theme,
            range=[len(lanes) - 0.4, -0.6],
            tickvals=list(range(len(lanes))),
            ticktext=lanes,
            fixedrange=True,
        ),
    }
    names_pixels = round(max(map(len, lanes), default=0) * CHARACTER_PIXELS)
    layout["margin"] |= {"l": names_pixels + 20, "b": 92}
    layout["legend"]["y"] = -50 / max(height - 118, 40)
    return go.Figure(traces, layout)


def lanes_of(rows: Rows) -> list[str]:
    producers = list(
        dict.fromkeys(row["producer_id"] for row in sorted(rows, key=lambda r: r["start_offset"]))
    )
    names = [f"producer {producer}" for producer in producers[:LANES]]
    return [*names, OTHER] if len(producers) > LANES else names


def _with(spans: TransactionSpans, outcome: str) -> Rows:
    return [row for row in spans.rows if row["outcome"] == outcome]


def _trace(spans: TransactionSpans, outcome: str, lanes: list[str], theme: Theme) -> Trace:
    look = LOOKS[outcome]
    xs: list[float | None] = []
    ys: list[float | None] = []
    texts: list[str | None] = []
    data: list[list[int] | None] = []
    for row in _with(spans, outcome):
        name = f"producer {row['producer_id']}"
        lane = lanes.index(name) if name in lanes else len(lanes) - 1
        end = spans.last + 0.5 if outcome == "open" else row["end_offset"]
        xs += [row["start_offset"], end, None]
        ys += [lane, lane, None]
        texts += [_words(row)] * 2 + [None]
        data += [[row["start_offset"]], [row["end_offset"]], None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": look["name"],
        "meta": outcome,
        "x": xs[:-1],
        "y": ys[:-1],
        "text": texts[:-1],
        "customdata": data[:-1],
        "line": {"color": look[theme], "width": 3, "dash": look["dash"]},
        "marker": {
            "symbol": look["symbol"],
            "size": 9,
            "color": look[theme],
            "line": {"width": 2, "color": look[theme]},
        },
        "hovertemplate": "%{text}<extra></extra>",
    }


def _words(row: dict[str, Any]) -> str:
    data = (
        "no record left"
        if row["first_offset"] is None
        else f"offsets {row['first_offset']} – {row['last_offset']}"
    )
    marker = "no marker" if row["marker_offset"] is None else f"marker at {row['marker_offset']}"
    return f"producer {row['producer_id']}, producer epoch {row['producer_epoch']}<br>{data}, {row['records'] or 0:,} records<br>{LOOKS[row['outcome']]['name']}, {marker}"


def _stable_line(last_stable_offset: int, theme: Theme) -> dict[str, Any]:
    x = last_stable_offset - 0.5
    line = {"color": SEVERITY_COLOURS[theme]["high"], "width": 2, "dash": "dash"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _stable_words(last_stable_offset: int, spans: TransactionSpans, theme: Theme) -> dict[str, Any]:
    return {
        "x": last_stable_offset - 0.5,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "right" if last_stable_offset > (spans.first + spans.last) / 2 else "left",
        "text": f"read_committed stops at {last_stable_offset}",
        "showarrow": False,
        "font": {"size": 11, "color": MUTED[theme]},
    }
