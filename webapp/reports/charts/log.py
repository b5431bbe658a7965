"""The log as a map: segments, formats, leader epochs, missing offsets and the cleaner's view above one offset axis."""

from __future__ import annotations

from dataclasses import dataclass, field

import plotly.graph_objects as go

from webapp.reports.charts.look import GRID, Theme, Trace, axis, base_layout, ink_on

LANE_PIXELS = 44
WORDS_AT_LEAST = 0.05  # of the axis: a narrower piece has no room for words
SHADES = {
    "light": ("#b7d4ec", "#dbe8f3"),
    "dark": ("#2d5a7d", "#3d4a57"),
}  # in turns, so that neighbours differ
FORMAT_SHADES = {
    0: {"light": "#e6a35c", "dark": "#a5671f"},
    1: {"light": "#f0d58c", "dark": "#8c7424"},
    2: {"light": "#a9d8c5", "dark": "#2d6b55"},
}
CLEAN_SHADES = {
    "clean": {"light": "#a9d8c5", "dark": "#2d6b55"},
    "dirty": {"light": "#f0d58c", "dark": "#8c7424"},
    "not cleanable yet": {"light": "#d7dbe1", "dark": "#4a5058"},
}


@dataclass(frozen=True)
class LanePiece:
    """A stretch of offsets in one lane, bounds inclusive."""

    first: int
    last: int
    words: str
    hover: str
    colour: str


@dataclass
class LogMap:
    """Lanes from top to bottom, each a name and its pieces; the stretch of offsets that is shown."""

    first: int
    last: int
    lanes: list[tuple[str, list[LanePiece]]] = field(default_factory=list)


def figure(log: LogMap, theme: Theme) -> go.Figure:
    names = [name for name, _ in log.lanes]
    traces = [_trace(log, number, pieces, theme) for number, (_, pieces) in enumerate(log.lanes)]
    layout = base_layout(theme, 80 + LANE_PIXELS * max(len(names), 1)) | {
        "barmode": "overlay",
        "bargap": 0.3,
        "xaxis": axis(
            theme, range=[log.first - 0.5, log.last + 0.5], title={"text": "offset"}, tickformat=",d"
        ),
        "yaxis": axis(
            theme,
            range=[len(names) - 0.5, -0.5],
            tickvals=list(range(len(names))),
            ticktext=names,
            fixedrange=True,
        ),
    }
    return go.Figure(traces, layout)


def _trace(log: LogMap, lane: int, pieces: list[LanePiece], theme: Theme) -> Trace:
    span = log.last - log.first + 1
    return {
        "type": "bar",
        "orientation": "h",
        "base": [piece.first - 0.5 for piece in pieces],
        "x": [piece.last - piece.first + 1 for piece in pieces],
        "y": [lane] * len(pieces),
        "text": [
            piece.words if (piece.last - piece.first + 1) / span >= WORDS_AT_LEAST else "" for piece in pieces
        ],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "insidetextfont": {"color": [ink_on(piece.colour) for piece in pieces], "size": 11},
        "hovertext": [piece.hover for piece in pieces],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"color": [piece.colour for piece in pieces], "line": {"width": 0.5, "color": GRID[theme]}},
    }
