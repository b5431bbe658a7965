"""The sides of a comparison. Two dumps are Before and After, the log that ends first being Before; copies within one input
keep their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from webapp.journals.models import Inspection

LEFT, RIGHT = "left", "right"
REPLICA_COLUMNS = ("topic", "partition", "replica")


@dataclass(frozen=True)
class ComparedSide:
    """One side; `side` is left or right as in docs/compare.md, `copy` what the document says of its copy."""

    side: str
    name: str
    inspection: Inspection
    copy: dict[str, Any]

    @property
    def end_offset(self) -> int:
        return int(self.copy.get("last_offset") or 0)

    @property
    def record_offsets(self) -> tuple[int, int] | None:
        """Offsets of the first and the last record, as the other pages say them; an older comparison has only those of the log."""
        first, last = self.copy.get("first_record_offset"), self.copy.get("last_record_offset")
        return None if first is None or last is None else (first, last)

    def record_url(self, offset: int | None) -> str:
        """Address of a record; empty if the offset is None."""
        return "" if offset is None else self._url("report-records", offset=offset)

    def entity_url(self, entity_type: str, entity_id: str) -> str:
        return self._url("report-entity", type=entity_type, id=entity_id)

    def _url(self, name: str, **query: Any) -> str:
        copy = {member: self.copy[member] for member in REPLICA_COLUMNS if self.copy.get(member, "") != ""}
        return f"{reverse(name, args=[self.inspection.pk])}?{urlencode({**copy, **query})}"


@dataclass(frozen=True)
class SidePair:
    """Both sides of a pair of copies."""

    before: ComparedSide
    after: ComparedSide

    @property
    def in_order(self) -> tuple[ComparedSide, ComparedSide]:
        return self.before, self.after

    def by_name(self, side: str) -> ComparedSide:
        """The side that the document calls `left` or `right`."""
        return self.before if self.before.side == side else self.after


def earlier_side(entry: dict[str, Any]) -> str:
    """The side whose log ends first; of two that end alike the one with more records."""
    states = entry.get("entities")
    if states:
        return str(states["before"])
    left, right = (
        (copy.get("last_offset", 0), -copy.get("records", 0)) for copy in (entry[LEFT], entry[RIGHT])
    )
    return LEFT if left <= right else RIGHT


def sides_of(entry: dict[str, Any], left: Inspection, right: Inspection, before: str) -> SidePair:
    """Both sides; `before` says which of left and right is Before."""
    inspections = {LEFT: left, RIGHT: right}
    after = RIGHT if before == LEFT else LEFT
    names = {before: "Before", after: "After"}
    if left == right:
        names = {side: str(entry[side].get("label", side)) for side in (LEFT, RIGHT)}
    before_side, after_side = (
        ComparedSide(side, names[side], inspections[side], entry[side]) for side in (before, after)
    )
    return SidePair(before_side, after_side)
