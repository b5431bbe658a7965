"""Sides of a comparison, the copies of partitions they hold, and which copy is set beside which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from spark.compare.replicas import brokers_of, is_leftover
from spark.compare.tables import OTHER, ComparedTables, copy_views
from spark.sources import lacks_in, sources
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica
from spark.tables.store import ResultTables, Rows
from spark.terms.marked import partition_name


@dataclass(frozen=True)
class ComparedInput:
    """One inspection, or a part of it; `label` is what people call it. None: all."""

    manifest: Manifest
    label: str
    topic: str | None = None
    partition: int | None = None
    replica: str | None = None

    def takes(self, topic: str, partition: int, replica: str) -> bool:
        """Whether a copy belongs to this side."""
        criteria = ((self.topic, topic), (self.partition, partition), (self.replica, replica))
        return all(want is None or want == have for want, have in criteria)


@dataclass(frozen=True)
class PartitionCopy:
    """One copy of one partition. `start_offset` is where its log begins, `end_offset` its last offset: compaction may have removed the
    records there, so that its first record comes later and its last one earlier."""

    topic: str
    partition: int
    replica: str
    label: str
    records: int
    start_offset: int
    end_offset: int
    lacks: frozenset[str] = field(default_factory=frozenset)
    layouts: frozenset[str] = field(default_factory=frozenset)
    first_record_offset: int | None = None
    last_record_offset: int | None = None

    @property
    def partition_name(self) -> str:
        """`topic-0`."""
        return partition_name(self.topic, self.partition)

    @property
    def full_name(self) -> str:
        """`topic-0 (replica)`; without a replica's name `topic-0`."""
        return PartitionReplica(self.topic, self.partition, self.replica).name

    def parameters(self, side: str) -> dict[str, Any]:
        return {
            f"{side}_topic": self.topic,
            f"{side}_partition": self.partition,
            f"{side}_replica": self.replica,
        }


@dataclass(frozen=True)
class CopyPair:
    """Two copies set beside each other."""

    left: PartitionCopy
    right: PartitionCopy

    def copy(self, side: str) -> PartitionCopy:
        return self.left if side == "left" else self.right

    @property
    def earlier(self) -> str:
        """`left` or `right`: the log that ends first; of two that end alike the one with more records."""
        left, right = ((copy.end_offset, -copy.records) for copy in (self.left, self.right))
        return "left" if left <= right else "right"

    @property
    def overlap(self) -> tuple[int, int]:
        """First and last offset that both could hold."""
        return max(self.left.start_offset, self.right.start_offset), min(
            self.left.end_offset, self.right.end_offset
        )

    @property
    def parameters(self) -> dict[str, Any]:
        return self.left.parameters("left") | self.right.parameters("right")

    def can_tell(self, member: str) -> bool:
        """Whether both layouts carry it (a key of `spark.sources.LACKS`)."""
        return member not in self.left.lacks | self.right.lacks


@dataclass(frozen=True)
class CompactionTables:
    """The tables of a pair of which the side `after` holds what a compaction left of the other: `before_records`,
    `after_records` and so on (`copy_views`)."""

    tables: ResultTables
    pair: CopyPair
    after: str

    @classmethod
    def of(cls, tables: ResultTables, pair: CopyPair, after: str) -> CompactionTables:
        values = pair.parameters
        views = copy_views("before", OTHER[after], values) | copy_views("after", after, values)
        return cls(tables.restricted(views), pair, after)

    @property
    def before(self) -> str:
        return OTHER[self.after]

    def rows(self, query: str, **values: Any) -> Rows:
        return self.tables.rows(query, values)

    def arrow(self, query: str, **values: Any) -> pa.Table:
        return self.tables.arrow(query, values)


@dataclass(frozen=True)
class ComparedPairs:
    """What is compared, and the partitions that only one side has."""

    pairs: list[CopyPair]
    only_left: list[str]
    only_right: list[str]


# A log begins at the base offset of its first segment, which may hold nothing any more, and ends where its last batch does.
COPIES = """
    WITH kept AS (
        SELECT topic, "partition", replica, count(*) AS records, min("offset") AS first_offset,
            max("offset") AS last_offset, list(DISTINCT file) AS files
        FROM left_records GROUP BY ALL
    ),
    logs AS (
        SELECT topic, "partition", replica, min(base_offset) AS start_offset FROM left_files
        WHERE kind = 'segment' AND base_offset IS NOT NULL GROUP BY ALL
    ),
    ends AS (SELECT topic, "partition", replica, max(last_offset) AS end_offset FROM left_batches GROUP BY ALL)
    SELECT topic, "partition", replica, records, files,
        least(first_offset, coalesce(start_offset, first_offset)) AS start_offset,
        greatest(last_offset, coalesce(end_offset, last_offset)) AS end_offset,
        first_offset AS first_record_offset, last_offset AS last_record_offset
    FROM kept LEFT JOIN logs USING (topic, "partition", replica) LEFT JOIN ends USING (topic, "partition", replica)
    ORDER BY topic, "partition", replica
"""


def copies(side: ComparedInput) -> list[PartitionCopy]:
    """The copies of a side that hold records, in order; a folder left over from a deletion only when asked for."""
    with ComparedTables(side.manifest, side.manifest).open() as tables:
        files = {row["file"]: row for row in tables.rows("SELECT file, layout, cannot_tell FROM left_files")}
        return [
            _copy(side, row, files)
            for row in tables.rows(COPIES)
            if side.takes(row["topic"], row["partition"], row["replica"])
            and (side.replica is not None or not is_leftover(row["replica"]))
        ]


def brokers(side: ComparedInput) -> dict[str, str]:
    """What tells the brokers apart that the copies lie on, by replica."""
    with ComparedTables(side.manifest, side.manifest).open() as tables:
        return {row["replica"]: row["broker"] for row in tables.rows(brokers_of("left_properties"))}


def _copy(side: ComparedInput, row: dict[str, Any], files: dict[int, dict[str, Any]]) -> PartitionCopy:
    own = [files[file] for file in row["files"] if file in files and files[file]["layout"] in sources()]
    return PartitionCopy(
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        label=row["replica"] or side.label,
        records=row["records"],
        start_offset=row["start_offset"],
        end_offset=row["end_offset"],
        first_record_offset=row["first_record_offset"],
        last_record_offset=row["last_record_offset"],
        lacks=frozenset().union(
            *(sources()[file["layout"]].lacks | lacks_in(file["cannot_tell"]) for file in own)
        ),
        layouts=frozenset(file["layout"] for file in own),
    )


def pairs(left: list[PartitionCopy], right: list[PartitionCopy]) -> ComparedPairs:
    """Copies of the same partition; where each side holds one copy only, these two, whatever they are called."""
    if len(left) == len(right) == 1:
        return ComparedPairs([CopyPair(left[0], right[0])], [], [])
    matches = [pair for copy in left for pair in _beside(copy, left, right)]
    return ComparedPairs(
        matches,
        _names(set(left) - {pair.left for pair in matches}),
        _names(set(right) - {pair.right for pair in matches}),
    )


def _beside(copy: PartitionCopy, left: list[PartitionCopy], right: list[PartitionCopy]) -> list[CopyPair]:
    """The copy of the same name; every copy where one of the sides has no choice of names."""
    siblings = [sibling for sibling in left if sibling.partition_name == copy.partition_name]
    others = [other for other in right if other.partition_name == copy.partition_name]
    if len(siblings) > 1 and len(others) > 1:
        others = [other for other in others if other.replica == copy.replica]
    return [CopyPair(copy, other) for other in others]


def _names(copies: Iterable[PartitionCopy]) -> list[str]:
    return sorted(copy.full_name for copy in copies)
