"""Whether bytes belong to a segment: a change is only undone if a checksum, or at least a complete header, proves it."""

from __future__ import annotations

import numpy as np

from spark.sources.log_segment import batches as b
from spark.sources.log_segment.batches import Bytes
from spark.sources.log_segment.checksums import agrees

MAX_BATCH_BYTES = 1 << 30
MAX_FIRST_OFFSET = 1 << 48
NO_TIME_MS, LATEST_MS = -1, 1 << 42  # the year 2109


def array_of(content: bytes) -> Bytes:
    """Bytes in the form of the compiled readers."""
    return np.frombuffer(content, np.uint8)


def is_whole_batch(data: Bytes, position: int) -> bool:
    """Whether a batch or old message starts here and its checksum matches."""
    size = data.size
    starts = b.is_batch(data, position, size) or b.is_old_entry(data, position, size)
    return bool(starts) and agrees(data, position)


def begins_segment(data: Bytes) -> bool:
    """Whether the first byte starts a batch: an intact one, or the plausible header of a truncated one."""
    return is_whole_batch(data, 0) or is_cut_batch(data)


def is_cut_batch(data: Bytes) -> bool:
    """Whether all fields of a header of format 2 are consistent and the batch runs past the end."""
    if data.size < b.HEADER_BYTES or data[b.MAGIC_AT] != 2:
        return False
    declared = b.entry_size(data, 0)
    offset, delta, count = (int(b.number_at(data, *at)) for at in ((0, 8), (23, 4), (57, 4)))
    times = [int(b.number_at(data, at, 8)) for at in (27, 35)]
    return (
        data.size < declared <= MAX_BATCH_BYTES
        and 0 <= offset < MAX_FIRST_OFFSET
        and data[21] == 0
        and data[22] < 128
        and 0 < count <= delta + 1
        and all(NO_TIME_MS <= time < LATEST_MS for time in times)
    )


def end_of_batches(data: Bytes, position: int = 0) -> int:
    """The end of consecutive batches from here on; checksums are not checked."""
    return int(b.walk(data, position, data.size, -1, -1)[0])


def is_intact(data: Bytes) -> bool:
    """Whether batches with matching checksums fill the file."""
    position = 0
    while position < data.size:
        if not is_whole_batch(data, position):
            return False
        position += b.entry_size(data, position)
    return True


def first_whole_batch(data: Bytes, start: int, end: int) -> int:
    """The first batch that starts in `start`..`end` with a matching checksum, or -1."""
    position = start - 1
    while 0 <= (position := int(b.find_header(data, position + 1))) < end:
        if agrees(data, position):
            return position
    return -1
