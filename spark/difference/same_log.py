"""Whether two dumps of a partition are of one log: proven by the records that both have, as two clusters may have topics of one name.

A record keeps its offset, time and key for as long as it exists. One offset with two of them shows two logs; enough that agree, and
none that does not, show one. A copy of a topic that keeps offsets and times, such as a restored backup, counts as the same log up
to where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.tables.replica import IN_REPLICA, PartitionReplica
from spark.terms.marked import UNNAMED

RECORDS_AGREEING = 3  # two services do not write as many with the same offset, key and time
RECORDS = f"""
    SELECT "offset", timestamp_ms, hash(key) AS key_hash FROM records
    WHERE {IN_REPLICA} AND control_type IS NULL AND timestamp_ms >= 0
"""


def may_be_same(ours: PartitionReplica, theirs: PartitionReplica) -> bool:
    """Whether two dumps are of a partition with the same name, as far as their layouts name the topic."""
    is_topic = ours.topic == theirs.topic or UNNAMED in (ours.topic, theirs.topic)
    return is_topic and ours.partition == theirs.partition


def is_one_log(ours: Iterable[dict[str, Any]], theirs: Iterable[dict[str, Any]]) -> bool:
    """Of rows of RECORDS: every offset that both dumps have is the same record, and there are enough of them."""
    before, after = (
        {row["offset"]: (row["timestamp_ms"], row["key_hash"]) for row in rows} for rows in (ours, theirs)
    )
    shared = before.keys() & after.keys()
    return len(shared) >= RECORDS_AGREEING and all(before[offset] == after[offset] for offset in shared)
