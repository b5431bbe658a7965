"""Records of batches, parsed in compiled code that checks every bound.

    Record => length:varint attributes:int8 timestamp_delta:varlong offset_delta:varint
              key_size:varint key value_size:varint value header_count:varint Header*
    Header => key_size:varint key value_size:varint value              sizes: -1 is null (not for a header's key)
    Message => offset:8 size:4 crc:4 magic:1 attributes:1 [timestamp:8] key_size:4 key value_size:4 value

Records are read to the end of the batch's bytes, whatever count its header states; `records_read` shows a difference.
Source: Kafka `DefaultRecord.java`, `LegacyRecord.java`, `ControlRecordType.java`.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from spark.runtime.compiled import compiled
from spark.sources.log_segment.batches import Bytes, Numbers

MIN_RECORD_BYTES = 7
MAX_HEADERS_PER_RECORD = 1_000_000
# The parser touches one line in five of the file; the processor would not see the pattern and wait for each.
LOOK_AHEAD_AT, LOOK_AHEAD_BYTES = 4096, 320
MIN_MESSAGE_BYTES = 26
NO_TIME = -(1 << 63)  # a message of format 0 carries no timestamp
LOG_APPEND_TIME = 0x08
CONTROL = 0x20

# Rows of the array that `parse` fills; a column is a record. "At" is an address in memory.
(ROW, OFFSET, TIMESTAMP, KEY_AT, KEY_SIZE, VALUE_AT, VALUE_SIZE, HEADERS_AT, HEADER_COUNT, CONTROL_TYPE) = (
    range(10)
)
PARSED = 10
# Rows of the array of headers.
HEADER_KEY_AT, HEADER_KEY_SIZE, HEADER_VALUE_AT, HEADER_VALUE_SIZE = range(4)
NO_CONTROL, UNKNOWN_CONTROL = -1, 7

# Columns of the array of sources: where the records of a batch lie and how far they are read.
NEXT, END, IN_ARENA, READ, BROKEN_AT, LAST_DELTA, SHIFT, SOURCE_FIELDS = range(8)


@intrinsic
def _prefetch(typing_context, address):  # type: ignore[no-untyped-def]
    """Asks the processor to load the cache line at this address, which need not be valid."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer = ir.IntType(8).as_pointer()
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [builder.inttoptr(arguments[0], pointer), i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@compiled
def _varint(data: Bytes, position: int, end: int) -> tuple[int, int]:
    """A zigzag number and the position after it; position -1 if it exceeds `end` or 64 bits."""
    if position >= end:
        return np.int64(0), -1
    byte = np.uint64(data[position])
    position += 1
    number = byte & np.uint64(0x7F)
    shift = np.uint64(7)
    while byte >= 128:
        if position >= end or shift > 63:
            return np.int64(0), -1
        byte = np.uint64(data[position])
        position += 1
        number |= (byte & np.uint64(0x7F)) << shift
        shift += np.uint64(7)
    return np.int64(number >> np.uint64(1)) ^ -np.int64(number & np.uint64(1)), position


@compiled
def _skip_sized(data: Bytes, position: int, end: int, least: int) -> tuple[int, int]:
    """Size of a field and the position after it; position -1 if it does not fit."""
    size, position = _varint(data, position, end)
    if position < 0 or size < least or size > end - position:
        return np.int64(0), -1
    return size, position + max(size, 0)


@compiled
def _skip_headers(data: Bytes, position: int, end: int) -> tuple[int, int]:
    """Number of headers and the position after them, which must be `end`; position -1 if it is not."""
    count, position = _varint(data, position, end)
    if position < 0 or count < 0 or count > MAX_HEADERS_PER_RECORD:
        return np.int64(0), -1
    for _ in range(count):
        _, position = _skip_sized(data, position, end, 0)
        if position < 0:
            return np.int64(0), -1
        _, position = _skip_sized(data, position, end, -1)
        if position < 0:
            return np.int64(0), -1
    return count, position if position == end else -1


@compiled
def _parse_record(data: Bytes, address: int, position: int, end: int, record: Numbers) -> int:
    """Parses one record into a column of `parse`'s array (still deltas); returns the position after it or -1."""
    length, position = _varint(data, position, end)
    if position < 0 or length < MIN_RECORD_BYTES - 1 or length > end - position:
        return -1
    end = position + length
    record[TIMESTAMP], position = _varint(data, position + 1, end)
    if position < 0:
        return -1
    record[OFFSET], position = _varint(data, position, end)
    if position < 0:
        return -1
    record[KEY_SIZE], position = _skip_sized(data, position, end, -1)
    if position < 0:
        return -1
    record[KEY_AT] = address + position - max(record[KEY_SIZE], 0)
    record[VALUE_SIZE], position = _skip_sized(data, position, end, -1)
    if position < 0:
        return -1
    record[VALUE_AT] = address + position - max(record[VALUE_SIZE], 0)
    record[HEADERS_AT] = position
    record[HEADER_COUNT], position = _skip_headers(data, position, end)
    return position


@compiled
def _int32(data: Bytes, position: int) -> int:
    """Signed big-endian integer. The caller has checked the bounds."""
    high = np.int64(data[position]) << 24 | np.int64(data[position + 1]) << 16
    number = high | np.int64(data[position + 2]) << 8 | np.int64(data[position + 3])
    return number - ((number & 0x80000000) << 1)


@compiled
def _parse_message(data: Bytes, address: int, position: int, end: int, record: Numbers) -> int:
    """Parses one message of format 0 or 1 that is not a wrapper; returns the position after it or -1."""
    if end - position < MIN_MESSAGE_BYTES or data[position + 16] > 1 or data[position + 17] & 7:
        return -1
    magic, size = np.int64(data[position + 16]), _int32(data, position + 8)
    if size < 14 + 8 * magic or size > end - position - 12:
        return -1
    end = position + 12 + size
    record[OFFSET] = _int32(data, position) << 32 | (_int32(data, position + 4) & 0xFFFFFFFF)
    time_at = position + 18
    record[TIMESTAMP] = NO_TIME
    if magic:
        record[TIMESTAMP] = _int32(data, time_at) << 32 | (_int32(data, time_at + 4) & 0xFFFFFFFF)
    position = time_at + 8 * magic + 4
    record[KEY_SIZE], record[KEY_AT] = _int32(data, position - 4), address + position
    if record[KEY_SIZE] < -1 or record[KEY_SIZE] > end - position - 4:
        return -1
    position += max(record[KEY_SIZE], 0) + 4
    record[VALUE_SIZE], record[VALUE_AT] = _int32(data, position - 4), address + position
    record[HEADERS_AT] = record[HEADER_COUNT] = 0
    return end if record[VALUE_SIZE] >= -1 and position + max(record[VALUE_SIZE], 0) == end else -1


def room_for_one() -> Numbers:
    """Where compiled functions parse one record."""
    return np.empty(PARSED, np.int64)


@compiled
def measure(content: Bytes, position: int, end: int, record: Numbers) -> tuple[int, int, int, int, int]:
    """Messages inside a wrapper: how many parse, offsets of the first and last, time of the first, and `end` or the position of
    the one that does not parse. `record`: room for one."""
    messages, first_offset, first_time = 0, np.int64(0), np.int64(NO_TIME)
    last_offset = np.int64(-1)
    while position < end:
        after = _parse_message(content, 0, position, end, record)
        if after < 0:
            break
        if messages == 0:
            first_offset, first_time = record[OFFSET], record[TIMESTAMP]
        last_offset = record[OFFSET]
        messages += 1
        position = after
    return messages, first_offset, last_offset, first_time, position


@compiled
def _control_type(data: Bytes, position: int, size: int) -> int:
    """Type of a control record, from its key `version:int16 type:int16`."""
    if size < 4 or data[position] > 127:
        return UNKNOWN_CONTROL
    number = (np.int64(data[position + 2]) << 8) | np.int64(data[position + 3])
    return number if number < UNKNOWN_CONTROL else UNKNOWN_CONTROL


@compiled
def parse(
    file_bytes: Bytes,
    arena: Bytes,
    addresses: Numbers,
    batches: Numbers,
    sources: Numbers,
    first_row: int,
    parsed: Numbers,
    most_headers: int,
    record: Numbers,
) -> tuple[int, int, int]:
    """Parses records of batches into rows from `first_row` on, until `parsed` is full or `most_headers` is exceeded.

    `batches`: attributes, base offset, last offset delta, base and max timestamp, format (those with absolute offsets have
    base 0). `sources` remembers how far each batch is read. Returns the next row, the number of records, and the number of
    their headers. `record`: room for one.
    """
    filled, headers = 0, 0
    for row in range(first_row, sources.shape[0]):
        in_arena = sources[row, IN_ARENA]
        data = arena if in_arena else file_bytes
        attributes, base_offset, last_delta = batches[row, 0], batches[row, 1], batches[row, 2]
        is_old = batches[row, 5] < 2
        while sources[row, NEXT] < sources[row, END]:
            if filled == parsed.shape[1] or headers > most_headers:
                return row, filled, headers
            position = sources[row, NEXT]
            for line in range(0, LOOK_AHEAD_BYTES, 64):
                _prefetch(addresses[in_arena] + position + LOOK_AHEAD_AT + line)
            if is_old:
                after = _parse_message(data, addresses[in_arena], position, sources[row, END], record)
            else:
                after = _parse_record(data, addresses[in_arena], position, sources[row, END], record)
            if after < 0 or record[OFFSET] < 0 or record[OFFSET] > last_delta:
                sources[row, BROKEN_AT] = position
                break
            sources[row, LAST_DELTA] = record[OFFSET]
            record[ROW] = row
            record[OFFSET] += base_offset
            is_append_time = attributes & LOG_APPEND_TIME and record[TIMESTAMP] != NO_TIME
            record[TIMESTAMP] = batches[row, 4] if is_append_time else batches[row, 3] + record[TIMESTAMP]
            record[CONTROL_TYPE] = NO_CONTROL
            if attributes & CONTROL:
                key = record[KEY_AT] - addresses[in_arena]
                record[CONTROL_TYPE] = _control_type(data, key, record[KEY_SIZE])
            for column in range(PARSED):
                parsed[column, filled] = record[column]
            headers += record[HEADER_COUNT]
            filled += 1
            sources[row, READ] += 1
            sources[row, NEXT] = after
    return sources.shape[0], filled, headers


@compiled
def count(content: Bytes, record: Numbers) -> int:
    """Number of records that fill these bytes exactly, or -1. `record`: room for one."""
    position, records = 0, 0
    while position < content.size:
        position = _parse_record(content, 0, position, content.size, record)
        if position < 0:
            return -1
        records += 1
    return records


@compiled
def find_headers(
    file_bytes: Bytes,
    arena: Bytes,
    addresses: Numbers,
    sources: Numbers,
    parsed: Numbers,
    header_spans: Numbers,
) -> None:
    """Addresses and sizes of the headers of parsed records, in order. Their bounds were checked before."""
    row = 0
    for number in range(parsed.shape[1]):
        if parsed[HEADER_COUNT, number] == 0:
            continue
        in_arena = sources[parsed[ROW, number], IN_ARENA]
        data = arena if in_arena else file_bytes
        count, position = _varint(data, parsed[HEADERS_AT, number], data.size)
        for _ in range(count):
            size, position = _varint(data, position, data.size)
            header_spans[HEADER_KEY_AT, row] = addresses[in_arena] + position
            header_spans[HEADER_KEY_SIZE, row] = size
            position += size
            size, position = _varint(data, position, data.size)
            header_spans[HEADER_VALUE_AT, row] = addresses[in_arena] + position
            header_spans[HEADER_VALUE_SIZE, row] = size
            position += max(size, 0)
            row += 1
