"""Which rows of a table a reader gives: of some topics, of some partitions, within a range of offsets.

A selection is exact: what `rows` leaves is what the conditions say, whatever was skipped before it without being read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

MIN_OFFSET, MAX_OFFSET = -(2**63), 2**63 - 1  # of the column; a dump may name an offset that no log has
# First and last offset that a row of a table stands for. Null in a row of damage: unknown, so the row is always given.
OFFSET_COLUMNS = {
    "records": ("offset", "offset"),
    "entries": ("offset", "offset"),
    "batches": ("base_offset", "last_offset"),
    "damage": ("first_offset", "last_offset"),
}


@dataclass(frozen=True)
class ReadSelection:
    """Conditions that all hold. None: every topic, every partition. Both offsets are included."""

    topics: frozenset[str] | None = None
    partitions: frozenset[int] | None = None
    first_offset: int = MIN_OFFSET
    last_offset: int = MAX_OFFSET

    @property
    def has_range(self) -> bool:
        """Whether some offsets are left out."""
        return self.first_offset > MIN_OFFSET or self.last_offset < MAX_OFFSET

    def reads(self, topic: str, partition: int) -> bool:
        """Whether rows of a partition are given at all."""
        return (self.topics is None or topic in self.topics) and (
            self.partitions is None or partition in self.partitions
        )

    def of_topics(self, names: frozenset[str]) -> ReadSelection:
        """These topics, if they are selected already."""
        return replace(self, topics=names if self.topics is None else self.topics & names)

    def of_partitions(self, numbers: frozenset[int]) -> ReadSelection:
        """These partitions, if they are selected already."""
        return replace(self, partitions=numbers if self.partitions is None else self.partitions & numbers)

    def within(self, first: int, last: int) -> ReadSelection:
        """The offsets of this range, as far as they are selected already."""
        return replace(
            self, first_offset=max(self.first_offset, first), last_offset=min(self.last_offset, last)
        )

    def rows(self, table: str, rows: pa.Table) -> pa.Table:
        for name, chosen in (("topic", self.topics), ("partition", self.partitions)):
            if chosen is not None and name in rows.column_names:
                column = rows.column(name)
                rows = rows.filter(pc.is_in(column, pa.array(sorted(chosen), column.type)))
        return rows.filter(self._overlaps(table, rows)) if self.has_range else rows

    def _overlaps(self, table: str, rows: pa.Table) -> pa.ChunkedArray:
        first, last = (rows.column(name) for name in OFFSET_COLUMNS[table])
        ends_after = pc.fill_null(pc.greater_equal(last, self.first_offset), True)
        begins_before = pc.fill_null(pc.less_equal(first, self.last_offset), True)
        return pc.and_(ends_after, begins_before)
