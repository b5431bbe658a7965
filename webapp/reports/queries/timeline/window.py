"""What there is to draw of a window: counts per bin of every lane, marks of the lanes that are sparse enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webapp.reports.queries.timeline.axis import AxisRange


@dataclass(frozen=True)
class Window:
    """What there is to draw. `marks` and `buckets` are columns of equal length; `lanes` run from bottom to top."""

    span: AxisRange
    bin_width: int
    lanes: list[str]
    records_by_lane: dict[str, int]
    marks: dict[str, Any]
    buckets: dict[str, Any]
    binned: list[str] = field(default_factory=list)  # lanes that are drawn as counts per bin
    pinned: tuple[str, ...] = ()
    is_replayed: bool = True  # kinds are what the service does, not only what the bytes say
    ids: dict[str, str] = field(default_factory=dict)  # of lanes, in addresses
    pinned_by_hand: tuple[str, ...] = ()  # lanes above all others, from top to bottom
    folded: dict[str, str] = field(default_factory=dict)  # lane -> the lane that stands for it
    rest_heading: str = "By entry type"
    inside: tuple[str, ...] = ()  # lanes of entities, below that of their type

    @property
    def total(self) -> int:
        return sum(self.records_by_lane.values())

    @property
    def drawn(self) -> int:
        """Number of records that are drawn as marks."""
        return len(self.marks["offset"])

    @property
    def offsets(self) -> tuple[int, int] | None:
        """First and last offset in the window, on either axis."""
        if not len(self.buckets["first_offset"]):
            return None
        return int(self.buckets["first_offset"].min()), int(self.buckets["last_offset"].max())

    @property
    def records_by_kind(self) -> dict[str, int]:
        return sums_of(self.buckets, "kind", "records")


def sums_of(buckets: dict[str, Any], by: str, column: str) -> dict[str, int]:
    """Sums of a column of buckets by lane or kind."""
    totals: dict[str, int] = {}
    for name, count in zip(buckets[by], buckets[column], strict=True):
        totals[name] = totals.get(name, 0) + int(count)
    return totals
