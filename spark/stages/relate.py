"""Relate: each task takes one bucket of the key index and tells every record what came before and after it by key.

A bucket holds all records of its keys, so that no task needs another one's rows. Rows are sorted by
(partition, key hash, offset) with numpy; keys are told apart by 128 bits of hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.storage.stored_path import result_path
from spark.tables import Part
from spark.tables.key_index import group_edges, number_replicas, read_bucket
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica

KINDS = ("create", "update", "tombstone", "revive", "control", "restart")
CREATE, UPDATE, TOMBSTONE, REVIVE, CONTROL, RESTART = range(len(KINDS))
NO_REPEAT = np.iinfo(np.int64).max
NOTHING = np.int64(-1)


@dataclass(frozen=True)
class Related:
    """`keys`: number of distinct keys. `first_repeat`: by replica the lowest offset whose key occurs at a lower offset, too."""

    parts: list[Part]
    keys: int
    first_repeat: dict[PartitionReplica, int]


@dataclass(frozen=True)
class KeyIndexBucket:
    """One bucket of the key index as arrays; `number` is that of each row's replica in `replicas`."""

    rows: pa.Table
    number: np.ndarray
    replicas: list[PartitionReplica]
    offset: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """A column without nulls as an array."""
        return self.rows.column(name).to_numpy()


def relate_bucket(bucket: int, paths: Sequence[str], results: str) -> Related:
    """Relate one bucket of every split's key index. Runs in a Spark task."""
    rows = read_bucket(bucket, paths)
    number, replicas = number_replicas(rows)
    index = KeyIndexBucket(rows, number, replicas, rows.column("offset").to_numpy())
    keyed = np.flatnonzero(index.column("has_key") & ~index.column("is_control"))
    order = keyed[by_key(index, keyed)]
    edges = group_edges(
        index.number[order], *(index.column(name)[order] for name in ("key_hash_1", "key_hash_2"))
    )
    previous, following = neighbours(index.offset, order, edges)
    with PartWriter.of_task(result_path(results), bucket) as writer:
        writer.write("lifelines", key_history(index, previous, following, kinds(index, order, edges)))
        writer.write("keys", keys(index, order, edges))
        return Related(writer.finish(), len(edges), first_repeats(index, previous))


def by_key(index: KeyIndexBucket, chosen: np.ndarray) -> np.ndarray:
    """The order of the chosen rows by partition, key, offset; a repeated offset in file order.

    Rows that come in order of offset from one partition need one sort, by the first half of the hash, unless two keys
    share that half.
    """
    first, second = (index.column(name)[chosen] for name in ("key_hash_1", "key_hash_2"))
    offsets = index.offset[chosen]
    if len(index.replicas) == 1 and (np.diff(offsets) > 0).all():
        order = np.argsort(first, kind="stable")
        if not ((np.diff(first[order]) == 0) & (np.diff(second[order]) != 0)).any():
            return order
    names = ("batch_position", "file")
    filled = [pc.fill_null(index.rows.column(name), 0).to_numpy()[chosen] for name in names]
    return np.lexsort((*filled, offsets, second, first, index.number[chosen]))


def neighbours(offset: np.ndarray, order: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Offset of the record before and after each row by key, NOTHING where there is none."""
    previous = np.full(len(offset), NOTHING)
    following = np.full(len(offset), NOTHING)
    linked = np.ones(len(order), dtype=bool)
    linked[edges] = False
    later = np.flatnonzero(linked)
    previous[order[later]] = offset[order[later - 1]]
    following[order[later - 1]] = offset[order[later]]
    return previous, following


def kinds(index: KeyIndexBucket, order: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """An index into KINDS for each row."""
    is_null = index.column("value_is_null")
    after_null = np.zeros(len(is_null), dtype=bool)
    after_null[order[1:]] = is_null[order[:-1]]
    is_later = np.zeros(len(is_null), dtype=bool)
    is_later[order] = True
    is_later[order[edges]] = False
    kind = np.where(is_later, np.where(after_null, REVIVE, UPDATE), CREATE)
    kind[is_null] = TOMBSTONE
    kind[is_restart(index)] = RESTART
    kind[index.column("is_control")] = CONTROL
    return kind


def is_restart(index: KeyIndexBucket) -> np.ndarray:
    """Records that a service writes at its start: their null value deletes nothing."""
    return pc.fill_null(pc.equal(index.rows.column("entry_action"), "restart"), False).to_numpy()


def key_history(
    index: KeyIndexBucket, previous: np.ndarray, following: np.ndarray, kind: np.ndarray
) -> pa.Table:
    """Rows of `lifelines`, sorted by partition and offset."""
    columns = {
        "previous_offset": pa.array(previous, mask=previous == NOTHING),
        "superseded_by": pa.array(following, mask=following == NOTHING),
        "kind": pa.DictionaryArray.from_arrays(pa.array(kind, pa.int8()), list(KINDS)).cast(pa.string()),
    }
    rows = index.rows
    for name, column in columns.items():
        rows = rows.append_column(name, column)
    if len(index.replicas) == 1 and (np.diff(index.offset) > 0).all():
        return rows
    return rows.take(pa.array(np.lexsort((index.offset, index.number))))


def keys(index: KeyIndexBucket, order: np.ndarray, edges: np.ndarray) -> pa.Table:
    """Rows of `keys`: one per distinct key of a partition."""
    if not len(edges):
        return pa.table({})
    last = order[np.r_[edges[1:], len(order)] - 1]
    is_tombstone = index.column("value_is_null") & ~is_restart(index)
    sizes = (index.column("key_size_bytes").astype(np.int64) + index.column("value_size_bytes"))[order]
    total = np.add.reduceat(sizes, edges)
    live = np.where(is_tombstone[last], 0, sizes[np.r_[edges[1:], len(order)] - 1])
    taken = index.rows.select(
        ["topic", "partition", "replica", "key_hash_1", "key_hash_2", "entry_type"]
    ).take(pa.array(last))
    added = {
        "key": key_bytes(index, order, edges),
        "first_offset": pa.array(index.offset[order[edges]]),
        "last_offset": pa.array(index.offset[last]),
        "versions": pa.array(np.diff(np.r_[edges, len(order)])),
        "tombstones": pa.array(np.add.reduceat(is_tombstone[order].astype(np.int64), edges)),
        "live_bytes": pa.array(live),
        "dead_bytes": pa.array(total - live),
    }
    for name, column in added.items():
        taken = taken.append_column(name, column)
    return taken


def key_bytes(index: KeyIndexBucket, order: np.ndarray, edges: np.ndarray) -> pa.ChunkedArray:
    """The index has the bytes of a key only at some of its records."""
    carries = pc.is_valid(index.rows.column("key")).to_numpy()[order]
    bearer = np.maximum.reduceat(np.where(carries, np.arange(len(order)), 0), edges)
    return index.rows.column("key").take(pa.array(order[bearer]))


def first_repeats(index: KeyIndexBucket, previous: np.ndarray) -> dict[PartitionReplica, int]:
    """By replica the lowest offset whose key occurs at a lower offset, too; below it, keys are unique."""
    repeats = np.flatnonzero(previous != NOTHING)
    lowest = np.full(len(index.replicas), NO_REPEAT)
    np.minimum.at(lowest, index.number[repeats], index.offset[repeats])
    return {
        replica: int(offset)
        for replica, offset in zip(index.replicas, lowest, strict=True)
        if offset != NO_REPEAT
    }


def lowest_repeats(related: Iterable[Related]) -> dict[PartitionReplica, int]:
    """`first_repeat` of all buckets together."""
    lowest: dict[PartitionReplica, int] = {}
    for related_bucket in related:
        for replica, offset in related_bucket.first_repeat.items():
            lowest[replica] = min(offset, lowest.get(replica, offset))
    return lowest
