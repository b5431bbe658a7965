"""Offset index and time index: sparse maps into one segment.

    Offset index (`*.index`)     => (relative_offset:int32 position:int32)*            no header, no checksum
    Time index   (`*.timeindex`) => (timestamp_ms:int64 relative_offset:int32)*

Source: Kafka `OffsetIndex.java`, `TimeIndex.java`. A live index is preallocated and ends in zero entries.
"""

from __future__ import annotations

import numpy as np

from spark.sources.companion.names import MAX_OFFSET
from spark.sources.companion.rows import Read

OFFSET_ENTRY = np.dtype([("offset", ">i4"), ("position", ">i4")])
TIME_ENTRY = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])


def read_offsets(content: bytes, base_offset: int) -> Read:
    """Rows of INDEX_ENTRIES of an offset index."""
    entries = used(whole(content, OFFSET_ENTRY))
    columns = {
        **shared("offset", entries, base_offset),
        "position_bytes": entries["position"].astype(np.int64),
    }
    return Read("index_entries", columns, rest(content, OFFSET_ENTRY))


def read_times(content: bytes, base_offset: int) -> Read:
    """Rows of INDEX_ENTRIES of a time index."""
    entries = used(whole(content, TIME_ENTRY))
    columns = {**shared("time", entries, base_offset), "timestamp_ms": entries["timestamp"].astype(np.int64)}
    return Read("index_entries", columns, rest(content, TIME_ENTRY))


def shared(kind: str, entries: np.ndarray, base_offset: int) -> dict[str, object]:
    """The columns of both kinds; offsets are capped at the greatest possible one."""
    room = MAX_OFFSET - base_offset
    offsets = np.minimum(entries["offset"].astype(np.int64), room) + base_offset
    count = len(entries)
    return {"base_offset": np.full(count, base_offset, np.int64), "kind": [kind] * count, "offset": offsets}


def whole(content: bytes, entry: np.dtype) -> np.ndarray:
    return np.frombuffer(content, entry, count=len(content) // entry.itemsize)


def rest(content: bytes, entry: np.dtype) -> str | None:
    """What is wrong with the size, or None."""
    over = len(content) % entry.itemsize
    if not over:
        return None
    return (
        f"The index has {len(content):,} bytes, which is not a multiple of the entry size {entry.itemsize}: the last "
        f"{over} are left out. The file was truncated, or no broker wrote it."
    )


def used(entries: np.ndarray) -> np.ndarray:
    """The entries before the preallocated ones, which start at the first entry of zeros that is not the file's first."""
    is_zero = entries == np.zeros(1, entries.dtype)
    ends = np.flatnonzero(is_zero[1:]) + 1
    filled = entries[: ends[0]] if len(ends) else entries
    return filled[1:] if len(ends) and ends[0] == 1 and is_zero[0] else filled
