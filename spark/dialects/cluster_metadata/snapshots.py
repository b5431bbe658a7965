"""Which snapshot a controllers' log starts from.

The head of the log is deleted up to the oldest snapshot that is kept, whole segments only: the log's first records may lie
before that snapshot and are in it. A node loads the snapshot, then the log from the snapshot's end on (KIP-630). A
snapshot is a topic of its own here, `__cluster_metadata snapshot <end offset>-<epoch>`.
"""

from __future__ import annotations

import re

from spark.tables.replica import PartitionReplica, quoted
from spark.tables.store import ResultTables

MARK = " snapshot "  # in a snapshot's topic, behind the log's
SNAPSHOT = re.compile(rf"(.+){MARK}([0-9]{{1,18}})-[0-9]+")
BASE = """
    WITH starts AS (
        SELECT min(base_offset) AS start_offset FROM files
        WHERE kind = 'segment' AND topic = {topic} AND partition = {partition} AND replica = {replica}
    ),
    snapshots AS (
        SELECT DISTINCT topic, replica,
            TRY_CAST(regexp_extract(topic, '{mark}([0-9]+)-[0-9]+$', 1) AS BIGINT) AS end_offset
        FROM files
        WHERE kind = 'segment' AND starts_with(topic, {topic} || '{mark}') AND partition = {partition}
    )
    SELECT topic, replica, end_offset FROM snapshots, starts
    WHERE start_offset > 0 AND end_offset >= start_offset
    ORDER BY end_offset, replica <> {replica}, replica, topic LIMIT 1
"""


def base(log: PartitionReplica, tables: ResultTables) -> tuple[PartitionReplica, int] | None:
    """The snapshot with the state before the log's first record, and the offset at which it ends."""
    topic, partition, replica = log
    query = BASE.format(topic=quoted(topic), partition=partition, replica=quoted(replica), mark=MARK)
    for row in tables.rows(query):
        return PartitionReplica(row["topic"], partition, row["replica"]), row["end_offset"]
    return None


def snapshot_of(topic: str) -> tuple[str, int] | None:
    """The log of a snapshot, and the offset at which it ends (exclusive)."""
    named = SNAPSHOT.fullmatch(topic)
    return (named[1], int(named[2])) if named else None
