"""A copy of a partition: what names it in rows, in SQL and in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
PartitionReplica = tuple[str, int, str]  # topic, partition, replica: the values of REPLICA_COLUMNS
REPLICA_COLUMNS = "topic, partition, replica"  # in SQL


def quoted(text: str) -> str:
    """A text as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def replica_of(row: Row) -> PartitionReplica:
    """The partition's copy a row belongs to: the values of REPLICA_COLUMNS."""
    return row["topic"], row["partition"], row["replica"]


def replica_columns(replica: PartitionReplica) -> dict[str, Any]:
    """The other way round: a row with the values of REPLICA_COLUMNS alone."""
    topic, partition, name = replica
    return {"topic": topic, "partition": partition, "replica": name}


def is_of(replica: PartitionReplica) -> str:
    """Condition in SQL: rows of one copy of a partition."""
    topic, partition, name = replica
    return f"({REPLICA_COLUMNS}) = ({quoted(topic)}, {partition}, {quoted(name)})"
