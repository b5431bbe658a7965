"""Folded spans of a time axis: a band through all rows, with how long no record was written, and ticks between the bands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from webapp.reports.charts.axes import PHONE_PIXELS
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.jumps import how_long
from webapp.reports.charts.look import GRID, INK, MUTED, Theme
from webapp.reports.queries.timeline.axis import MINUTE, ROUND_TIMES, SECOND, Axis
from webapp.reports.queries.timeline.folds import Fold, Scale

PIXELS_A_TICK = 72  # of a time to the second, or of a date
PIXELS_OF_FRACTION = 90  # of a time with its milliseconds
SHORT = len("00:00:00")
LINE_PIXELS = 16
LETTER_PIXELS = 6  # of the words along a band
FRACTIONS_BELOW = 10 * SECOND  # an axis that is shorter has ticks with fractions
ROUNDED_FROM = 10 * SECOND  # a shorter span has its tenths


def fold_words(fold: Fold, is_partial: bool = False) -> str:
    """`3 d, no records`. `is_partial`: some records are left out, and may lie there."""
    length = how_long(fold.length)
    if SECOND <= fold.length < MINUTE:
        length = f"{fold.length / SECOND:.{0 if fold.length >= ROUNDED_FROM else 1}f} s"
    return f"{length}, no records{in_view(is_partial)}"


def in_view(is_partial: bool) -> str:
    """What a sentence about records that are not there adds where some are left out."""
    return " in this view" if is_partial else ""


def fold_shapes(scale: Scale, shift: int, theme: Theme) -> list[dict[str, Any]]:
    """A band over histogram and lanes, with a dotted line on each side."""
    shapes = []
    for fold in scale.folds:
        first, last = scale.band(fold)
        band = {"x0": first + shift, "x1": last + shift, "yref": "paper", "y0": 0, "y1": 1}
        shapes.append(
            band
            | {"type": "rect", "layer": "below", "name": "fold", "fillcolor": GRID[theme]}
            | {"line": {"width": 1, "color": MUTED[theme], "dash": "dot"}}
        )
    return shapes


def fold_notes(
    scale: Scale, clock: Clock, theme: Theme, is_partial: bool, covered: Collection[Fold], above: int
) -> list[dict[str, Any]]:
    """Words along each band, above the lanes, or at their foot where a flag is in the way; both times in the tooltip. `covered`:
    folds below the box of a flag; `above`: pixels above the flags."""
    notes = []
    for fold in scale.folds:
        words = fold_words(fold, is_partial)
        is_flagged = fold in covered and len(words) * LETTER_PIXELS > above
        note = {
            "x": scale.value((scale.position(fold.first) + scale.position(fold.last)) / 2) + clock.shift_ms,
            "yref": "paper",
            "y": 0 if is_flagged else 1,
            "yanchor": "bottom" if is_flagged else "top",
            "text": words,
            "textangle": -90,
            "hovertext": f"{clock.text(fold.first)} – {clock.named(fold.last)}: no record{in_view(is_partial)}",
            "showarrow": False,
            "font": {"size": 11, "color": INK[theme]},
            "name": "fold",
        }
        notes.append(note)
    return notes


def own_ticks(scale: Scale, clock: Clock, axis: Axis) -> dict[str, Any]:
    """Of a folded axis: Plotly's own would lie in what it leaves out; and of a short one: Plotly writes 100 ms as `.1`."""
    is_short = scale.first >= 0 and scale.last - scale.first < FRACTIONS_BELOW
    is_ours = scale.folds or (axis == "time" and is_short)
    return time_ticks(scale, clock) if is_ours else {"ticktext": []}


def time_ticks(scale: Scale, clock: Clock) -> dict[str, Any]:
    """Round times of each part between folds, with the date where it changes, and with milliseconds where two would read alike. A
    tick that would touch another is left out: both ends come first, then the other parts. The first one of a part that has none
    then stands in the second line, or on a wide plot in the third one."""
    parts = [_ticks_of_part(scale, clock, low, high) for low, high in _parts(scale)]
    parts = _distinct(parts[:1] + parts[1:][-1:] + parts[1:-1], clock)
    firsts = [ticks[0] for ticks in parts]
    placed: dict[int, str] = {}
    for time, text in [*firsts, *(tick for ticks in parts for tick in ticks[1:])]:
        if _is_apart(scale, time, text, placed):
            placed[time] = text
    dates = {time: clock.text(time).split(" ")[0] for time in sorted(placed)}
    changes = [
        time for time, before in zip(dates, ["", *dates.values()], strict=False) if dates[time] != before
    ]
    placed |= {time: f"{placed[time]}<br>{dates[time]}" for time in changes}
    lines = [dict.fromkeys(changes, ""), {}] if scale.pixels >= PHONE_PIXELS else [dict.fromkeys(changes, "")]
    for (time, text), ticks in zip(firsts, parts, strict=True):
        if any(tick in placed for tick, _ in ticks):
            continue
        number = next(
            (number for number, line in enumerate(lines) if _is_apart(scale, time, text, line)), None
        )
        if number is not None:
            placed[time] = "<br>" * (number + 1) + text
            lines[number][time] = text
    times = sorted(placed)
    return {
        "tickvals": [time + clock.shift_ms for time in times],
        "ticktext": [placed[time] for time in times],
    }


def lines_below(ticks: Mapping[str, Any]) -> int:
    """Lines of ticks beyond the two that every axis has room for."""
    return max([text.count("<br>") - 1 for text in ticks["ticktext"]] + [0])


def _is_apart(scale: Scale, time: int, text: str, others: Mapping[int, str]) -> bool:
    """Whether the words of a tick do not touch those of others, by their times."""
    unit = scale.extent / max(1, scale.pixels)
    return all(
        abs(scale.position(time) - scale.position(other)) >= unit * max(_width(text), _width(words))
        for other, words in others.items()
    )


def _width(text: str) -> int:
    """Pixels of the words of a tick, with those that keep it apart from the next."""
    return PIXELS_A_TICK if len(text) <= SHORT else PIXELS_OF_FRACTION


def _parts(scale: Scale) -> list[tuple[int, int]]:
    starts = [scale.first, *(fold.last for fold in scale.folds)]
    ends = [*(fold.first for fold in scale.folds), scale.last]
    return [(int(low), int(high)) for low, high in zip(starts, ends, strict=True)]


def _ticks_of_part(scale: Scale, clock: Clock, low: int, high: int) -> list[tuple[int, str]]:
    """Round times; in a part too narrow for two of them the roundest one that it has, without one its begin to the second."""
    pixels = (scale.position(high) - scale.position(low)) / scale.extent * scale.pixels
    least = (high - low) / max(1, pixels // PIXELS_A_TICK)
    step = next((width for width in ROUND_TIMES if width >= least), ROUND_TIMES[-1])
    if step < SECOND and scale.folds and pixels < 2 * PIXELS_OF_FRACTION:
        step = SECOND
    elif step < SECOND:
        least = (high - low) / max(1, pixels // PIXELS_OF_FRACTION)
        step = next(width for width in ROUND_TIMES if width >= least)
    rounder = [width for width in ROUND_TIMES if SECOND <= width < step]
    for width in (step, *reversed(rounder)):
        start = -(-(low + clock.shift_ms) // width) * width - clock.shift_ms
        if start <= high:
            return [(time, _text(clock, time, width)) for time in range(start, high + 1, width)]
    return [(low, _text(clock, low, step))]


def _distinct(parts: list[list[tuple[int, str]]], clock: Clock) -> list[list[tuple[int, str]]]:
    """Times that read alike on one date get their milliseconds."""
    counts = Counter((clock.text(time).split(" ")[0], text) for ticks in parts for time, text in ticks)

    def exact(time: int, text: str) -> tuple[int, str]:
        is_alike = counts[clock.text(time).split(" ")[0], text] > 1
        return time, _text(clock, time, 1) if is_alike else text

    return [[exact(*tick) for tick in ticks] for ticks in parts]


def _text(clock: Clock, time: int, step: int) -> str:
    """As exact as the distance to the next tick."""
    digits = len("00:00") if step >= MINUTE else SHORT if step >= SECOND else len("00:00:00.000")
    return clock.text(time).split(" ")[-1][:digits]
