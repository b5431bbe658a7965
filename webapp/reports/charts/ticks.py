"""Ticks of an axis of offsets."""

from __future__ import annotations

PIXELS_A_TICK = 90
PHONE_PIXELS = 500  # a plot that is narrower has ticks as close as their digits allow
DIGIT_PIXELS, APART_PIXELS = 7, 27
ROUND = (1, 2, 5)
APART = 0.6  # of a step: what lies closer to an end gives way to it


def offset_ticks(first: int, last: int, pixels: int) -> list[int]:
    """Round offsets, and always the first and the last one that exist, in order."""
    needed = DIGIT_PIXELS * len(str(last)) + APART_PIXELS if pixels < PHONE_PIXELS else PIXELS_A_TICK
    step = _step((last - first) / max(2, pixels // needed))
    inner = range(-(-first // step) * step, last + 1, step)
    apart = step * APART
    between = [tick for tick in inner if tick - first >= apart and last - tick >= apart]
    return sorted({first, *between, last})


def _step(smallest: float) -> int:
    """1, 2 or 5 times a power of ten."""
    power = 1
    while power * 5 < smallest:
        power *= 10
    return next((power * digit for digit in ROUND if power * digit >= smallest), power * 10)
