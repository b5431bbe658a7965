"""The lifelines of the records behind a partition's differences: what each replaces, and what replaces it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spark.detectors.compaction._differences import PartitionDifferences
from spark.tables.replica import IN_REPLICA, PartitionReplica, Row
from spark.tables.store import ResultTables

LIFELINES = f"""
    SELECT "offset", previous_offset, superseded_by, kind, entry_type FROM lifelines
    WHERE {IN_REPLICA} AND "offset" IN (SELECT unnest($offsets::BIGINT[]))
"""
FIRST_HOLDERS = f"""
    SELECT attributes ->> '$.tenantId' AS tenant, attributes ->> '$.contentHash' AS hash, min(origin_offset) AS "offset"
    FROM state_history
    WHERE {IN_REPLICA} AND entity_type = 'content' AND attributes ->> '$.contentHash' IN (SELECT unnest($hashes)) GROUP BY ALL
"""


@dataclass(frozen=True)
class KeyHistory:
    """Lifelines of the records in question, by offset, and which of them held a needed content first, by `content:_/b5f2`."""

    by_offset: dict[int, Row]
    first_holders: dict[str, int]

    @classmethod
    def of(cls, partition: PartitionDifferences, tables: ResultTables, retained: Iterable[int]) -> KeyHistory:
        """Of the records of a partition's differences, of what replaces them, and of those that would have to stay."""
        holders = first_holders(partition, tables)
        offsets = {*retained, *partition.dropped, *holders.values()}
        offsets.update(*(difference.offsets for difference in partition.differences))
        lifelines = lifelines_at(partition.replica, tables, offsets)
        successors = {record["superseded_by"] for record in lifelines.values()} - {None, *lifelines}
        return cls(lifelines | lifelines_at(partition.replica, tables, successors), holders)

    def at(self, offset: int | None) -> Row | None:
        return None if offset is None else self.by_offset.get(offset)

    def successor(self, offset: int) -> int | None:
        """The next record of the same key."""
        record = self.at(offset)
        return record["superseded_by"] if record else None


def lifelines_at(replica: PartitionReplica, tables: ResultTables, offsets: set[int]) -> dict[int, Row]:
    if not offsets:
        return {}
    rows = tables.rows(LIFELINES, {**replica._asdict(), "offsets": sorted(offsets)})
    return {row["offset"]: row for row in rows}


def first_holders(partition: PartitionDifferences, tables: ResultTables) -> dict[str, int]:
    """Where the contents that records will lack were first held, by `content:_/b5f2`."""
    needs = {str(row["needs"]) for row in partition.dropped.values()}
    hashes = {name.rpartition("/")[2] for name in needs if name.startswith("content:")}
    if not hashes:
        return {}
    rows = tables.rows(FIRST_HOLDERS, {**partition.replica._asdict(), "hashes": sorted(hashes)})
    return {f"content:{row['tenant'] or '_'}/{row['hash']}": row["offset"] for row in rows}
