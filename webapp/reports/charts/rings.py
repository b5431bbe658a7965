"""Rings around the records that prove findings. Rings that would cover each other are one longer ring with their number.

A pile is several marks that are drawn at one place of an axis of times, or in one ring there; its number counts them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark.terms.findings import SEVERITIES
from webapp.reports.charts.background import Flag
from webapp.reports.charts.look import (
    CHARACTER_PIXELS,
    CLEAR,
    INK,
    PAPER,
    SEVERITY_COLOURS,
    Theme,
    Trace,
    plain,
)
from webapp.reports.queries.timeline.window import Window

RING_PIXELS = 17
LINE_PIXELS = 2.2
BULGE = 2 / 3  # of the diameter: how far the control points of half a circle lie outside
COUNT_PIXELS = 26  # of a number beside a ring
Group = Sequence[Flag]  # of one lane, in the order of the axis
APART_PIXELS = 3  # marks closer than that look like one
NUMBER_PIXELS = 7  # from the middle of a mark to its number
BESIDE_PIXELS = 4  # between a number and the next mark
ABOVE_PIXELS = 11
PILE_NAME = "pile "  # and the first and the last x, between which a click lists the records


def ring_groups(
    flags: Iterable[Flag], pixel_of: Callable[[float], float], marks: Mapping[float, Sequence[float]]
) -> list[Group]:
    """Flags of each ring, one for each record. `marks`: by y, pixels of the drawn records, in order: no ring takes in one that
    proves nothing."""
    lanes: dict[float, dict[tuple[float, int], Flag]] = defaultdict(dict)  # several records may have one time
    for flag in sorted(flags, key=_rank):
        lanes[flag.y].setdefault((flag.x, flag.offset), flag)
    groups: list[list[Flag]] = []
    for y, flag_by_record in lanes.items():
        last: float | None = None
        for (x, _), flag in sorted(flag_by_record.items()):
            pixel = pixel_of(x)
            joins = last is not None and pixel - last < RING_PIXELS
            if joins and not _has_between(marks.get(y, ()), last or 0.0, pixel):
                groups[-1].append(flag)
            else:
                groups.append([flag])
            last = pixel
    return list(groups)


def _has_between(pixels: Sequence[float], low: float, high: float) -> bool:
    following = bisect_right(pixels, low)
    return following < len(pixels) and pixels[following] < high


def _rank(flag: Flag) -> int:
    return SEVERITIES.index(flag.severity) if flag.severity in SEVERITIES else len(SEVERITIES)


def _worst(group: Group) -> str:
    return min(group, key=_rank).severity


def finding_rings(
    groups: Iterable[Group], theme: Theme, crowd: Callable[[float, float], str] = lambda _y, _x: ""
) -> Trace:
    """A point for each record; of a ring of several the points are not seen, but say their finding. Points of one ring share
    its number. `crowd`: by y and x, words about what is drawn at that place."""
    points = [(flag, len(group) > 1, ring) for ring, group in enumerate(groups) for flag in group]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "finding",
        "meta": "finding",
        "x": [flag.x for flag, _, _ in points],
        "y": [flag.y for flag, _, _ in points],
        "customdata": [
            [flag.offset, plain(flag.text), ring, crowd(flag.y, flag.x)] for flag, _, ring in points
        ],
        "cliponaxis": False,
        "marker": {
            "symbol": "circle-open",
            "size": RING_PIXELS,
            "color": [CLEAR if is_joined else _colour(flag.severity, theme) for flag, is_joined, _ in points],
            "line": {"width": LINE_PIXELS},
        },
        "hovertemplate": "offset %{customdata[0]}<br>%{customdata[1]}%{customdata[3]}<extra></extra>",
    }


def joined_rings(
    groups: Iterable[Group], pixel_of: Callable[[float], float], theme: Theme
) -> list[dict[str, Any]]:
    """Plotly's shapes for rings of several records."""
    return [
        {
            "type": "path",
            "name": "findings",
            "xsizemode": "pixel",
            "ysizemode": "pixel",
            "xanchor": group[0].x,
            "yanchor": group[0].y,
            "path": _outline(pixel_of(group[-1].x) - pixel_of(group[0].x)),
            "line": {"width": LINE_PIXELS, "color": _colour(_worst(group), theme)},
        }
        for group in groups
        if len(group) > 1
    ]


def ring_counts(
    groups: Iterable[Group], pixel_of: Callable[[float], float], plot_pixels: float, theme: Theme
) -> list[dict[str, Any]]:
    """Their numbers, as annotations on the side with room."""
    notes = []
    for group in groups:
        if len(group) == 1:
            continue
        is_right = pixel_of(group[-1].x) + RING_PIXELS / 2 + COUNT_PIXELS < plot_pixels
        notes.append(
            {
                "x": group[-1].x if is_right else group[0].x,
                "y": group[0].y,
                "xanchor": "left" if is_right else "right",
                "xshift": RING_PIXELS / 2 + 2 if is_right else -RING_PIXELS / 2 - 2,
                "yanchor": "middle",
                "text": str(len(group)),
                "hovertext": f"{len(group)} records that prove findings",
                "captureevents": True,
                "showarrow": False,
                "bgcolor": PAPER[theme],
                "borderpad": 1,
                "font": {"size": 11, "color": _colour(_worst(group), theme)},
                "name": "findings",
            }
        )
    return notes


def _outline(width: float) -> str:
    """Two lines and two half circles."""
    half, far = RING_PIXELS / 2, RING_PIXELS * BULGE
    right = width + far
    return (
        f"M0,{half}L{width:.1f},{half}C{right:.1f},{half} {right:.1f},{-half} {width:.1f},{-half}"
        f"L0,{-half}C{-far:.1f},{-half} {-far:.1f},{half} 0,{half}Z"
    )


def _colour(severity: str, theme: Theme) -> str:
    colours = SEVERITY_COLOURS[theme]
    return colours.get(severity, colours["low"])


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


def pile_counts(piles: Sequence[Pile], plot_pixels: float, theme: Theme) -> list[dict[str, Any]]:
    """Numbers as annotations: to the right if nothing is there, to the left, or above."""
    notes = []
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
        taken = [(other.low, other.high + (COUNT_PIXELS if other.records > 1 else 0)) for other in lane]
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
        "hovertext": pile.words,
        "captureevents": True,
        "showarrow": False,
        "bgcolor": PAPER[theme],
        "borderpad": 1,
        "font": {"size": 11, "color": INK[theme]},
        "name": f"{PILE_NAME}{pile.x:.0f} {pile.last_x:.0f}",
    }
