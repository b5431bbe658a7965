"""A copy of a partition: what names it in rows, in SQL and in code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from spark.terms.marked import partition_name

Row = Mapping[str, Any]
REPLICA_COLUMNS = "topic, partition, replica"  # in SQL
# Condition in SQL: rows of one copy of a partition. Values: those of the PartitionReplica, by name.
IN_REPLICA = '"topic" = $topic AND "partition" = $partition AND "replica" = $replica'


class PartitionReplica(NamedTuple):
    """One copy of one partition: the values of REPLICA_COLUMNS. `replica`: empty where there is only one copy."""

    topic: str
    partition: int
    replica: str = ""

    @property
    def name(self) -> str:
        """As people write it: `topic-0` (`partition 0`: the input names no topic), with the copy's folder where there are several."""
        return partition_name(self.topic, self.partition) + (f" ({self.replica})" if self.replica else "")


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
    return replica._asdict()


def is_of(replica: PartitionReplica) -> str:
    """Condition in SQL: rows of one copy of a partition."""
    return f"({REPLICA_COLUMNS}) = {literal(replica)}"


def literal(replica: PartitionReplica) -> str:
    """Its REPLICA_COLUMNS as a tuple in SQL."""
    topic, partition, name = replica
    return f"({quoted(topic)}, {partition}, {quoted(name)})"


def same_replica(table: str, other: str) -> str:
    """Condition in SQL: rows of two tables are of one copy of a partition."""
    return " AND ".join(f"{table}.{name} = {other}.{name}" for name in REPLICA_COLUMNS.split(", "))
