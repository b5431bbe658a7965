"""What lies behind the marks: restarts as dashed lines, lines between lanes, the last stable offset; and what a flag of a
finding says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from webapp.reports.charts.look import GRID, MARKS, PAPER, SEVERITY_COLOURS, Theme

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
    title: str = ""  # of the finding itself, where `text` is that of its incident

    @property
    def row_words(self) -> str:
        """Of its rows in the table: findings of one incident have different ones."""
        return f"{self.severity}: {self.title or self.text}"

    @property
    def label(self) -> str:
        """Victim and impact: the text without its cause, replica and remarks in brackets."""
        return CAUSE.split(BRACKETS.sub("", self.text), maxsplit=1)[0]


def restart_lines(xs: list[float], edges: tuple[float, float], theme: Theme) -> list[dict[str, Any]]:
    """A dashed line per restart through all lanes, over the grid's lines, the first hundred in the window."""
    return [
        {
            "type": "line",
            "x0": x,
            "x1": x,
            "y0": edges[0],
            "y1": edges[1],
            "layer": "between",  # grid and marks
            "line": {"color": MARKS["restart"][theme], "width": 1, "dash": "dash"},
        }
        for x in xs[:RESTARTS_DRAWN]
    ]


STOPS_HERE = "read_committed stops here"


def stable_text(last_stable_offset: int) -> str:
    return f"last stable offset {last_stable_offset}: the transaction that begins there has no COMMIT and no ABORT marker"


def stable_line(x: float, theme: Theme) -> dict[str, Any]:
    """A line through all rows before the first record that read_committed consumers do not get; by time, through it."""
    line = {"color": SEVERITY_COLOURS[theme]["high"], "width": 1.5, "dash": "dash"}
    ends = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "name": "stable", "layer": "below", "line": line} | ends


def stable_words(
    x: float, last_stable_offset: int, is_time: bool, is_left: bool, above_pixels: int, theme: Theme
) -> dict[str, Any]:
    """Its name, so far above the plot. Times can go back from one record to the next, so that by time the line is not the end
    of what they get."""
    return {
        "x": x,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "yshift": above_pixels,
        "xanchor": "right" if is_left else "left",
        "text": f"read_committed stops at offset {last_stable_offset}" if is_time else STOPS_HERE,
        "hovertext": stable_text(last_stable_offset),
        "showarrow": False,
        "bgcolor": PAPER[theme],
        "font": {"size": 11, "color": SEVERITY_COLOURS[theme]["high"]},
        "name": "stable",
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
