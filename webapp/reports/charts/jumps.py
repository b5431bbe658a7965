"""Where the clock goes back, on a time axis: a band over the time that passes twice, an arrow back in a row of its own."""

from __future__ import annotations

from typing import Any

from webapp.reports.charts.clock import Clock
from webapp.reports.charts.look import CHARACTER_PIXELS, SEVERITY_COLOURS, Theme
from webapp.reports.queries.timeline.axis import DAY, HOUR, MINUTE, SECOND
from webapp.reports.queries.timeline.clock_jumps import ClockJump
from webapp.reports.queries.timeline.folds import Scale

UNITS = ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", SECOND, "s"))


def how_long(duration_ms: int) -> str:
    """`3 d`, `5 min 2 s`, `1.250 s`, `40 ms`: two units at most, to the nearest of the second one."""
    for size, unit, next_size, next_unit in UNITS:
        rounded = (duration_ms + next_size // 2) // next_size * next_size
        if rounded >= size:
            rest = rounded % size // next_size
            return f"{rounded // size} {unit}" + (f" {rest} {next_unit}" if rest else "")
    return f"{duration_ms / SECOND:.3f} s" if duration_ms >= SECOND else f"{duration_ms} ms"


def jump_words(jump: ClockJump) -> str:
    """`clock went back 3 d at offset 60`."""
    return f"clock went back {how_long(jump.back_ms)} at offset {jump.offset}"


def jump_shapes(
    jumps: list[ClockJump],
    clock: Clock,
    bounds: tuple[float, float],
    ys: dict[str, tuple[float, float]],
    theme: Theme,
) -> list[dict[str, Any]]:
    """A band over the time that passes twice, with a line where the clock goes back. `ys`: of a lane its edges; the empty
    name stands for all lanes."""
    colour = SEVERITY_COLOURS[theme]["medium"]
    shapes = []
    for jump in jumps:
        x0, x1 = _ends(jump, clock, bounds)
        low, high = ys.get(jump.lane, ys[""])
        band = {"type": "rect", "x0": x0, "x1": x1, "y0": low, "y1": high, "layer": "below", "name": "jump"}
        shapes.append(band | {"line": {"width": 0}, "fillcolor": colour, "opacity": 0.12})
        shapes.append(band | {"type": "line", "x0": x1, "line": {"color": colour, "width": 1.5}})
    return shapes


def jump_notes(
    jumps: list[ClockJump], clock: Clock, scale: Scale, unit_pixels: float, theme: Theme
) -> list[dict[str, Any]]:
    """An arrow from the later time back to the earlier one; words where there is room for them and no longer step has
    its words there."""
    colour = SEVERITY_COLOURS[theme]["medium"]
    notes: list[dict[str, Any]] = []
    taken: list[tuple[float, float]] = []
    for jump in jumps:
        ends = [max(scale.first, min(scale.last, x)) for x in (jump.after_ms, jump.before_ms)]
        notes.append(_arrow(ends[0] + clock.shift_ms, ends[1] + clock.shift_ms, jump, colour))
        x0, x1 = (scale.position(x) for x in ends)
        room = len(jump_words(jump)) * CHARACTER_PIXELS / unit_pixels
        start = _words_at(x0, x1, room, scale.extent)
        if start >= 0 and not any(start < end and begin < start + room for begin, end in taken):
            taken.append((start, start + room))
            is_inside = x1 - x0 >= room
            x = scale.value((x0 + x1) / 2 if is_inside else start)
            notes.append(_words(jump, x + clock.shift_ms, is_inside, colour))
    return notes


def _words_at(x0: float, x1: float, room: float, axis_end: float) -> float:
    """On the band if the words fit it, else after it, else before it."""
    if x1 - x0 >= room:
        return x0
    return x1 if x1 + room <= axis_end else x0 - room


def _ends(jump: ClockJump, clock: Clock, bounds: tuple[float, float]) -> tuple[float, float]:
    """Both ends of the jump, clipped to the axis."""
    low, high = (max(bounds[0], min(bounds[1], x + clock.shift_ms)) for x in (jump.after_ms, jump.before_ms))
    return low, high


def _arrow(x0: float, x1: float, jump: ClockJump, colour: str) -> dict[str, Any]:
    return {
        "x": x0,
        "y": 0.15,
        "ax": x1,
        "ay": 0.15,
        "xref": "x",
        "yref": "y4",
        "axref": "x",
        "ayref": "y4",
        "text": "",
        "hovertext": jump_words(jump),
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 0.9,
        "arrowwidth": 2,
        "arrowcolor": colour,
        "name": "jump",
    }


def _words(jump: ClockJump, x: float, is_inside: bool, colour: str) -> dict[str, Any]:
    return {
        "x": x,
        "xanchor": "center" if is_inside else "left",
        "y": 0.68,
        "yref": "y4",
        "text": jump_words(jump),
        "showarrow": False,
        "font": {"size": 11, "color": colour},
        "name": "jump",
    }
