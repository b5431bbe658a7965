"""Which copy of a partition speaks for it, where an input holds several.

The one that reaches furthest; of equal ones the first by name. A snapshot says what its log once said: it speaks only
where the log is not in the input, and of several the newest.
"""

from __future__ import annotations

from typing import Any

from spark.dialects import dialects
from spark.tables.replica import PartitionReplica, replica_of
from spark.tables.store import ResultTables

ENDS = """
    SELECT topic, partition, replica, max("offset") AS last_offset FROM lifelines GROUP BY topic, partition, replica
"""


def speaking(tables: ResultTables) -> list[PartitionReplica]:
    """The replica that speaks for each partition, in order."""
    speakers: dict[tuple[str, int], tuple[Any, PartitionReplica]] = {}
    for row in tables.rows(ENDS):
        replica = replica_of(row)
        log, snapshot_end = snapshot_of(replica.topic) or (replica.topic, None)
        rank = (snapshot_end is not None, -(snapshot_end or 0), -row["last_offset"], replica)
        name = (log, replica.partition)
        speakers[name] = min(speakers.get(name, (rank, replica)), (rank, replica))
    return sorted(replica for _, replica in speakers.values())


def snapshot_of(topic: str) -> tuple[str, int] | None:
    """The log that a topic is a snapshot of, and the offset that it ends before; None for any other topic."""
    readers = (dialect.snapshot_of for dialect in dialects().values())
    return next(filter(None, (read(topic) for read in readers if read)), None)
