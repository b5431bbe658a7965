"""Reads a split of the output: records into RECORDS, other lines into damage."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from spark.sources import Chunk, Split
from spark.sources._byte_window import ByteWindow
from spark.sources._grammar.values import is_cut_document
from spark.sources._rows import RECORD_COLUMNS, DamagedRange, Reason, RowOrigin, damage_table
from spark.sources.console_consumer import walk as w
from spark.sources.console_consumer.shape import ConsoleShape
from spark.sources.console_consumer.walk import Bytes, Rows
from spark.sources.log_segment.columns import binary_array
from spark.storage.files import file_size, open_binary
from spark.tables import TABLES
from spark.terms.wording import plural

WINDOW_BYTES = 8 * 1024 * 1024
MAX_RECORD_BYTES = 256 * 1024 * 1024
ROWS_PER_WINDOW = 65_536
TYPES = pa.array(["create", "log_append", None], pa.string())
LEGIBLE_OFFSET = re.compile(rb"Offset:(\d{1,18})\b")
QUOTED_BYTES = 80
COLUMNS = (
    "has_time",
    "has_partition",
    "has_offset",
    "has_delivery",
    "has_epoch",
    "has_headers",
    "has_key",
    "partition_is_last",
    "has_cr",
)


def read(split: Split, window_bytes: int = WINDOW_BYTES) -> Iterator[Chunk]:
    shape = ConsoleShape(**split.detail["shape"])  # type: ignore[arg-type]
    yield Chunk(note=opening(shape))
    number = extras = 0
    is_open = False
    size = file_size(split.path)
    for rows, buffer, base in windows(split, shape, window_bytes):
        if base + rows[-1, w.END] == size and is_cut(rows[-1], buffer):
            rows[-1, w.KIND] = w.BROKEN
        records = np.ascontiguousarray(rows[rows[:, w.KIND] == w.RECORD])
        is_open = buffer[rows[-1, w.END] - 1] != w.LF
        if not shape.has_offset:
            records[:, w.OFFSET] = np.arange(number, number + len(records))
        number += len(records)
        extras += int(records[:, w.EXTRA].sum())
        is_odd = np.isin(rows[:, w.KIND], (w.JUNK, w.BROKEN))
        damage = damage_of(split, rows, buffer, base, is_odd)
        yield Chunk(
            records=records_table(split, shape, records, buffer, base) if len(records) else None,
            damage=damage_table(RowOrigin.of_split(split), damage) if is_odd.any() else None,
        )
    if note := closing(extras, is_open and split.end == size):
        yield Chunk(note=note)


def is_cut(row: Rows, buffer: Bytes) -> bool:
    """Whether a file ends within the value of its last record: no line feed, and a JSON document that is not closed."""
    if row[w.KIND] != w.RECORD or buffer[row[w.END] - 1] == w.LF:
        return False
    return is_cut_document(buffer[row[w.VALUE_AT] : row[w.VALUE_AT + 1]].tobytes())


def opening(shape: ConsoleShape) -> str:
    sentences = [f"Columns: {shape.words}. The text {shape.null} is read as null."]
    if not shape.has_offset:
        sentences.append("The output contains no offsets. The records are numbered in their order.")
    if not shape.has_key:
        sentences.append("The output contains no keys.")
    if not (shape.has_partition or shape.partition_is_last):
        sentences.append("The output contains no partitions. All records are shown in one partition.")
    return " ".join(sentences)


def closing(extras: int, is_open: bool) -> str:
    sentences = []
    if extras:
        records = plural(extras, "record contains", "records contain")
        sentences.append(f"{records} the separator in the key or value: the key ends at the first one.")
    if is_open:
        sentences.append("The last line has no line feed: its value may be truncated.")
    return " ".join(sentences)


def windows(split: Split, shape: ConsoleShape, window_bytes: int) -> Iterator[tuple[Rows, Bytes, int]]:
    """Walked rows, the bytes they point into (reused by the next window) and their position in the file."""
    columns = np.array([getattr(shape, name) for name in COLUMNS], np.uint8)
    separator = np.frombuffer(bytearray(shape.separator.encode("latin-1")), np.uint8)
    with open_binary(split.path, 0) as file:
        size_bytes = max(512, min(window_bytes, split.end - split.start))
        window = ByteWindow(file, split.start, split.end, size_bytes)
        rows = np.empty((min(ROWS_PER_WINDOW, size_bytes // 8 + 8), w.FIELDS), np.int64)
        scribble = np.empty(w.FIELDS, np.int64)
        while not window.is_all or window.used:
            window.fill()
            is_end = window.is_all or window.used >= MAX_RECORD_BYTES
            count, done = w.walk(window.buffer, window.used, is_end, columns, separator, rows, scribble)
            if count:
                yield rows[:count], window.buffer, window.base
            window.drop(done if count else 0)


def records_table(split: Split, shape: ConsoleShape, rows: Rows, buffer: Bytes, base: int) -> pa.Table:
    """Rows of RECORDS without the columns that the decode stage adds."""
    count = len(rows)
    null = np.array(bytearray(shape.null.encode()), np.uint8)
    key, no_key = text(rows, buffer, w.KEY_AT, null)
    value, no_value = text(rows, buffer, w.VALUE_AT, null)
    has_time = (rows[:, w.TIMESTAMP_TYPE] == 0) | (rows[:, w.TIMESTAMP_TYPE] == 1)
    partitions = np.where(rows[:, w.PARTITION] == w.NONE, split.partition, rows[:, w.PARTITION])
    cells: dict[str, pa.Array] = {
        "topic": pa.repeat(split.topic, count),
        "partition": pa.array(partitions.astype(np.int32)),
        "replica": pa.repeat(split.replica, count),
        "file": pa.repeat(pa.scalar(split.file, pa.int32()), count),
        "offset": pa.array(rows[:, w.OFFSET]),
        "batch_position": pa.array(rows[:, w.START] + base),
        "timestamp_ms": pa.array(np.where(has_time, rows[:, w.TIMESTAMP], 0), mask=~has_time),
        "timestamp_type": TYPES.take(pa.array(np.where(has_time, rows[:, w.TIMESTAMP_TYPE], 2))),
        "key": key,
        "value": value,
        "key_is_null": pa.array(no_key),
        "value_is_null": pa.array(no_value),
        "key_size_bytes": sizes(key),
        "value_size_bytes": sizes(value),
        "headers": headers(rows, buffer, null),
    }
    arrays = [cells[c.name] if c.name in cells else pa.nulls(count, c.type) for c in RECORD_COLUMNS]
    return pa.Table.from_arrays(arrays, schema=RECORD_COLUMNS)


def text(rows: Rows, buffer: Bytes, at: int, null: Bytes) -> tuple[pa.Array, np.ndarray]:
    """A column's bytes, null for the text `null` and where the column was not printed; and which are null."""
    null_flags = np.zeros(len(rows), np.uint8)
    w.is_null(buffer, rows, at, at + 1, null, null_flags)
    is_absent = (null_flags != 0) | (rows[:, at] == w.NONE)
    addresses = np.where(is_absent, 0, rows[:, at] + buffer.ctypes.data)
    return binary_array(addresses, np.where(is_absent, -1, rows[:, at + 1] - rows[:, at])), is_absent


def sizes(column: pa.Array) -> pa.Array:
    """Length in bytes, 0 for null."""
    ends = np.frombuffer(column.buffers()[1], np.int32, len(column) + 1)
    return pa.array(np.diff(ends))


def headers(rows: Rows, buffer: Bytes, null: Bytes) -> pa.Array:
    """Headers of each record; null if they were not printed."""
    counts = np.empty(len(rows), np.int64)
    total = w.find_headers(buffer, rows, counts, np.empty((4, 0), np.int64))
    places = np.empty((4, total), np.int64)
    w.find_headers(buffer, rows, counts, places)
    is_null = np.zeros(total, np.uint8)
    w.is_null(buffer, np.ascontiguousarray(places.T), 2, 3, null, is_null)
    names = binary_array(places[0] + buffer.ctypes.data, places[1] - places[0])
    value_sizes = np.where(is_null != 0, -1, places[3] - places[2])
    values = binary_array(places[2] + buffer.ctypes.data, value_sizes)
    fields = list(TABLES["records"].schema.field("headers").type.value_type)
    pairs = pa.StructArray.from_arrays([names, values], fields=fields)
    ends = pa.array(np.r_[0, np.cumsum(counts)].astype(np.int32))
    return pa.ListArray.from_arrays(ends, pairs, mask=pa.array(rows[:, w.HEADERS_AT] == w.NONE))


def damage_of(
    split: Split, rows: Rows, buffer: Bytes, base: int, is_odd: np.ndarray
) -> Iterator[DamagedRange]:
    for number in np.flatnonzero(is_odd).tolist():
        row = rows[number]
        start, end = int(row[w.START]), int(row[w.END])
        line = buffer[start : min(end, start + 400)].tobytes()
        match = LEGIBLE_OFFSET.search(line)
        offset = int(match[1]) if match else None
        is_last = number == len(rows) - 1 and base + end >= split.end
        ends_early = is_last and buffer[end - 1] != w.LF
        why = (
            "the record is truncated" if ends_early else "its columns differ from those of the first records"
        )
        quoted = line[:QUOTED_BYTES].decode(errors="replace").strip()
        reason: Reason = "truncated" if ends_early else "bad_line"
        detail = f"{why}: {quoted}"
        yield DamagedRange(base + start, end - start, reason, detail, offset, offset, not is_last)
