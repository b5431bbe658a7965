"""The axis of a timeline: offsets or milliseconds, and the part of it that is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.reports.queries.partitions import Facts

Axis = Literal["offset", "time"]
COLUMN = {"offset": '"offset"', "time": "timestamp_ms"}


@dataclass(frozen=True)
class AxisRange:
    """The part of an axis to draw, bounds inclusive."""

    axis: Axis
    first: int
    last: int

    @property
    def extent(self) -> int:
        """Offsets or milliseconds."""
        return self.last - self.first + 1


def whole_span(facts: Facts, axis: Axis) -> AxisRange | None:
    """All of a partition; None when nothing of it belongs on this axis."""
    bounds = {
        "offset": (facts.first_offset, facts.last_offset),
        "time": (facts.first_timestamp_ms, facts.last_timestamp_ms),
    }
    first, last = bounds[axis]
    return None if first is None or last is None else AxisRange(axis, first, last)
