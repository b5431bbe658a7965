"""Marks: one per record, in the middle of its lane; shape and colour say what the service does with it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import (
    CHARACTER_PIXELS,
    MARKS,
    MUTED,
    OPEN_NAMES,
    OPEN_SYMBOLS,
    OUTLINED,
    Theme,
    Trace,
    plain,
)
from webapp.reports.charts.piles import Pile
from webapp.reports.queries.timeline.other_dumps import OtherRecord
from webapp.reports.queries.timeline.window import Window

MARK_PIXELS = 12
OPEN_WIDTH = 1.6  # pixels of the outline of a hollow mark
Crowd = Callable[[float, float], str]  # y and x of a mark: words about those that are drawn at its place


def marks_of(
    window: Window,
    kind: str,
    y_by_lane: dict[str, int],
    clock: Clock,
    theme: Theme,
    is_hidden: bool,
    crowd: Crowd,
) -> list[Trace]:
    """All marks of one kind: those that stand, and hollow those of transactions without COMMIT and ABORT."""
    of_kind = window.marks["kind"] == kind
    is_open = window.marks["outcome"] != ""
    return [
        _marks(window, kind, chosen, y_by_lane, clock, crowd)
        | {"marker": _marker(kind, theme, are_open), "visible": not is_hidden}
        for chosen, are_open in ((of_kind & ~is_open, False), (of_kind & is_open, True))
        if chosen.any()
    ]


def _marks(
    window: Window, kind: str, chosen: Any, y_by_lane: dict[str, int], clock: Clock, crowd: Crowd
) -> Trace:
    offsets = window.marks["offset"][chosen]
    times = window.marks["timestamp_ms"][chosen].astype(np.float64)
    xs = offsets.astype("f8") if window.span.axis == "offset" else times + clock.shift_ms
    ys = np.array([y_by_lane[lane] for lane in window.marks["lane"][chosen]], dtype="f4")
    words = [crowd(y, x) for y, x in zip(ys.tolist(), xs.tolist(), strict=True)]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": MARKS[kind]["name"],
        "meta": kind,
        "x": xs,
        "y": ys,
        "customdata": np.stack([offsets, window.marks["size_bytes"][chosen]], axis=1).astype("f8"),
        "cliponaxis": False,
        "hovertemplate": f"offset %{{customdata[0]}}<br>{MARKS[kind]['name']}, %{{customdata[1]:,}} bytes<br>%{{text}}"
        "<extra></extra>",  # no <b>: Plotly writes it as a style attribute, which the security policy forbids
        "text": [text + more for text, more in zip(_texts(window, chosen, clock), words, strict=True)],
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


def crowd_of(piles: Iterable[Pile], pixel_of: Callable[[float], float]) -> Crowd:
    """By y and x of a mark, the last line of its tooltip: how many records are drawn at its place. Empty for one alone."""
    crowds: dict[float, list[Pile]] = defaultdict(list)
    for pile in piles:
        if pile.records > 1:
            crowds[pile.y].append(pile)

    def words(y: float, x: float) -> str:
        if y not in crowds:
            return ""
        lane, pixel = crowds[y], pixel_of(x)
        at = bisect_right(lane, pixel, key=lambda pile: pile.low) - 1
        return f"<br>{lane[at].words}" if at >= 0 and pixel <= lane[at].high else ""

    return words
