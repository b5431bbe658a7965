"""Companion files of a log: indexes, snapshots, checkpoints, and leftovers that are no part of the log.

    Offset index (`*.index`)     => (relative_offset:int32 position:int32)*            no header, no checksum
    Time index   (`*.timeindex`) => (timestamp_ms:int64 relative_offset:int32)*

Source: Kafka `OffsetIndex.java`, `TimeIndex.java`. A live index is preallocated and ends in zero entries. The
other files are recognised by name and not read yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.tables import INDEX_ENTRIES

OFFSET_ENTRY = np.dtype([("offset", ">i4"), ("position", ">i4")])
TIME_ENTRY = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])
MOST_INDEX_BYTES = 64 * 1024 * 1024  # a broker's default is 10 MB; more is no index

INDEX_NAME = re.compile(r"^(\d{20})\.(index|timeindex)$")
LEFTOVER_NAME = re.compile(r"^\d{20}.*\.(deleted|cleaned|swap|tmp)$")
NAMES = (
    (re.compile(r"^\d{20}\.index$"), "offset index"),
    (re.compile(r"^\d{20}\.timeindex$"), "time index"),
    (re.compile(r"^\d{20}\.txnindex$"), "index of aborted transactions"),
    (re.compile(r"^\d{20}\.snapshot$"), "producer state snapshot"),
    (re.compile(r"^leader-epoch-checkpoint(\.tmp)?$"), "leader epochs of the partition"),
    (re.compile(r"^partition\.metadata(\.tmp)?$"), "id of the partition's topic"),
    (
        re.compile(r"^(recovery-point-offset|replication-offset|log-start-offset|cleaner-offset)-checkpoint$"),
        "offsets of the broker's partitions",
    ),
    (re.compile(r"^meta\.properties(\.tmp)?$"), "identity of the broker"),
    (re.compile(r"^(quorum-state|bootstrap\.checkpoint|\d{20}-\d{10}\.checkpoint)$"), "state of the controllers"),
    (re.compile(r"^\.(lock|kafka_cleanshutdown)$"), "mark of the broker's process"),
)  # fmt: skip
LEFTOVERS = {
    "deleted": "a file the broker was about to delete",
    "cleaned": "an unfinished output of the log cleaner",
    "swap": "an output of the log cleaner that was about to replace segments",
    "tmp": "an unfinished file",
}


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By name alone."""
    name = PurePosixPath(file.name).name
    leftover = LEFTOVER_NAME.match(name)
    if leftover:
        return Recognition(True, f"{LEFTOVERS[leftover[1]]}: no part of the log, so it is not read", 95)
    for pattern, what in NAMES:
        if pattern.match(name):
            return Recognition(True, f"by its name: {what}", 95)
    return Recognition(False, "its name is not that of an index, a snapshot or a checkpoint of a log")


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split for an index that holds anything; the other companions are not read."""
    if not INDEX_NAME.match(PurePosixPath(file.name).name) or not file.size_bytes:
        return []
    end = min(file.size_bytes, MOST_INDEX_BYTES)
    return [Split(number, file.path, file.name, "companion", 0, end, topic, partition, replica)]


def read(split: Split) -> Iterator[Chunk]:
    """The entries of an index."""
    name = INDEX_NAME.match(PurePosixPath(split.name).name)
    assert name is not None, "only indexes are split"
    with Path(split.path).open("rb") as stream:
        content = stream.read(split.end)
    entry = OFFSET_ENTRY if name[2] == "index" else TIME_ENTRY
    entries = np.frombuffer(content, entry, count=len(content) // entry.itemsize)
    yield Chunk(others={"index_entries": rows(split, int(name[1]), used(entries))})


def used(entries: np.ndarray) -> np.ndarray:
    """The entries before the preallocated ones: the first entry of zeros that is not the first of all ends them."""
    is_zero = entries == np.zeros(1, entries.dtype)
    ends = np.flatnonzero(is_zero[1:]) + 1
    kept = entries[: ends[0]] if len(ends) else entries
    return kept[1:] if len(ends) and ends[0] == 1 and is_zero[0] else kept


def rows(split: Split, base_offset: int, entries: np.ndarray) -> pa.Table:
    """Rows of INDEX_ENTRIES."""
    n = len(entries)
    is_offset_index = entries.dtype == OFFSET_ENTRY
    positions = pa.array(entries["position"].astype(np.int64)) if is_offset_index else pa.nulls(n, pa.int64())
    times = pa.nulls(n, pa.int64()) if is_offset_index else pa.array(entries["timestamp"].astype(np.int64))
    columns = [
        *(pa.repeat(value, n) for value in (split.topic, split.partition, split.replica, split.file)),
        pa.repeat(base_offset, n),
        pa.repeat("offset" if is_offset_index else "time", n),
        pa.array(entries["offset"].astype(np.int64) + base_offset),
        positions,
        times,
    ]
    return pa.table(columns, names=INDEX_ENTRIES.schema.names).cast(INDEX_ENTRIES.schema)


source = Source(
    id="companion",
    title="Companion file of a log",
    kind="companion",
    lacks=frozenset(),
    recognise=recognise,
    split=split,
    read=read,
)
