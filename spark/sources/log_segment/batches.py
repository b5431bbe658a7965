"""Headers of batches and messages, walked in compiled code: no Python object per batch.

    Entry => offset:int64 size:int32 ...size bytes...            all formats; the magic stands at byte 16
    Batch => base_offset:8 length:4 leader_epoch:4 magic:1 crc:4 attributes:2 last_offset_delta:4
             base_timestamp:8 max_timestamp:8 producer_id:8 producer_epoch:2 base_sequence:4 count:4 records
    Old   => offset:8 size:4 crc:4 magic:1 attributes:1 [timestamp:8, magic 1] key_size:4 key value_size:4 value

Source: Kafka `DefaultRecordBatch.java`, `LegacyRecord.java`, `Records.java`.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spark.runtime.compiled import compiled

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

FRAME_BYTES = 12  # offset and size, which the size does not count
MAGIC_AT = 16
CRC_AT = 17
ATTRIBUTES_AT = 21  # the CRC covers everything from here on
OLD_ATTRIBUTES_AT = 17
HEADER_BYTES = 61
MIN_OLD_ENTRY = 26
MAX_CODEC = 4

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
    MAGIC,
    PAYLOAD_AT,
    FIELDS,
) = range(16)
NO_TIME = -(1 << 63)  # format 0 carries no timestamps


@compiled
def number_at(data: Bytes, position: int, size: int) -> int:
    """Signed big-endian integer of `size` bytes. The caller has checked that they are there."""
    number = np.int64(0)
    for i in range(position, position + size):
        number = (number << 8) | np.int64(data[i])
    if size < 8 and number >= np.int64(1) << (8 * size - 1):
        number -= np.int64(1) << (8 * size)
    return number


@compiled
def is_batch(data: Bytes, position: int, end: int) -> bool:
    """Whether a batch may start here: its frame is plausible and ends before `end`. The CRC and the fields that it covers are
    not checked: a flipped bit there leaves a batch whose position is known."""
    if position + HEADER_BYTES > end or data[position + MAGIC_AT] != 2:
        return False
    size = number_at(data, position + 8, 4) + FRAME_BYTES
    return HEADER_BYTES <= size <= end - position and data[position] < 128


@compiled
def _makes_sense(data: Bytes, position: int) -> bool:
    """Whether the fields that the CRC covers are plausible for a batch: saves a search most of the checksums."""
    return (data[position + 22] & 7) <= MAX_CODEC and data[position + 23] < 128 and data[position + 57] < 128


@compiled
def _is_old_frame(data: Bytes, position: int, end: int) -> bool:
    """Whether the frame of a message of format 0 or 1 may start here."""
    if position + MIN_OLD_ENTRY > end or data[position + MAGIC_AT] > 1 or data[position] > 127:
        return False
    size = number_at(data, position + 8, 4)
    return 14 + 8 * np.int64(data[position + MAGIC_AT]) <= size <= end - position - FRAME_BYTES


@compiled
def _old_value_at(data: Bytes, position: int) -> int:
    """Where the value of the message in this frame starts (after its size); -1 if key and value do not fill the frame."""
    end = position + FRAME_BYTES + number_at(data, position + 8, 4)
    key_at = position + FRAME_BYTES + 10 + 8 * np.int64(data[position + MAGIC_AT])
    key_size = number_at(data, key_at - 4, 4)
    if key_size < -1 or key_size > end - key_at - 4:
        return -1
    value_at = key_at + max(key_size, 0) + 4
    value_size = number_at(data, value_at - 4, 4)
    return value_at if value_size >= -1 and value_at + max(value_size, 0) == end else -1


@compiled
def is_old_entry(data: Bytes, position: int, end: int) -> bool:
    """Whether a message of format 0 or 1 starts here, judged by its fields."""
    if not _is_old_frame(data, position, end):
        return False
    attributes = data[position + OLD_ATTRIBUTES_AT]
    return (attributes & 0xF0) == 0 and (attributes & 7) <= MAX_CODEC and _old_value_at(data, position) >= 0


@compiled
def _is_entry(data: Bytes, position: int, end: int) -> bool:
    """Whether a batch or message starts here. A message's fields must fill its frame: a damaged size that ends at another
    message's start would skip those between. Its attributes are not checked."""
    if is_batch(data, position, end):
        return True
    return _is_old_frame(data, position, end) and _old_value_at(data, position) >= 0


@compiled
def last_offset_of(data: Bytes, position: int, next_offset: int) -> int:
    """Last offset of the batch by its header; less than `next_offset` if the next batch comes after it."""
    base_offset = number_at(data, position, 8)
    delta = number_at(data, position + 23, 4) if data[position + MAGIC_AT] == 2 else np.int64(0)
    last_offset = base_offset + delta if delta > 0 else base_offset
    return min(last_offset, next_offset - 1) if next_offset > base_offset else last_offset


@compiled
def walk(data: Bytes, position: int, goal: int, last_batch: int, before: int) -> tuple[int, int, int]:
    """Goes from header to header until `goal` or the first position where no batch or message can start.

    Returns that position, the position of the last batch passed (-1: none) and the last offset before that batch (-1).
    """
    end = data.size
    while position < goal and _is_entry(data, position, end):
        if last_batch >= 0:
            before = last_offset_of(data, last_batch, number_at(data, position, 8))
        last_batch = position
        position += number_at(data, position + 8, 4) + FRAME_BYTES
    return position, last_batch, before


@compiled
def find_header(data: Bytes, position: int) -> int:
    """The next position where a batch or an old message may start, or -1."""
    end = data.size
    while position + MIN_OLD_ENTRY <= end:
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
    """The number of zero bytes before `end`, back to `start` at most."""
    position = end
    while position > start and data[position - 1] == 0:
        position -= 1
    return end - position


@compiled
def _read_batch(data: Bytes, position: int, row: Numbers) -> None:
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
    row[PAYLOAD_AT] = position + HEADER_BYTES


@compiled
def _read_old(data: Bytes, position: int, row: Numbers) -> None:
    """Fields of a message of format 0 or 1. The payload of a wrapper is its value (-1 without one), of another message the
    message. A wrapper's contents are known once it is decompressed."""
    row[BASE_OFFSET] = number_at(data, position, 8)
    row[LEADER_EPOCH] = row[PRODUCER_ID] = row[PRODUCER_EPOCH] = row[BASE_SEQUENCE] = -1
    row[CRC] = number_at(data, position + 12, 4) & 0xFFFFFFFF
    row[ATTRIBUTES] = data[position + OLD_ATTRIBUTES_AT] & 0x0F
    row[LAST_OFFSET_DELTA] = 0
    has_time = data[position + MAGIC_AT] == 1
    row[BASE_TIMESTAMP] = number_at(data, position + 18, 8) if has_time else np.int64(NO_TIME)
    row[MAX_TIMESTAMP] = row[BASE_TIMESTAMP]
    row[COUNT] = 1
    row[PAYLOAD_AT] = _old_value_at(data, position) if row[ATTRIBUTES] & 7 else position


@compiled
def read_headers(data: Bytes, position: int, stop: int, most_bytes: int, headers: Numbers) -> tuple[int, int]:
    """Fills rows of `headers` with the batches that start before `stop`, at most `most_bytes` in total (or one batch).

    Returns the number of rows and the position after the last batch.
    """
    rows, start = 0, position
    while position < stop and rows < headers.shape[0] and _is_entry(data, position, data.size):
        size = number_at(data, position + 8, 4) + FRAME_BYTES
        if rows > 0 and position + size - start > most_bytes:
            break
        row = headers[rows]
        row[POSITION] = position
        row[SIZE] = size
        row[MAGIC] = data[position + MAGIC_AT]
        if row[MAGIC] == 2:
            _read_batch(data, position, row)
        else:
            _read_old(data, position, row)
        rows += 1
        position += size
    return rows, position


def entry_size(data: Bytes, position: int) -> int:
    """Size of the batch or message that starts here, including its frame."""
    return int(number_at(data, position + 8, 4)) + FRAME_BYTES
