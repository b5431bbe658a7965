"""What lies behind and above the marks: restarts as dashed lines, findings as flagged rings, lines between lanes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from spark.terms.findings import SEVERITIES
from webapp.reports.charts.look import GRID, MARKS, SEVERITY_COLOURS, Theme, Trace, plain

RESTARTS_DRAWN = 100
RING_PIXELS = 17

BRACKETS = re.compile(r" \([^()]*\)")
CAUSE = re.compile(r"[:;,] ")


@dataclass(frozen=True)
class Flag:
    x: float
    y: float
    offset: int
    severity: str
    text: str
    finding: str
    incident: str | None = None  # flags of one have its words once

    @property
    def label(self) -> str:
        """Victim and impact: the text without its cause, replica and remarks in brackets."""
        return CAUSE.split(BRACKETS.sub("", self.text), maxsplit=1)[0]


def restart_lines(xs: list[float], top: float, theme: Theme) -> list[dict[str, Any]]:
    """A dashed line per restart through all lanes, the first hundred in the window."""
    return [
        {
            "type": "line",
            "x0": x,
            "x1": x,
            "y0": -0.5,
            "y1": top,
            "layer": "below",
            "line": {"color": MARKS["restart"][theme], "width": 1, "dash": "dash"},
        }
        for x in xs[:RESTARTS_DRAWN]
    ]


def apart(flags: list[Flag], unit_pixels: float) -> list[Flag]:
    """Of rings that would cover each other in a lane the worst, then the first: for a narrow figure."""
    chosen: list[Flag] = []
    for flag in sorted(flags, key=lambda flag: (rank_of(flag.severity), flag.x)):
        gaps = [abs(other.x - flag.x) * unit_pixels for other in chosen if other.y == flag.y]
        if all(gap == 0 or gap >= RING_PIXELS for gap in gaps):
            chosen.append(flag)
    return chosen


def rank_of(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def finding_rings(flags: list[Flag], theme: Theme) -> Trace:
    colours = SEVERITY_COLOURS[theme]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "finding",
        "meta": "finding",
        "x": [flag.x for flag in flags],
        "y": [flag.y for flag in flags],
        "customdata": [[flag.offset, plain(flag.text)] for flag in flags],
        "cliponaxis": False,
        "marker": {
            "symbol": "circle-open",
            "size": RING_PIXELS,
            "color": [colours.get(flag.severity, colours["low"]) for flag in flags],
            "line": {"width": 2.2},
        },
        "hovertemplate": "offset %{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    }


def lane_lines(lines: int, theme: Theme) -> list[dict[str, Any]]:
    return [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": lane + 0.5,
            "y1": lane + 0.5,
            "layer": "below",
            "line": {"color": GRID[theme], "width": 1},
        }
        for lane in range(lines)
    ]
