"""Records of a data file in sequence, and the ranges between them that are not records.

A record counts only if its encoding has its size. After damage the next one is searched byte by byte, up to a limit; another
record, or the end, must follow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spark.codecs.avro import AvroCursor, InvalidAvro
from spark.sources._lines.records import TextRecord, record

SIZE_BYTES = 4
MIN_RECORD_BYTES = 6
MAX_RECORD_BYTES = 256 * 1024 * 1024
SEARCHED_BYTES = 4 * 1024 * 1024
SCANNED_BYTES = 64 * 1024  # at a time
SECONDS_BELOW = 100_000_000_000  # a timestamp below it is seconds (year 5138), above it milliseconds (1973)


class FileContent(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, places: slice, /) -> bytes: ...


@dataclass(frozen=True)
class BackupFrame:
    """A record, its end, and the checksum that it carries over everything before it."""

    record: TextRecord
    end: int
    checkpoint: bytes | None


@dataclass(frozen=True)
class DamagedSpan:
    """A range without a record; `is_cut`: a record that the file ends within."""

    start: int
    end: int
    is_cut: bool


def frames(content: FileContent) -> Iterator[BackupFrame | DamagedSpan]:
    """All frames in order."""
    position = 0
    while position < len(content):
        frame = frame_at(content, position)
        if frame is not None:
            yield frame
            position = frame.end
            continue
        following = search(content, position + 1)
        is_cut = following == len(content) and is_cut_record(content, position)
        yield DamagedSpan(position, following, is_cut)
        position = following


def frame_at(content: FileContent, position: int) -> BackupFrame | None:
    """The record at a position, or None."""
    start = position + SIZE_BYTES
    size = int.from_bytes(content[position:start], "big")
    if not MIN_RECORD_BYTES <= size <= min(MAX_RECORD_BYTES, len(content) - start):
        return None
    cursor = AvroCursor(content[start : start + size])
    try:
        frame = _frame(cursor, position, start + size)
    except InvalidAvro:
        return None
    return frame if cursor.position == size else None


def _frame(cursor: AvroCursor, position: int, end: int) -> BackupFrame:
    key, value = cursor.optional(cursor.bytes_), cursor.optional(cursor.bytes_)
    pairs = cursor.array(lambda: (cursor.bytes_(), cursor.bytes_()))
    offset, timestamp = cursor.long(), cursor.long()
    checkpoint = cursor.optional(cursor.bytes_)
    if offset < 0:
        raise InvalidAvro("an offset is negative")
    time = milliseconds(timestamp)
    text_record = record(position, end, key, value, offset=offset, timestamp_ms=time, headers=pairs)
    return BackupFrame(text_record, end, checkpoint)


def milliseconds(timestamp: int) -> int | None:
    """Seconds or milliseconds, distinguished by size; negative: none."""
    if timestamp < 0:
        return None
    return timestamp * 1000 if timestamp < SECONDS_BELOW else timestamp


def search(content: FileContent, position: int) -> int:
    """Where the next record begins; the end of the file if none is near."""
    for start in possible_starts(content, position):
        frame = frame_at(content, start)
        if frame and (frame.end == len(content) or frame_at(content, frame.end)):
            return start
    return len(content)


def possible_starts(content: FileContent, begin: int) -> Iterator[int]:
    """Positions where four bytes are the size of a record that ends within the file, within the search range."""
    last = min(len(content) - SIZE_BYTES, begin + SEARCHED_BYTES - 1)
    for first in range(begin, last + 1, SCANNED_BYTES):
        count = min(SCANNED_BYTES, last + 1 - first)
        portion = np.frombuffer(content[first : first + count + SIZE_BYTES - 1], np.uint8).astype(np.uint32)
        parts = [portion[shift : shift + count] for shift in range(SIZE_BYTES)]
        sizes = parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3]
        room = len(content) - SIZE_BYTES - (first + np.arange(count))
        fits = (sizes >= MIN_RECORD_BYTES) & (sizes <= np.minimum(room, MAX_RECORD_BYTES))
        yield from (first + np.flatnonzero(fits)).tolist()


def is_cut_record(content: FileContent, position: int) -> bool:
    """Whether a record begins here whose size exceeds the file."""
    size = int.from_bytes(content[position : position + SIZE_BYTES], "big")
    return (
        len(content) - position < SIZE_BYTES
        or len(content) - position - SIZE_BYTES < size <= MAX_RECORD_BYTES
    )
