"""Marks: one per record, in the middle of its lane; shape and colour say what the service does with it.

On an axis of times several may be drawn at one place: such a pile has its number beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import (
    CHARACTER_PIXELS,
    INK,
    MARKS,
    MUTED,
    OPEN_NAMES,
    OPEN_SYMBOLS,
    OUTLINED,
    PAPER,
    Theme,
    Trace,
    plain,
)
from webapp.reports.charts.rings import COUNT_PIXELS, RING_PIXELS, Group
from webapp.reports.queries.timeline.other_dumps import OtherRecord
from webapp.reports.queries.timeline.window import Window

MARK_PIXELS = 12
OPEN_WIDTH = 1.6  # pixels of the outline of a hollow mark
APART_PIXELS = 3  # marks closer than that look like one
NUMBER_PIXELS = 7  # from the middle of a mark to its number
BESIDE_PIXELS = 4  # between a number and the next mark
ABOVE_PIXELS = 11


def marks_of(
    window: Window, kind: str, y_by_lane: dict[str, int], clock: Clock, theme: Theme, is_hidden: bool
) -> list[Trace]:
    """All marks of one kind: those that stand, and hollow those of transactions without COMMIT and ABORT."""
    of_kind = window.marks["kind"] == kind
    is_open = window.marks["outcome"] != ""
    return [
        _marks(window, kind, chosen, y_by_lane, clock)
        | {"marker": _marker(kind, theme, are_open), "visible": not is_hidden}
        for chosen, are_open in ((of_kind & ~is_open, False), (of_kind & is_open, True))
        if chosen.any()
    ]


def _marks(window: Window, kind: str, chosen: Any, y_by_lane: dict[str, int], clock: Clock) -> Trace:
    offsets = window.marks["offset"][chosen]
    times = window.marks["timestamp_ms"][chosen].astype(np.float64)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": MARKS[kind]["name"],
        "meta": kind,
        "x": offsets.astype("f8") if window.span.axis == "offset" else times + clock.shift_ms,
        "y": np.array([y_by_lane[lane] for lane in window.marks["lane"][chosen]], dtype="f4"),
        "customdata": np.stack([offsets, window.marks["size_bytes"][chosen]], axis=1).astype("f8"),
        "cliponaxis": False,
        "hovertemplate": f"offset %{{customdata[0]}}<br>{MARKS[kind]['name']}, %{{customdata[1]:,}} bytes<br>%{{text}}"
        "<extra></extra>",  # no <b>: Plotly writes it as a style attribute, which the security policy forbids
        "text": _texts(window, chosen, clock),
    }


def _marker(kind: str, theme: Theme, is_open: bool) -> dict[str, Any]:
    look = MARKS[kind]
    if is_open and look["symbol"] in OPEN_SYMBOLS:
        hollow = {"symbol": OPEN_SYMBOLS[look["symbol"]], "size": look["size"] + 1, "color": look[theme]}
        return hollow | {"line": {"width": OPEN_WIDTH, "color": look[theme]}}
    marker: dict[str, Any] = {"symbol": look["symbol"], "size": look["size"], "color": look[theme]}
    if look["symbol"] in OUTLINED:
        marker["line"] = {"width": OUTLINED[look["symbol"]], "color": look[theme]}
    return marker


def other_dump_marks(
    records: list[OtherRecord], window: Window, y_by_lane: dict[str, int], unit_pixels: float, theme: Theme
) -> list[Trace]:
    """Hollow: records that this dump lacks and another one has, with its name where no mark is in the way."""
    seen = [record for record in records if record.lane in y_by_lane]
    if not seen:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": "only in another dump",
            "meta": "other-dump",
            "x": [record.offset for record in seen],
            "y": [y_by_lane[record.lane] for record in seen],
            "text": [
                f"  {plain(only_in(record))}" if _has_room(record, seen, window, unit_pixels) else ""
                for record in seen
            ],
            "customdata": [
                [plain(only_in(record)) + ("<br>click to open it there" if record.url else "")]
                for record in seen
            ],
            "textposition": "middle right",
            "textfont": {"size": 11, "color": MUTED[theme]},
            "cliponaxis": False,
            "marker": {
                "symbol": "circle-open",
                "size": 10,
                "color": MARKS["create"][theme],
                "line": {"width": 2},
            },
            "hovertemplate": "offset %{x}<br>%{customdata[0]}<extra></extra>",
        }
    ]


def only_in(record: OtherRecord) -> str:
    """The dump that has the record."""
    return f"only in {record.dump}"


def _has_room(record: OtherRecord, others: list[OtherRecord], window: Window, unit_pixels: float) -> bool:
    """Whether the words to the right of the mark meet neither another mark of its lane nor the end of the plot."""
    end = record.offset + (len(only_in(record)) * CHARACTER_PIXELS + 2 * MARK_PIXELS) / unit_pixels
    in_lane = window.marks["offset"][window.marks["lane"] == record.lane]
    hollow = (other.offset for other in others if other.lane == record.lane)
    is_free = not any(record.offset < offset < end for offset in (*in_lane.tolist(), *hollow))
    return is_free and end <= window.span.last + 1


def _texts(window: Window, chosen: Any, clock: Clock) -> list[str]:
    """Time, lane, key and unfinished transaction of each mark."""
    names = ("timestamp_ms", "lane", "key", "outcome")
    columns = (window.marks[name][chosen].tolist() for name in names)
    return [
        f"{clock.named(time)}<br>{plain(lane)}<br>key {plain(key)}"
        + (f"<br>{OPEN_NAMES[outcome]}" if outcome else "")
        for time, lane, key, outcome in zip(*columns, strict=True)
    ]


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
    drawn = sorted(
        (y_by_lane[lane], time + shift) for lane, time, kind in rows if kind not in kinds and time >= 0
    )
    piles: list[Pile] = []
    for y, x in drawn:
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
            span
            for span in spans
            if span[0] == pile.y and span[1] - APART_PIXELS < pile.high and pile.low < span[2] + APART_PIXELS
        ]
        if pile.records == 1 or any(records == pile.records for *_, records in around):
            continue
        gap = RING_PIXELS / 2 + 2 if around else NUMBER_PIXELS
        room = gap + len(str(pile.records)) * CHARACTER_PIXELS + BESIDE_PIXELS + NUMBER_PIXELS
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
        "hovertext": f"{pile.records} records here",
        "showarrow": False,
        "bgcolor": PAPER[theme],
        "borderpad": 1,
        "font": {"size": 11, "color": INK[theme]},
        "name": "pile",
    }
