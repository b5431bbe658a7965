"""Numbered: files that print no offsets. Their records are numbered in the order of the print; the numbers are no offsets.

Nothing is computed from such numbers: not what compaction would remove, nor which records of copies belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spark.sources import LACKS
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, replica_of
from spark.tables.store import ResultTables

NO_OFFSETS = LACKS["offset"]
NUMBERED_FILES = f"SELECT file FROM files WHERE list_contains(cannot_tell, '{NO_OFFSETS}')"
NUMBERED = f"""
    SELECT {REPLICA_COLUMNS} FROM runs JOIN (SELECT file, cannot_tell FROM files) USING (file)
    GROUP BY ALL HAVING bool_and(coalesce(list_contains(cannot_tell, '{NO_OFFSETS}'), false))
"""


def is_numbered(file: Row) -> bool:
    """`file`: its row of the table `files`."""
    return NO_OFFSETS in (file["cannot_tell"] or ())


def with_numbering(
    tables: ResultTables, rows: Iterable[Row], replica: Callable[[Row], PartitionReplica] = replica_of
) -> list[dict[str, Any]]:
    """Rows with `is_numbered`: their copy of a partition, by default that of their own columns, has no offsets."""
    rows = list(rows)
    numbered = numbered_replicas(tables) if rows else set()
    return [{**row, "is_numbered": replica(row) in numbered} for row in rows]


def numbered_replicas(tables: ResultTables) -> set[PartitionReplica]:
    """Copies of partitions without any offset."""
    return {replica_of(row) for row in tables.rows(NUMBERED)}
