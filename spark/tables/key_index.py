"""The key index: what relate needs of each record (replica, key hash, sizes, kind of entry), bucketed by key hash.

A decode task writes one Arrow file with one record batch per bucket; a relate task reads its bucket from every
file and so sees every record of its keys. Nothing travels through the JVM (docs/decisions/0003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.storage.address import is_address
from spark.storage.copies import local_path, opened_by_ranges, store
from spark.storage.stored_path import ResultPath
from spark.tables.replica import PartitionReplica

KEY_INDEX = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("replica", pa.string()),
        ("offset", pa.int64()),
        ("file", pa.int32()),
        ("batch_position", pa.int64()),
        ("timestamp_ms", pa.int64()),
        ("key_hash_1", pa.int64()),
        ("key_hash_2", pa.int64()),
        ("key", pa.binary()),  # only at the first record of a partition's key in its chunk
        ("has_key", pa.bool_()),
        ("value_is_null", pa.bool_()),
        ("is_control", pa.bool_()),
        ("key_size_bytes", pa.int32()),
        ("value_size_bytes", pa.int32()),
        ("entry_type", pa.string()),
        ("entry_action", pa.string()),
    ]
)

SPREADS = np.uint64(0x9E3779B97F4A7C15)  # an odd number: partitions far apart in 64 bits


@dataclass(frozen=True)
class Buckets:
    """How rows are dealt out: to so many buckets, those of a replica in `ranges` to a range of its own."""

    count: int
    # First bucket, number of buckets.
    ranges: Mapping[PartitionReplica, tuple[int, int]] = field(default_factory=dict)

    def of(self, replica: PartitionReplica) -> tuple[int, int]:
        """First bucket of a replica and how many it has: all, where nothing else is said."""
        return self.ranges.get(replica, (0, self.count))


def key_index_rows(records: pa.Table) -> pa.Table:
    """The narrow rows relate works on; key bytes only once per key of a partition and chunk."""
    hashes = records.column("key_hash_1").to_numpy()
    number, replicas = number_replicas(records)
    if len(replicas) > 1:  # a dump of several partitions
        hashes = hashes ^ (number.astype(np.uint64) * SPREADS).view(np.int64)
    _, firsts = np.unique(hashes, return_index=True)
    is_first = np.zeros(records.num_rows, dtype=bool)
    is_first[firsts] = True
    added = {
        "has_key": pc.invert(records.column("key_is_null")),
        "is_control": pc.is_valid(records.column("control_type")),
        "key": pc.if_else(pa.array(is_first), records.column("key"), None),
    }
    columns = [added[name] if name in added else records.column(name) for name in KEY_INDEX.names]
    return pa.table(columns, schema=KEY_INDEX)


def write_key_index(path: ResultPath, chunks: list[pa.Table], buckets: Buckets) -> str:
    """Write the key index with one record batch per bucket; records without a key are spread by offset."""
    rows = pa.concat_tables(chunks).combine_chunks()
    local = local_path(str(path))
    local.parent.mkdir(parents=is_address(str(path)), exist_ok=True)
    hashes = rows.column("key_hash_1").to_numpy()
    spread = np.where(rows.column("has_key").to_numpy(), hashes, rows.column("offset").to_numpy())
    number, replicas = number_replicas(rows)
    ranges = np.array([buckets.of(replica) for replica in replicas], np.uint64)[number]
    bucket = (ranges[:, 0] + (spread.view(np.uint64) >> np.uint64(8)) % ranges[:, 1]).astype(np.uint16)
    if buckets.count > 1:
        rows = rows.take(pa.array(np.argsort(bucket, kind="stable"))).combine_chunks()
    ends = np.cumsum(np.bincount(bucket, minlength=buckets.count))
    with (
        pa.OSFile(str(local), "wb") as sink,
        pa.ipc.new_file(sink, KEY_INDEX, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer,
    ):
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            batches = rows.slice(start, end - start).to_batches()
            writer.write_batch(batches[0] if batches else pa.RecordBatch.from_pylist([], schema=KEY_INDEX))
    store(str(path))
    return str(path)


def read_bucket(bucket: int, paths: Sequence[str]) -> pa.Table:
    """The rows of one bucket from every task's file, in one chunk; a file may be older than the last buckets.

    Of a file in a store no other bucket is fetched.
    """
    batches = []
    for path in paths:
        with opened_by_ranges(path) as source:
            file = pa.ipc.open_file(source)
            if bucket < file.num_record_batches:
                batches.append(file.get_batch(bucket))
    return pa.Table.from_batches(batches, schema=KEY_INDEX).combine_chunks()


def group_edges(*columns: np.ndarray) -> np.ndarray:
    """Where a new group begins in rows sorted by these columns: the first row of each group."""
    changed = np.zeros(len(columns[0]), dtype=bool)
    if len(changed):
        changed[0] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


def codes(column: pa.ChunkedArray | pa.Array) -> tuple[np.ndarray, list[Any]]:
    """A column of few distinct values as integers, and the values they stand for."""
    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = encoded.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()


def number_replicas(rows: pa.Table) -> tuple[np.ndarray, list[PartitionReplica]]:
    """Number the partitions in the order of topic, partition, replica: the number of each row, and what the numbers stand for."""
    topics, topic_names = codes(rows.column("topic"))
    replicas, replica_names = codes(rows.column("replica"))
    partitions = rows.column("partition").to_numpy()
    code = ((topics.astype(np.int64) << 32) | partitions) * len(replica_names) + replicas
    if not len(code) or (code == code[0]).all():
        number, first = np.zeros(len(code), np.int64), np.zeros(min(len(code), 1), np.int64)
    else:
        _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return number, [
        PartitionReplica(topic_names[topics[i]], int(partitions[i]), replica_names[replicas[i]])
        for i in first
    ]


def partition_groups(rows: pa.Table) -> Iterator[tuple[PartitionReplica, pa.Table]]:
    """The rows of each (topic, partition, replica), in their order. Most chunks hold one."""
    numbers, replicas = number_replicas(rows)
    if len(replicas) == 1:
        yield replicas[0], rows
        return
    order = np.argsort(numbers, kind="stable")
    for replica, chosen in zip(replicas, np.split(order, group_edges(numbers[order])[1:]), strict=True):
        yield replica, rows.take(pa.array(chosen))
