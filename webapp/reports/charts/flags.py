"""Flags: what a finding says, in rows of their own above the lanes, so that no mark is covered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from webapp.reports.charts.background import Flag
from webapp.reports.charts.look import CHARACTER_PIXELS, CLEAR, MUTED, PAPER, SEVERITY_COLOURS, Theme, plain
from webapp.reports.charts.rows import FigureFrame

ROWS = 2
WORDS = 72  # characters
BOX_PIXELS = 30  # of a flag, beside its words
FLAGS_TRIED = 8
PHONE_PIXELS = 500
FLAG_NAME = "flag "  # and the offset of the record that a click opens
EDGE = 0.005  # of the plot that a flag may stand over
ICONS = {"critical": "⬢", "high": "▲", "medium": "◆", "low": "●", "info": "○"}


@dataclass(frozen=True)
class Placed:
    """A flag, its row (0 is the lowest) and the side its words begin at; `shift`: pixels from there to the words, where they are on both
    sides of its line."""

    flag: Flag
    row: int
    anchor: str
    characters: int = WORDS
    shift: float = 0

    def box(self, pixel: float) -> tuple[float, float]:
        """First and last pixel of its box, if its line is at this one."""
        width = _box_pixels(self.flag, self.characters)
        start = pixel + self.shift if self.anchor == "left" else pixel - width
        return start, start + width


@dataclass(frozen=True)
class FlagRows:
    """Flags with a row. `more`: number of flags without room."""

    placed: list[Placed]
    more: int

    @property
    def count(self) -> int:
        """Rows that are needed; the flags have one even where there is none, so that no figure jumps."""
        return max((flag.row for flag in self.placed), default=0) + 1


def place_flags(flags: list[Flag], first: float, span: float, pixels: int, rows: int = ROWS) -> FlagRows:
    """One flag for each incident, the worst findings first, while there is room; the others keep their ring."""
    boxes: list[_Box] = []
    candidates = _one_each(flags)
    for flag in candidates[:FLAGS_TRIED]:
        options = [*(box.flag for box in boxes), flag]
        sides = [_sides(option, (option.x - first) / span, pixels) for option in options]
        boxes = _arranged(sides, rows, []) or boxes
    placed = [
        Placed(box.flag, box.row, box.anchor, box.characters, box.shift_share * pixels) for box in boxes
    ]
    return FlagRows(placed, len(candidates) - len(boxes))


def _characters(pixels: int) -> int:
    """Of a flag in a plot of this width: none is wider than half of it, or the whole on a phone."""
    share = 0.5 if pixels > PHONE_PIXELS else 0.9
    return max(8, min(WORDS, int((pixels * share - BOX_PIXELS) / CHARACTER_PIXELS)))


def _one_each(flags: list[Flag]) -> list[Flag]:
    first_by_incident: dict[str, Flag] = {}
    for flag in flags:
        if flag.severity != "info":
            first_by_incident.setdefault(flag.incident or flag.finding, flag)
    return list(first_by_incident.values())


@dataclass(frozen=True)
class _Box:
    """Room that a flag takes, in shares of the plot; its line goes down at `x`."""

    flag: Flag
    x: float
    start: float
    end: float
    anchor: str
    characters: int
    row: int = 0
    shift_share: float = 0

    def hides(self, other: _Box) -> bool:
        """Whether both cover each other, or one covers the line of the other."""
        if self.row == other.row:
            return self.start < other.end and other.start < self.end
        low, high = (self, other) if self.row < other.row else (other, self)
        return low.start < high.x < low.end


def _sides(flag: Flag, share: float, pixels: int) -> list[_Box]:
    """Words to the right of the record, or to the left, or on both sides of its line where neither has room for them."""
    both = _both_sides(flag, share, pixels, _characters(pixels))
    fitting = [box for box in both if box.start >= -EDGE and box.end <= 1 + EDGE]
    if fitting:
        return fitting
    width = both[0].end - both[0].start
    start = max(0, min(1 - width, share - width / 2))
    return [replace(both[0], start=start, end=start + width, shift_share=start - share)]


def _box_pixels(flag: Flag, characters: int) -> float:
    return len(short(flag.label, characters)) * CHARACTER_PIXELS + BOX_PIXELS


def _both_sides(flag: Flag, share: float, pixels: int, characters: int) -> tuple[_Box, _Box]:
    width = _box_pixels(flag, characters) / pixels
    right = _Box(flag, share, share, share + width, "left", characters)
    return right, _Box(flag, share, share - width, share, "right", characters)


def _arranged(sides: list[list[_Box]], rows: int, boxes: list[_Box]) -> list[_Box]:
    """A row and a side for each, so that none hides another; empty where there is no such arrangement."""
    if not sides:
        return boxes
    for row in range(rows):
        for side in sides[0]:
            box = replace(side, row=row)
            if not any(box.hides(other) for other in boxes):
                whole = _arranged(sides[1:], rows, [*boxes, box])
                if whole:
                    return whole
    return []


def on_lanes(flags: list[Flag], frame: FigureFrame, lanes: list[str], shift: int = 0) -> list[Flag]:
    """Flags at the height of their lanes; above all lanes where the record is absent."""
    named = dict(enumerate(lanes))
    ys = frame.y_by_lane
    return [
        replace(flag, x=flag.x + shift, y=ys.get(named.get(int(flag.y), ""), frame.absent_y))
        for flag in flags
    ]


def more_note(more: int, y: float, theme: Theme) -> list[dict[str, Any]]:
    """`+3`: findings whose flags have no room."""
    if not more:
        return []
    text = {"x": 1, "xref": "paper", "xanchor": "right", "y": y, "text": f"+{more}", "showarrow": False}
    return [text | {"font": {"size": 11, "color": MUTED[theme]}}]


def flag_notes(placed: list[Placed], base: float, row_height: float, theme: Theme) -> list[dict[str, Any]]:
    """Plotly's annotations. `base`: the y where the rows begin; `row_height` in units of the y axis."""
    notes: list[dict[str, Any]] = []
    for flag in placed:
        note = _annotation(flag, base + (flag.row + 0.5) * row_height, theme)
        if flag.shift:  # two annotations: the line of one is where its words are
            notes.append(note | {"text": "", "bgcolor": CLEAR, "bordercolor": CLEAR})
            note |= {"y": note["ay"], "xshift": flag.shift, "showarrow": False}
        notes.append(note)
    return notes


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
        "text": f"{ICONS.get(flag.severity, '●')} {plain(short(flag.label, placed.characters))}",
        "hovertext": plain(flag.text),
        "captureevents": True,
        "name": f"{FLAG_NAME}{flag.offset}",
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


def short(text: str, characters: int = WORDS) -> str:
    """A text that is too long keeps as many whole words as there is room for."""
    if len(text) <= characters:
        return text
    cut = text[:characters]
    return (cut.rpartition(" ")[0] or cut[:-1]).rstrip(",;:") + "…"
