"""What lies behind the marks: restarts as dashed lines, lines between lanes; and what a flag of a finding says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from webapp.reports.charts.look import GRID, MARKS, Theme

RESTARTS_DRAWN = 100

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
