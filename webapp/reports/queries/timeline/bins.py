"""Bins of an axis: a power of two of offsets or a round time, some 6 to 12 pixels wide, aligned to the axis."""

from __future__ import annotations

from typing import Literal

PLOT_PIXELS = 1000  # of a plot whose width is not known
MIN_BIN_PIXELS = 6
SECOND = 1000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
ROUND_TIMES = (
    1, 2, 5, 10, 20, 50, 100, 200, 500,
    *(SECOND * n for n in (1, 2, 5, 10, 20, 30)),
    *(MINUTE * n for n in (1, 2, 5, 10, 20, 30)),
    *(HOUR * n for n in (1, 2, 4, 6, 12)),
    *(DAY * 2**n for n in range(14)),
)  # fmt: skip
UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (1, "ms"))


def bin_width(axis: Literal["offset", "time"], extent: int, pixels: int = PLOT_PIXELS) -> int:
    """Offsets or milliseconds of one bin, when so many (`extent`) are drawn over so many pixels."""
    least = max(1, -(-extent * MIN_BIN_PIXELS // max(pixels, MIN_BIN_PIXELS)))
    if axis == "offset":
        return 1 << (least - 1).bit_length()
    return next((one for one in ROUND_TIMES if one >= least), -(-least // DAY) * DAY)


def bin_name(axis: Literal["offset", "time"], width: int) -> str:
    """`8 offsets`, `5 min`."""
    if axis == "offset":
        return "offset" if width == 1 else f"{width} offsets"
    size, unit = next((size, unit) for size, unit in UNITS if width >= size)
    return f"{width // size} {unit}"
