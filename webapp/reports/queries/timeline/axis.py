"""The axis of a timeline: offsets or milliseconds, the part of it that is drawn, and its bins.

A bin is a power of two of offsets or a round time, some 6 to 12 pixels wide, aligned to the axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.reports.queries.partitions import Facts

Axis = Literal["offset", "time"]
COLUMN = {"offset": '"offset"', "time": "timestamp_ms"}
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


@dataclass(frozen=True)
class AxisRange:
    """A range of an axis, bounds inclusive."""

    axis: Axis
    first: int
    last: int

    @property
    def extent(self) -> int:
        """Number of offsets or milliseconds."""
        return self.last - self.first + 1


def whole_span(facts: Facts, axis: Axis) -> AxisRange | None:
    """The span of a partition; None if it has no records on this axis."""
    bounds = {
        "offset": (facts.first_offset, facts.last_offset),
        "time": (facts.first_timestamp_ms, facts.last_timestamp_ms),
    }
    first, last = bounds[axis]
    return None if first is None or last is None else AxisRange(axis, first, last)


def bin_width(axis: Axis, extent: int, pixels: int = PLOT_PIXELS) -> int:
    """Offsets or milliseconds of one bin, when so many (`extent`) are drawn over so many pixels."""
    narrowest = max(1, -(-extent * MIN_BIN_PIXELS // max(pixels, MIN_BIN_PIXELS)))
    if axis == "offset":
        return 1 << (narrowest - 1).bit_length()
    return next((width for width in ROUND_TIMES if width >= narrowest), -(-narrowest // DAY) * DAY)


def bin_name(axis: Axis, width: int) -> str:
    """`8 offsets`, `5 min`."""
    if axis == "offset":
        return "offset" if width == 1 else f"{width} offsets"
    size, unit = next((size, unit) for size, unit in UNITS if width >= size)
    return f"{width // size} {unit}"
