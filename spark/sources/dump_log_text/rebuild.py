"""Bytes rebuilt from the print: keys and values, and whole batches, to compute the checksum over what was printed.

A batch can be rebuilt if it is uncompressed, of format 2, with CreateTime, and all its records are printed with key and
value, without headers and replaced bytes. The base timestamp is not printed; producers and the cleaner use the first
record's. A rebuilt batch whose size differs from the printed one proves nothing and is left out.
Source: Kafka `DefaultRecordBatch.java`, `DefaultRecord.java`.
"""

from __future__ import annotations

import crc32c
import numpy as np
import pyarrow as pa

from spark.runtime.compiled import compiled
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows
from spark.sources.log_segment.columns import binary_array

HEADER_BYTES = 61
ATTRIBUTES_AT = 21
MAX_FRAME_BYTES = 30  # lengths, attributes and deltas of one record
TRANSACTIONAL, CONTROL = 0x10, 0x20
CONTROL_KEYS = np.array([1, 0, 2, 3, 4, 5, 6, 0x7FFF], ">u4").view(np.uint8)  # version 0 and the control type


@compiled
def put_number(out: Bytes, at: int, number: int, size: int) -> int:
    """Big-endian."""
    for k in range(size):
        out[at + k] = number >> (8 * (size - 1 - k)) & 0xFF
    return at + size


@compiled
def varint_size(number: int) -> int:
    """Size of a zigzag varint in bytes."""
    zigzag = number << 1 ^ number >> 63
    size = 1
    while zigzag >> 7 & 0x1FFFFFFFFFFFFFF:
        zigzag = zigzag >> 7 & 0x1FFFFFFFFFFFFFF
        size += 1
    return size


@compiled
def put_varint(out: Bytes, at: int, number: int) -> int:
    """Zigzag."""
    zigzag = number << 1 ^ number >> 63
    while zigzag >> 7 & 0x1FFFFFFFFFFFFFF:
        out[at] = zigzag & 0x7F | 0x80
        zigzag = zigzag >> 7 & 0x1FFFFFFFFFFFFFF
        at += 1
    out[at] = zigzag & 0x7F
    return at + 1


@compiled
def put_field(out: Bytes, at: int, data: Bytes, start: int, end: int, is_null: bool) -> int:
    at = put_varint(out, at, -1 if is_null else end - start)
    if not is_null:
        for position in range(start, end):
            out[at + position - start] = data[position]
        at += end - start
    return at


@compiled
def put_record(
    out: Bytes,
    at: int,
    time_delta: int,
    offset_delta: int,
    keys: tuple[Bytes, Rows],
    values: tuple[Bytes, Rows],
    row: int,
    nulls: Bytes,
) -> int:
    """One record without headers."""
    key_data, key_ends = keys
    value_data, value_ends = values
    no_key, no_value = nulls[row] & 1 != 0, nulls[row] & 2 != 0
    key_size = -1 if no_key else key_ends[row + 1] - key_ends[row]
    value_size = -1 if no_value else value_ends[row + 1] - value_ends[row]
    size = (
        2
        + varint_size(time_delta)
        + varint_size(offset_delta)
        + varint_size(key_size)
        + varint_size(value_size)
    )
    at = put_varint(out, at, size + max(0, key_size) + max(0, value_size))
    out[at] = 0
    at = put_varint(out, at + 1, time_delta)
    at = put_varint(out, at, offset_delta)
    at = put_field(out, at, key_data, key_ends[row], key_ends[row + 1], no_key)
    at = put_field(out, at, value_data, value_ends[row], value_ends[row + 1], no_value)
    out[at] = 0
    return at + 1


@compiled
def build(
    batches: Rows,
    of_batch: Rows,
    records: Rows,
    keys: tuple[Bytes, Rows],
    values: tuple[Bytes, Rows],
    nulls: Bytes,
    out: Bytes,
    places: Rows,
) -> None:
    """Writes the batches in sequence; `places` gets position and size of each. `records` are sorted by batch."""
    at = 0
    row = 0
    for batch in range(len(batches)):
        while row < len(of_batch) and of_batch[row] < batch:
            row += 1
        start = at
        at += HEADER_BYTES
        base = batches[batch, f.BASE_OFFSET]
        first_time = records[row, f.TIMESTAMP]
        count = 0
        while row < len(of_batch) and of_batch[row] == batch:
            time_delta = records[row, f.TIMESTAMP] - first_time
            offset_delta = records[row, f.OFFSET] - base
            at = put_record(out, at, time_delta, offset_delta, keys, values, row, nulls)
            count += 1
            row += 1
        attributes = TRANSACTIONAL if batches[batch, f.TRANSACTIONAL] == 1 else 0
        attributes |= CONTROL if batches[batch, f.CONTROL] == 1 else 0
        end = put_number(out, start + ATTRIBUTES_AT, attributes, 2)
        end = put_number(out, end, batches[batch, f.LAST_OFFSET] - base, 4)
        end = put_number(out, end, first_time, 8)
        end = put_number(out, end, batches[batch, f.TIMESTAMP], 8)
        end = put_number(out, end, batches[batch, f.PRODUCER_ID], 8)
        end = put_number(out, end, batches[batch, f.PRODUCER_EPOCH], 2)
        end = put_number(out, end, batches[batch, f.BASE_SEQUENCE], 4)
        put_number(out, end, count, 4)
        places[batch, 0] = start
        places[batch, 1] = at - start


def checksums(batches: Rows, of_batch: Rows, records: Rows, keys: pa.Array, values: pa.Array) -> Rows:
    """CRC-32C of each batch as printed, NONE if it cannot be rebuilt. `of_batch`: the batch of each record."""
    crcs = np.full(len(batches), f.NONE, np.int64)
    chosen = np.flatnonzero(can_be_rebuilt(batches, of_batch, records))
    if not len(chosen):
        return crcs
    number = np.full(len(batches) + 1, -1, np.int64)
    number[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(number[of_batch] >= 0)
    keys, values = keys.take(pa.array(rows)), values.take(pa.array(rows))
    no_key, no_value = (column.is_null().to_numpy(zero_copy_only=False) for column in (keys, values))
    nulls = (no_key + 2 * no_value).astype(np.uint8)
    key_pair, value_pair = _buffers(keys), _buffers(values)
    room = len(key_pair[0]) + len(value_pair[0]) + MAX_FRAME_BYTES * len(rows) + HEADER_BYTES * len(chosen)
    out, places = np.zeros(room, np.uint8), np.empty((len(chosen), 2), np.int64)
    build(
        np.ascontiguousarray(batches[chosen]),
        number[of_batch[rows]],
        np.ascontiguousarray(records[rows]),
        key_pair,
        value_pair,
        nulls,
        out,
        places,
    )
    is_sized = places[:, 1] == batches[chosen, f.SIZE]
    covered = ((start + ATTRIBUTES_AT, start + size) for start, size in places[is_sized].tolist())
    crcs[chosen[is_sized]] = [crc32c.crc32c(out[start:end]) for start, end in covered]
    return crcs


def can_be_rebuilt(batches: Rows, of_batch: Rows, records: Rows) -> np.ndarray:
    """Which batches were printed completely."""
    plain = (batches[:, f.KIND] == f.BATCH) & (batches[:, f.CODEC] == 0) & (batches[:, f.HORIZON] == f.NONE)
    plain &= (batches[:, f.FLAGS] & f.SHORTENED) == 0
    plain &= (batches[:, f.TIMESTAMP_TYPE] == f.CREATE) & (batches[:, f.COUNT] > 0)
    plain &= (batches[:, [f.PRODUCER_ID, f.PRODUCER_EPOCH, f.BASE_SEQUENCE]] >= -1).all(axis=1)
    has_marker = (records[:, f.MARKER] == f.COMMIT) | (records[:, f.MARKER] == f.ABORT)
    key_told = (records[:, f.KEY_SIZE] < 0) | (records[:, f.KEY_AT] != f.NONE) | has_marker
    value_told = (records[:, f.VALUE_SIZE] < 0) | (records[:, f.VALUE_AT] != f.NONE) | has_marker
    is_bare = (records[:, f.HEADERS_AT] == records[:, f.HEADERS_END]) & (records[:, f.HEADERS_AT] != f.NONE)
    is_good = key_told & value_told & is_bare & (records[:, f.FLAGS] == 0)
    is_good &= (records[:, f.MARKER] == f.NONE) | has_marker
    good = np.bincount(of_batch[is_good & (of_batch >= 0)], minlength=len(batches))
    every = np.bincount(of_batch[of_batch >= 0], minlength=len(batches))
    is_exact: np.ndarray = plain & (good == every) & (every == batches[:, f.COUNT])
    return is_exact


def _buffers(column: pa.Array) -> tuple[Bytes, Rows]:
    """Data and offsets of a binary column without slice offset."""
    _, ends, data = column.buffers()
    offsets = np.frombuffer(ends, np.int32, len(column) + 1).astype(np.int64)
    content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    return content, offsets


def contents(records: Rows, buffer: Bytes) -> tuple[pa.Array, pa.Array]:
    """Keys and values as binary columns. The tool prints those of control records in words: they are rebuilt."""
    is_control = records[:, f.MARKER] != f.NONE
    ends_transaction = is_control & (records[:, f.MARKER] <= f.ABORT)
    key_addresses = CONTROL_KEYS.ctypes.data + 4 * records[:, f.MARKER]
    values = marker_values(records)
    value_addresses = values.ctypes.data + 6 * np.arange(len(records))
    return (
        payloads(records[:, [f.KEY_AT, f.KEY_END, f.KEY_SIZE]], buffer, is_control, key_addresses, 4),
        payloads(
            records[:, [f.VALUE_AT, f.VALUE_END, f.VALUE_SIZE]], buffer, ends_transaction, value_addresses, 6
        ),
    )


def payloads(
    fields: Rows, buffer: Bytes, is_rebuilt: np.ndarray, rebuilt_addresses: np.ndarray, rebuilt_bytes: int
) -> pa.Array:
    """`fields`: start, end and size of the printed text by record. Rebuilt ones have `rebuilt_bytes` at their address."""
    start, end, size = fields.T
    is_printed = (start != f.NONE) & (size >= 0)
    sizes = np.where(is_rebuilt, rebuilt_bytes, np.where(is_printed, end - start, -1))
    addresses = np.where(is_rebuilt, rebuilt_addresses, np.where(is_printed, buffer.ctypes.data + start, 0))
    return binary_array(np.ascontiguousarray(addresses), np.ascontiguousarray(sizes))


def marker_values(records: Rows) -> Bytes:
    """Version 0 and the coordinator's epoch, six bytes a record."""
    matrix = np.zeros((len(records), 6), np.uint8)
    epochs = np.where(records[:, f.COORDINATOR_EPOCH] == f.NONE, 0, records[:, f.COORDINATOR_EPOCH])
    matrix[:, 2:] = epochs.astype(">i4").view(np.uint8).reshape(-1, 4)
    return matrix
