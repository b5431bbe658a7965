"""Piles: several marks that are drawn at one place of an axis of times, or in one ring there; a number counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.reports.charts.look import CHARACTER_PIXELS, CLEAR, INK, PAPER, Theme
from webapp.reports.charts.rings import COUNT_PIXELS, RING_PIXELS, Group, meets
from webapp.reports.queries.timeline.window import Window

APART_PIXELS = 3  # marks closer than that look like one
NUMBER_PIXELS = 7  # from the middle of a mark to its number
BESIDE_PIXELS = 4  # between a number and the next mark
ABOVE_PIXELS = 14
TOGETHER_PIXELS = 12  # less than a ring
PILE_NAME = "pile "  # and the first and the last x, between which a click lists the records


@dataclass(frozen=True)
class Pile:
    """Marks of one place, or a single one. `low`, `high`: pixels of the first and the last; `x` of the axis."""

    x: float
    y: float
    low: float
    high: float
    records: int
    last_x: float = 0.0
    proofs: int = 0  # of its records, those that prove findings

    @property
    def words(self) -> str:
        """`4 records here, 3 with findings`."""
        which = "all" if self.proofs == self.records else f"{self.proofs}"
        return f"{self.records} records here" + (f", {which} with findings" if self.proofs else "")


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
    drawn = sorted(
        (y_by_lane[lane], time + shift) for lane, time, kind in rows if kind not in kinds and time >= 0
    )
    piles: list[Pile] = []
    for y, x in drawn:
        pixel, last = pixel_of(x), piles[-1] if piles else None
        if last and last.y == y and pixel - last.high < APART_PIXELS:
            piles[-1] = Pile(last.x, y, last.low, pixel, last.records + 1, x)
        else:
            piles.append(Pile(x, y, pixel, pixel, 1, x))
    return piles


def ringed_piles(
    piles: Sequence[Pile], rings: Iterable[Group], pixel_of: Callable[[float], float]
) -> list[Pile]:
    """Piles of which those that one ring goes around are one, with the number of its records."""
    merged = list(piles)
    for group in rings:
        inside = [pile for pile in merged if _is_around(group, pile, pixel_of)]
        if inside:
            first, last = inside[0], inside[-1]
            records = sum(pile.records for pile in inside)
            proofs = sum(pile.proofs for pile in inside) + len(group)
            at = merged.index(first)
            whole = Pile(first.x, first.y, first.low, last.high, max(records, proofs), last.last_x, proofs)
            merged[at : at + len(inside)] = [whole]
    return merged


def bare_rings(
    piles: Sequence[Pile], rings: Iterable[Group], pixel_of: Callable[[float], float]
) -> list[Group]:
    """Rings around no mark."""
    return [group for group in rings if not any(_is_around(group, pile, pixel_of) for pile in piles)]


def _is_around(group: Group, pile: Pile, pixel_of: Callable[[float], float]) -> bool:
    low, high = pixel_of(group[0].x) - APART_PIXELS, pixel_of(group[-1].x) + APART_PIXELS
    return pile.y == group[0].y and low < pile.high and pile.low < high


def pile_counts(
    piles: Sequence[Pile], right_end: float, theme: Theme, bands: Sequence[tuple[float, float]] = ()
) -> list[dict[str, Any]]:
    """Numbers as annotations: to the right if nothing is there, to the left, above, or on the band of a fold; a ring has none
    above, where the line of its flag is. Piles too close for a number between them have one together. `right_end`: pixels of the
    plot and of the margin behind it; `bands`: of the folds of the axis."""
    notes = []
    on_right: set[Pile] = set()  # with their numbers
    piles = _together(piles)
    for number, pile in enumerate(piles):
        if pile.records == 1:
            continue
        gap = RING_PIXELS / 2 + 2 if pile.proofs else NUMBER_PIXELS
        room = gap + len(str(pile.records)) * CHARACTER_PIXELS + BESIDE_PIXELS + NUMBER_PIXELS
        lane = [
            other
            for other in piles[max(0, number - 1) : number + 2]
            if other is not pile and other.y == pile.y
        ]
        taken = [(other.low, other.high + (COUNT_PIXELS if other in on_right else 0)) for other in lane]
        side = _side(pile, room, taken, bands, right_end)
        if side == "right":
            on_right.add(pile)
        if side:
            notes.append(_count(pile, side, gap, theme))
    return notes


def _together(piles: Sequence[Pile]) -> list[Pile]:
    """Those with fewer pixels between them than a number needs on either side are one pile, whose number counts both."""
    merged: list[Pile] = []
    for pile in piles:
        last = merged[-1] if merged else None
        if (
            last
            and last.y == pile.y
            and pile.low - last.high < TOGETHER_PIXELS
            and last.records > 1 < pile.records
        ):
            records, proofs = last.records + pile.records, last.proofs + pile.proofs
            merged[-1] = Pile(last.x, last.y, last.low, pile.high, records, pile.last_x, proofs)
        else:
            merged.append(pile)
    return merged


def _side(
    pile: Pile,
    room: float,
    taken: Sequence[tuple[float, float]],
    bands: Sequence[tuple[float, float]],
    right_end: float,
) -> str:
    def is_free(start: float, end: float, others: Sequence[tuple[float, float]]) -> bool:
        return start >= 0 and end <= right_end and not meets(start, end, others)

    def beside(others: Sequence[tuple[float, float]]) -> str:
        if is_free(pile.high + 1, pile.high + room, others):
            return "right"
        return "left" if is_free(pile.low - room, pile.low - 1, others) else ""

    half = len(str(pile.records)) * CHARACTER_PIXELS / 2
    is_near = any(abs(low - pile.low) < room and low != pile.low for low, _ in taken)
    has_no_room = is_near or pile.proofs or meets(pile.low - half, pile.low + half, bands)
    return beside([*taken, *bands]) or ("" if has_no_room else "above") or beside(taken)


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
        "hovertext": pile.words,
        "captureevents": True,
        "showarrow": False,
        "bgcolor": CLEAR if side == "above" else PAPER[theme],
        "borderpad": 1,
        "font": {"size": 11, "color": INK[theme]},
        "name": f"{PILE_NAME}{pile.x:.0f} {pile.last_x:.0f}",
    }
