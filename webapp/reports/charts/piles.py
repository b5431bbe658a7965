"""Piles on an axis of times: marks of a lane that are drawn at one place, with their number beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.reports.charts.look import CHARACTER_PIXELS, INK, PAPER, Theme
from webapp.reports.charts.rings import COUNT_PIXELS, RING_PIXELS, Group
from webapp.reports.queries.timeline.window import Window

APART_PIXELS = 3  # marks closer than that look like one
MARK_PIXELS = 7  # from the middle of a mark to its number
BESIDE_PIXELS = 4  # between a number and the next mark
ABOVE_PIXELS = 11


@dataclass(frozen=True)
class Pile:
    """Marks of one place, or a single one. `low`, `high`: pixels of the first and the last; `x` of the axis."""

    x: float
    y: float
    low: float
    high: float
    records: int


def piles_of(
    window: Window,
    y_by_lane: Mapping[str, float],
    hidden: Iterable[str],
    shift: int,
    pixel_of: Callable[[float], float],
) -> list[Pile]:
    """All marks, in the order of the axis, lane by lane."""
    marks, kinds = window.marks, set(hidden)
    rows = zip(marks["lane"].tolist(), marks["timestamp_ms"].tolist(), marks["kind"].tolist(), strict=True)
    seen = sorted(
        (y_by_lane[lane], time + shift) for lane, time, kind in rows if kind not in kinds and time >= 0
    )
    piles: list[Pile] = []
    for y, x in seen:
        pixel, last = pixel_of(x), piles[-1] if piles else None
        if last and last.y == y and pixel - last.high < APART_PIXELS:
            piles[-1] = Pile(last.x, y, last.low, pixel, last.records + 1)
        else:
            piles.append(Pile(x, y, pixel, pixel, 1))
    return piles


def pile_counts(
    piles: Sequence[Pile],
    rings: Iterable[Group],
    pixel_of: Callable[[float], float],
    plot_pixels: float,
    theme: Theme,
) -> list[dict[str, Any]]:
    """Numbers as annotations: to the right if nothing is there, to the left, or above."""
    spans = [(group[0].y, pixel_of(group[0].x), pixel_of(group[-1].x), len(group)) for group in rings]
    notes = []
    for number, pile in enumerate(piles):
        around = [
            one
            for one in spans
            if one[0] == pile.y and one[1] - APART_PIXELS < pile.high and pile.low < one[2] + APART_PIXELS
        ]
        if pile.records == 1 or any(records == pile.records for *_, records in around):
            continue
        gap = RING_PIXELS / 2 + 2 if around else MARK_PIXELS
        room = gap + len(str(pile.records)) * CHARACTER_PIXELS + BESIDE_PIXELS + MARK_PIXELS
        lane = [
            other
            for other in piles[max(0, number - 1) : number + 2]
            if other is not pile and other.y == pile.y
        ]
        taken = [(other.low, other.high + (COUNT_PIXELS if other.records > 1 else 0)) for other in lane]
        taken += [
            (low, high + COUNT_PIXELS) for y, low, high, records in spans if y == pile.y and records > 1
        ]
        side = _side(pile, room, taken, plot_pixels)
        if side:
            notes.append(_count(pile, side, gap, theme))
    return notes


def _side(pile: Pile, room: float, taken: Sequence[tuple[float, float]], plot_pixels: float) -> str:
    def is_free(start: float, end: float) -> bool:
        return (
            start >= 0 and end <= plot_pixels and not any(low < end and start < high for low, high in taken)
        )

    if is_free(pile.high + 1, pile.high + room):
        return "right"
    if is_free(pile.low - room, pile.low - 1):
        return "left"
    return "" if any(abs(low - pile.low) < room and low != pile.low for low, _ in taken) else "above"


def _count(pile: Pile, side: str, gap: float, theme: Theme) -> dict[str, Any]:
    by = {
        "right": ("left", gap + pile.high - pile.low, 0),
        "left": ("right", -gap, 0),
        "above": ("center", 0, ABOVE_PIXELS),
    }
    anchor, right, up = by[side]
    return {
        "x": pile.x,
        "y": pile.y,
        "xanchor": anchor,
        "xshift": right,
        "yshift": up,
        "yanchor": "middle",
        "text": str(pile.records),
        "hovertext": f"{pile.records} records at this time",
        "showarrow": False,
        "bgcolor": PAPER[theme],
        "borderpad": 1,
        "font": {"size": 11, "color": INK[theme]},
        "name": "pile",
    }
