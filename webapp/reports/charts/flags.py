"""Flags: what a finding says, in rows of their own above the lanes, so that no mark is covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.reports.charts.background import Flag
from webapp.reports.charts.look import PAPER, SEVERITY_COLOURS, Theme

ROWS = 3
ROW_PIXELS = 26
WORDS = 44  # characters
CHARACTER_PIXELS = 6.4
PLOT_PIXELS = 600  # of a small window: the browser decides later, and a wider plot only leaves more room
ICONS = {"critical": "⬢", "high": "▲", "medium": "◆", "low": "●", "info": "○"}


@dataclass(frozen=True)
class Placed:
    """A flag, its row (0 is the lowest) and the side its words begin at."""

    flag: Flag
    row: int
    anchor: str


def place_flags(flags: list[Flag], first: float, span: float) -> list[Placed]:
    """The worst findings first, as long as a row has room, one for each incident; the others keep their ring."""
    taken: list[list[tuple[float, float]]] = [[] for _ in range(ROWS)]
    placed: list[Placed] = []
    named: set[str] = set()
    for flag in flags:
        if flag.incident in named:
            continue
        share = (flag.x - first) / span
        anchor, start, end = _extent(flag, share)
        row = next((row for row in range(ROWS) if all(end < a or start > b for a, b in taken[row])), None)
        if flag.severity != "info" and row is not None:
            taken[row].append((start, end))
            placed.append(Placed(flag, row, anchor))
            named |= {flag.incident} if flag.incident else set()
    return placed


def _extent(flag: Flag, share: float) -> tuple[str, float, float]:
    width = (len(short(flag.text)) * CHARACTER_PIXELS + 30) / PLOT_PIXELS
    if share - width / 2 < -0.05:
        return "left", share, share + width
    if share + width / 2 > 1.02:
        return "right", share - width, share
    return "center", share - width / 2, share + width / 2


def row_count(placed: list[Placed]) -> int:
    """Rows that are needed."""
    return max((flag.row for flag in placed), default=-1) + 1


def flag_notes(placed: list[Placed], base: float, row_height: float, theme: Theme) -> list[dict[str, Any]]:
    """Plotly's annotations. `base`: the y where the rows begin; `row_height` in units of the y axis."""
    return [_annotation(one, base + (one.row + 0.5) * row_height, theme) for one in placed]


def _annotation(placed: Placed, y: float, theme: Theme) -> dict[str, Any]:
    flag = placed.flag
    colours = SEVERITY_COLOURS[theme]
    colour = colours.get(flag.severity, colours["low"])
    return {
        "x": flag.x,
        "y": flag.y,
        "ax": 0,
        "ay": y,
        "ayref": "y",
        "xanchor": placed.anchor,
        "yanchor": "middle",
        "text": f"{ICONS.get(flag.severity, '●')} {plain(short(flag.text))}",
        "hovertext": plain(flag.text),
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": colour,
        "standoff": 9,
        "bgcolor": PAPER[theme],
        "bordercolor": colour,
        "borderpad": 3,
        "font": {"size": 11, "color": colour},
    }


def short(text: str) -> str:
    """Words that fit a flag."""
    return text if len(text) <= WORDS else text[: WORDS - 1].rstrip() + "…"


def plain(text: str) -> str:
    """Text that Plotly shall not read as its small HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
