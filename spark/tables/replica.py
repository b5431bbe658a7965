"""A copy of a partition: what names it in rows, in SQL and in code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Row = Mapping[str, Any]
REPLICA_COLUMNS = "topic, partition, replica"  # in SQL

# The values of REPLICA_COLUMNS. No class statement: the class of this name is the web's, which pages and addresses know.
PartitionReplica = NamedTuple("PartitionReplica", [("topic", str), ("partition", int), ("replica", str)])  # noqa: UP014


def quoted(text: str) -> str:
    """A text as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def replica_of(row: Row) -> PartitionReplica:
    """The partition's copy a row belongs to: the values of REPLICA_COLUMNS."""
    return PartitionReplica(row["topic"], row["partition"], row["replica"])


def by_replica(rows: Iterable[Row]) -> dict[PartitionReplica, list[Row]]:
    """Rows by the partition's copy that they belong to."""
    groups: dict[PartitionReplica, list[Row]] = defaultdict(list)
    for row in rows:
        groups[replica_of(row)].append(row)
    return groups


def replica_columns(replica: PartitionReplica) -> dict[str, Any]:
    """The other way round: a row with the values of REPLICA_COLUMNS alone."""
    topic, partition, name = replica
    return {"topic": topic, "partition": partition, "replica": name}


def is_of(replica: PartitionReplica) -> str:
    """Condition in SQL: rows of one copy of a partition."""
    topic, partition, name = replica
    return f"({REPLICA_COLUMNS}) = ({quoted(topic)}, {partition}, {quoted(name)})"
