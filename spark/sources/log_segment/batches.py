"""Batch headers, walked and checked in compiled code: no Python object per batch.

    Entry => offset:int64 size:int32 ...size bytes...            all formats; the magic stands at byte 16
    Batch => base_offset:8 length:4 leader_epoch:4 magic:1 crc:4 attributes:2 last_offset_delta:4
             base_timestamp:8 max_timestamp:8 producer_id:8 producer_epoch:2 base_sequence:4 count:4 records
    Old   => offset:8 size:4 crc:4 magic:1 attributes:1 [timestamp:8, magic 1] key value

Source: Kafka `DefaultRecordBatch.java`, `LegacyRecord.java`, `Records.java`; CRC-32C covers attributes to end.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import zlib

import crc32c
import numpy as np
from numpy.typing import NDArray

from spark.compiled import compiled

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

FRAME_BYTES = 12  # offset and size, which the size does not count
MAGIC_AT = 16
CRC_AT = 17
ATTRIBUTES_AT = 21  # the CRC covers everything from here on
HEADER_BYTES = 61
SMALLEST_OLD_SIZE = 14
SMALLEST_OLD_ENTRY = 26
LARGEST_CODEC = 4
LARGEST_OLD_CODEC = 3

# Columns of what `read_headers` gives.
(
    POSITION,
    SIZE,
    BASE_OFFSET,
    LEADER_EPOCH,
    CRC,
    ATTRIBUTES,
    LAST_OFFSET_DELTA,
    BASE_TIMESTAMP,
    MAX_TIMESTAMP,
    PRODUCER_ID,
    PRODUCER_EPOCH,
    BASE_SEQUENCE,
    COUNT,
    FIELDS,
) = range(14)

# Up to here the table-driven checksum is quicker than one call of the library per batch.
SMALL_BATCH_BYTES = 1024


def _crc_tables() -> NDArray[np.uint32]:
    """Tables of CRC-32C (Castagnoli, reflected), eight bytes at a time."""
    tables = np.zeros((8, 256), np.uint32)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        tables[0, byte] = crc
    for byte in range(256):
        for table in range(1, 8):
            before = int(tables[table - 1, byte])
            tables[table, byte] = (before >> 8) ^ int(tables[0, before & 0xFF])
    return tables


CRC_TABLES = _crc_tables()


@compiled
def number_at(data: Bytes, position: int, size: int) -> int:
    """Signed big-endian integer of `size` bytes. The caller has checked that they are there."""
    number = np.int64(0)
    for place in range(position, position + size):
        number = (number << 8) | np.int64(data[place])
    if size < 8 and number >= np.int64(1) << (8 * size - 1):
        number -= np.int64(1) << (8 * size)
    return number


@compiled
def is_batch(data: Bytes, position: int, end: int) -> bool:
    """Whether a batch may start here: its frame makes sense and ends before `end`. Neither the fields that the CRC
    covers nor the CRC are asked: a bit that flipped there leaves a batch whose place is known."""
    if position + HEADER_BYTES > end or data[position + MAGIC_AT] != 2:
        return False
    size = number_at(data, position + 8, 4) + FRAME_BYTES
    return HEADER_BYTES <= size <= end - position and data[position] < 128


@compiled
def _makes_sense(data: Bytes, position: int) -> bool:
    """Whether the fields that the CRC covers could be a batch's: spares a search most of the checksums."""
    return (
        (data[position + 22] & 7) <= LARGEST_CODEC and data[position + 23] < 128 and data[position + 57] < 128
    )


@compiled
def is_old_entry(data: Bytes, position: int, end: int) -> bool:
    """Whether a message of format 0 or 1 may start here."""
    if position + SMALLEST_OLD_ENTRY > end or data[position + MAGIC_AT] > 1:
        return False
    size = number_at(data, position + 8, 4)
    if size < SMALLEST_OLD_SIZE or size > end - position - FRAME_BYTES:
        return False
    overhead = 6 + 8 * np.int64(data[position + MAGIC_AT])
    if (data[position + 17] & 0xF0) != 0 or (data[position + 17] & 7) > LARGEST_OLD_CODEC:
        return False
    if data[position] > 127 or size < overhead + 8:
        return False
    key_size = number_at(data, position + FRAME_BYTES + overhead, 4)
    return key_size == -1 or 0 <= key_size <= size - overhead - 8


@compiled
def last_offset_of(data: Bytes, position: int, next_offset: int) -> int:
    """Last offset of the batch here as its header says; it lies before the next batch, if that one fits behind it."""
    base_offset = number_at(data, position, 8)
    delta = number_at(data, position + 23, 4)
    last_offset = base_offset + delta if delta > 0 else base_offset
    return min(last_offset, next_offset - 1) if next_offset > base_offset else last_offset


@compiled
def walk(data: Bytes, position: int, goal: int, last_batch: int, before: int) -> tuple[int, int, int]:
    """Go from header to header until `goal` or the first place where no batch can start.

    Gives that place, the position of the last batch passed (-1: none) and the last offset before that batch (-1).
    """
    end = data.size
    while position < goal and is_batch(data, position, end):
        if last_batch >= 0:
            before = last_offset_of(data, last_batch, number_at(data, position, 8))
        last_batch = position
        position += number_at(data, position + 8, 4) + FRAME_BYTES
    return position, last_batch, before


@compiled
def walk_old(data: Bytes, position: int) -> tuple[int, int, int]:
    """Go over messages of format 0 and 1. Gives the place after them, the last offset and how many there were."""
    end = data.size
    last_offset, entries = np.int64(-1), 0
    while is_old_entry(data, position, end):
        last_offset = number_at(data, position, 8)
        entries += 1
        position += number_at(data, position + 8, 4) + FRAME_BYTES
    return position, last_offset, entries


@compiled
def find_header(data: Bytes, position: int) -> int:
    """The next place where a batch or an old message may start, or -1."""
    end = data.size
    while position + SMALLEST_OLD_ENTRY <= end:
        magic = data[position + MAGIC_AT]
        if (magic == 2 and is_batch(data, position, end) and _makes_sense(data, position)) or (
            magic < 2 and is_old_entry(data, position, end)
        ):
            return position
        position += 1
    return -1


@compiled
def longest_zeros(data: Bytes, start: int, end: int) -> tuple[int, int]:
    """Position and length of the longest run of zeros."""
    best_start, best_length, length = start, 0, 0
    for position in range(start, end):
        length = length + 1 if data[position] == 0 else 0
        if length > best_length:
            best_start, best_length = position - length + 1, length
    return best_start, best_length


@compiled
def zeros_before(data: Bytes, end: int, start: int) -> int:
    """How many bytes before `end` are zero, back to `start` at most."""
    position = end
    while position > start and data[position - 1] == 0:
        position -= 1
    return end - position


@compiled
def read_headers(data: Bytes, position: int, stop: int, most_bytes: int, headers: Numbers) -> tuple[int, int]:
    """Fill rows of `headers` with the batches that start before `stop`, in all at most `most_bytes` (or one batch).

    Gives the number of rows and the position after the last batch.
    """
    rows, start = 0, position
    while position < stop and rows < headers.shape[0] and is_batch(data, position, data.size):
        size = number_at(data, position + 8, 4) + FRAME_BYTES
        if rows > 0 and position + size - start > most_bytes:
            break
        row = headers[rows]
        row[POSITION] = position
        row[SIZE] = size
        row[BASE_OFFSET] = number_at(data, position, 8)
        row[LEADER_EPOCH] = number_at(data, position + 12, 4)
        row[CRC] = number_at(data, position + CRC_AT, 4) & 0xFFFFFFFF
        row[ATTRIBUTES] = data[position + 22]
        row[LAST_OFFSET_DELTA] = number_at(data, position + 23, 4)
        row[BASE_TIMESTAMP] = number_at(data, position + 27, 8)
        row[MAX_TIMESTAMP] = number_at(data, position + 35, 8)
        row[PRODUCER_ID] = number_at(data, position + 43, 8)
        row[PRODUCER_EPOCH] = number_at(data, position + 51, 2)
        row[BASE_SEQUENCE] = number_at(data, position + 53, 4)
        row[COUNT] = number_at(data, position + 57, 4)
        rows += 1
        position += size
    return rows, position


@compiled
def small_checksums(
    data: Bytes, headers: Numbers, checksums: Numbers, tables: NDArray[np.uint32], most_bytes: int
) -> None:
    """CRC-32C of every batch of at most `most_bytes`, slicing by eight; -1 for the others."""
    for row in range(headers.shape[0]):
        if headers[row, SIZE] > most_bytes:
            checksums[row] = -1
            continue
        position = headers[row, POSITION] + ATTRIBUTES_AT
        end = headers[row, POSITION] + headers[row, SIZE]
        crc = np.uint32(0xFFFFFFFF)
        while position + 8 <= end:
            crc = (
                tables[7, (crc ^ data[position]) & 0xFF]
                ^ tables[6, ((crc >> 8) ^ data[position + 1]) & 0xFF]
                ^ tables[5, ((crc >> 16) ^ data[position + 2]) & 0xFF]
                ^ tables[4, (crc >> 24) ^ data[position + 3]]
                ^ tables[3, data[position + 4]]
                ^ tables[2, data[position + 5]]
                ^ tables[1, data[position + 6]]
                ^ tables[0, data[position + 7]]
            )
            position += 8
        while position < end:
            crc = tables[0, (crc ^ data[position]) & 0xFF] ^ (crc >> 8)
            position += 1
        checksums[row] = np.int64(crc) ^ 0xFFFFFFFF


def checksums(data: Bytes, headers: Numbers) -> Numbers:
    """CRC-32C of every batch, computed from its bytes."""
    computed = np.empty(len(headers), np.int64)
    small_checksums(data, headers, computed, CRC_TABLES, SMALL_BATCH_BYTES)
    for row in np.flatnonzero(computed < 0):
        computed[row] = batch_checksum(data, int(headers[row, POSITION]), int(headers[row, SIZE]))
    return computed


def batch_checksum(data: Bytes, position: int, size_bytes: int) -> int:
    """CRC-32C of one batch."""
    return int(crc32c.crc32c(data[position + ATTRIBUTES_AT : position + size_bytes]))


def entry_size(data: Bytes, position: int) -> int:
    """Size of the batch or message that starts here, its frame included."""
    return int(number_at(data, position + 8, 4)) + FRAME_BYTES


def agrees(data: Bytes, position: int) -> bool:
    """Whether the checksum of the batch or old message here agrees. `is_batch` or `is_old_entry` holds."""
    size_bytes = entry_size(data, position)
    if data[position + MAGIC_AT] == 2:
        stored = int(number_at(data, position + CRC_AT, 4)) & 0xFFFFFFFF
        return stored == batch_checksum(data, position, size_bytes)
    stored = int(number_at(data, position + FRAME_BYTES, 4)) & 0xFFFFFFFF
    return stored == zlib.crc32(data[position + MAGIC_AT : position + size_bytes].data)
