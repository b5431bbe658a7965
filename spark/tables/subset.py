"""A subset of an inspection's partitions: what one task of a stage reads, so that no task reads them all.

The replicas of a partition stay together. Tables are restricted in SQL; row groups of other partitions are left out by
their statistics. The last subset takes what no other names, so each row of a table is in exactly one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from spark.tables.replica import quoted

Partition = tuple[str, int]  # topic, partition
T = TypeVar("T")

# Tables whose rows are of one partition each, and of which there may be as many as records or batches.
OF_PARTITIONS = frozenset(
    {
        "records", "batches", "damage", "runs", "lifelines", "marks", "keys", "entries", "state", "refusals", "transactions",
        "gaps", "epochs", "formats", "cleanings", "index_entries", "fetch_faults", "epoch_entries", "aborted_txns", "producer_states",
        "older_entities", "older_deletions", "files",
    }
)  # fmt: skip

# Dumps, whose lines name the partitions, and files of a broker, which lie in no partition's folder.
OF_MANY = "kind = 'export' OR (kind = 'companion' AND topic = '?')"


@dataclass(frozen=True)
class PartitionSubset:
    """Some partitions, or all but some. `tables`: those that are restricted to them."""

    number: int
    partitions: frozenset[Partition]
    is_rest: bool = False
    tables: frozenset[str] = OF_PARTITIONS

    @property
    def is_everything(self) -> bool:
        """Whether no partition is left out."""
        return self.is_rest and not self.partitions

    def condition_of(self, table: str) -> str:
        """In SQL: which rows of a table are asked. Files that have rows of many partitions are always there."""
        return f"({OF_MANY} OR {self.condition})" if table == "files" else self.condition

    @property
    def condition(self) -> str:
        """In SQL: rows of these partitions. Topics stand alone, too: by them row groups are left out."""
        pairs = ", ".join(f"({quoted(topic)}, {number})" for topic, number in sorted(self.partitions))
        if self.is_rest:
            return f"(topic, partition) NOT IN ({pairs})"
        topics = ", ".join(sorted({quoted(topic) for topic, _ in self.partitions}))
        numbers = [number for _, number in self.partitions]
        return (
            f"topic IN ({topics}) AND partition BETWEEN {min(numbers)} AND {max(numbers)} "
            f"AND (topic, partition) IN ({pairs})"
        )


def bundled(items: Iterable[T], size_of: Callable[[T], int], max_size: int) -> list[list[T]]:
    """Items in order, as many together as weigh at most so much, or one that weighs more."""
    bundles: list[list[T]] = []
    room = 0
    for item in items:
        size = size_of(item)
        if not bundles or size > room:
            bundles.append([])
            room = max_size
        bundles[-1].append(item)
        room -= size
    return bundles


def subsets(
    records: Mapping[Partition, int], max_records: int, tables: frozenset[str] = OF_PARTITIONS
) -> list[PartitionSubset]:
    """Partitions in order, as many together as have at most so many records, or one with more; the rest last."""
    named = [
        frozenset(group)
        for group in bundled(sorted(records), lambda partition: records[partition], max_records)[:-1]
    ]
    those = [PartitionSubset(number, group, False, tables) for number, group in enumerate(named)]
    everything_else = frozenset[Partition]().union(*named)
    return [*those, PartitionSubset(len(named), everything_else, True, tables)]
