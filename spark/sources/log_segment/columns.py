"""Parsed batches and records as Arrow tables: BATCHES and RECORDS of `spark.tables`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.sources._rows import RECORD_COLUMNS, RowOrigin
from spark.sources.log_segment import batches as b
from spark.sources.log_segment import records as r
from spark.sources.log_segment.codecs import CODECS
from spark.sources.log_segment.gather import gather
from spark.tables import BATCHES, TABLES

CODEC_NAMES = pa.array(CODECS)
TIMESTAMP_TYPES = pa.array(["create", "log_append"])
CONTROL_TYPES = pa.array(
    [
        "abort",
        "commit",
        "leader_change",
        "snapshot_header",
        "snapshot_footer",
        "kraft_version",
        "kraft_voters",
        "unknown",
    ]
)
TRANSACTIONAL, DELETE_HORIZON = 0x10, 0x40
SEQUENCES = 2**31  # a sequence number starts again at 0 after 2^31 - 1


def batches_table(
    origin: RowOrigin, headers: b.Numbers, checksums: b.Numbers, read: b.Numbers, agree: NDArray[np.bool_]
) -> pa.Table:
    """Rows of BATCHES. `agree`: whether the checksums of the messages inside match."""
    attributes = headers[:, b.ATTRIBUTES]
    has_horizon = attributes & DELETE_HORIZON != 0
    base_timestamps = headers[:, b.BASE_TIMESTAMP]
    size = headers[:, b.SIZE]
    columns = {
        "position": headers[:, b.POSITION],
        "size_bytes": size.astype(np.int32),
        "base_offset": headers[:, b.BASE_OFFSET],
        "last_offset": headers[:, b.BASE_OFFSET] + headers[:, b.LAST_OFFSET_DELTA],
        "magic": headers[:, b.MAGIC].astype(np.int8),
        "codec": CODEC_NAMES.take(pa.array(attributes & 7)),
        "timestamp_type": _timestamp_types(attributes, headers[:, b.MAGIC] == 0),
        "base_timestamp_ms": pa.array(base_timestamps, mask=has_horizon | (base_timestamps == b.NO_TIME)),
        "max_timestamp_ms": pa.array(headers[:, b.MAX_TIMESTAMP], mask=headers[:, b.MAGIC] == 0),
        "delete_horizon_ms": pa.array(base_timestamps, mask=~has_horizon),
        "leader_epoch": headers[:, b.LEADER_EPOCH].astype(np.int32),
        "producer_id": headers[:, b.PRODUCER_ID],
        "producer_epoch": headers[:, b.PRODUCER_EPOCH].astype(np.int16),
        "base_sequence": headers[:, b.BASE_SEQUENCE].astype(np.int32),
        "is_transactional": attributes & TRANSACTIONAL != 0,
        "is_control": attributes & r.CONTROL != 0,
        "record_count": headers[:, b.COUNT].astype(np.int32),
        "records_read": read.astype(np.int32),
        "crc_stored": headers[:, b.CRC],
        "crc_computed": checksums,
        "crc_ok": (headers[:, b.CRC] == checksums) & agree,
    }
    arrays = [pa.array(np.ascontiguousarray(c)) if isinstance(c, np.ndarray) else c for c in columns.values()]
    return pa.Table.from_arrays([*origin.columns(len(headers)), *arrays], schema=BATCHES.schema)


def records_table(
    origin: RowOrigin, headers: b.Numbers, parsed: b.Numbers, header_list: pa.Array
) -> pa.Table:
    """Rows of RECORDS without the four columns that the decode stage adds."""
    row = parsed[r.ROW]
    key_sizes, value_sizes = parsed[r.KEY_SIZE], parsed[r.VALUE_SIZE]
    timestamps = parsed[r.TIMESTAMP]
    has_none = timestamps == b.NO_TIME
    columns = [
        pa.array(parsed[r.OFFSET]),
        pa.array(headers[row, b.POSITION]),
        pa.array(timestamps, mask=has_none) if has_none.any() else pa.array(timestamps),
        _timestamp_types(headers[row, b.ATTRIBUTES], has_none),
        binary_array(parsed[r.KEY_AT], key_sizes),
        binary_array(parsed[r.VALUE_AT], value_sizes),
        pa.array(key_sizes < 0),
        pa.array(value_sizes < 0),
        pa.array(np.maximum(key_sizes, 0).astype(np.int32)),
        pa.array(np.maximum(value_sizes, 0).astype(np.int32)),
        header_list,
        _control_types(parsed[r.CONTROL_TYPE]),
        pa.array(headers[row, b.PRODUCER_ID]),
        pa.array(headers[:, b.PRODUCER_EPOCH].astype(np.int16)[row]),
        pa.array(_sequences(headers[row, b.BASE_SEQUENCE], headers[row, b.BASE_OFFSET], parsed[r.OFFSET])),
    ]
    return pa.Table.from_arrays([*origin.columns(len(row)), *columns], schema=RECORD_COLUMNS)


def binary_array(addresses: b.Numbers, sizes: b.Numbers) -> pa.Array:
    """Fields at these addresses, copied into one Arrow array; size -1 is null."""
    ends = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(np.maximum(sizes, 0), out=ends[1:])
    buffer = pa.allocate_buffer(int(ends[-1]))  # Arrow's pool hands out pages that are mapped already
    gather(addresses, sizes, ends, np.frombuffer(buffer, np.uint8))
    is_there = sizes >= 0
    validity = None if is_there.all() else pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.Array.from_buffers(pa.binary(), len(sizes), [validity, pa.py_buffer(ends), buffer])


def header_lists(counts: b.Numbers, header_spans: b.Numbers) -> pa.Array:
    """Headers of each record, in order; an empty list if it has none."""
    ends = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=ends[1:])
    pairs = pa.StructArray.from_arrays(
        [
            binary_array(header_spans[r.HEADER_KEY_AT], header_spans[r.HEADER_KEY_SIZE]),
            binary_array(header_spans[r.HEADER_VALUE_AT], header_spans[r.HEADER_VALUE_SIZE]),
        ],
        fields=list(TABLES["records"].schema.field("headers").type.value_type),
    )
    return pa.ListArray.from_arrays(pa.array(ends), pairs)


def _timestamp_types(attributes: b.Numbers, has_none: NDArray[np.bool_]) -> pa.Array:
    is_append = attributes & r.LOG_APPEND_TIME != 0
    if is_append.any() or has_none.any():
        return TIMESTAMP_TYPES.take(pa.array(is_append.astype(np.int8), mask=has_none))
    return _create_times(1 << len(attributes).bit_length()).slice(0, len(attributes))


@lru_cache(16)
def _create_times(rows: int) -> pa.Array:
    return pa.repeat(TIMESTAMP_TYPES[0], rows)


def _control_types(numbers: b.Numbers) -> pa.Array:
    if (numbers == r.NO_CONTROL).all():
        return pa.nulls(len(numbers), pa.string())
    return CONTROL_TYPES.take(pa.array(numbers, mask=numbers == r.NO_CONTROL))


def _sequences(base: b.Numbers, base_offsets: b.Numbers, offsets: b.Numbers) -> NDArray[np.int32]:
    numbers = (base + offsets - base_offsets) % SEQUENCES
    return np.where(base < 0, -1, numbers).astype(np.int32)
