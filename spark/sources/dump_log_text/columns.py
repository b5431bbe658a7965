"""Walked lines as Arrow tables: BATCHES and RECORDS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark.runtime.compiled import compiled
from spark.sources._rows import RECORD_COLUMNS, RowOrigin
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows
from spark.sources.dump_log_text.rebuild import checksums, contents
from spark.sources.log_segment.columns import binary_array
from spark.tables import BATCHES, TABLES

CODEC_NAMES = pa.array(f.CODECS)
TYPE_NAMES = pa.array(["create", "log_append", None], pa.string())
CONTROL_NAMES = pa.array(f.CONTROL_NAMES)
COMMA = 44


@dataclass
class Marks:
    """Counts from a window's tables for the notes."""

    replaced: int = 0
    misfits: int = 0
    agreed: int = 0  # batches rebuilt whose checksum is the printed one
    differed: int = 0
    without_key: int = 0


def log_tables(
    origin: RowOrigin,
    rows: Rows,
    buffer: Bytes,
    base: int,
    carried: bool,
    broken: np.ndarray,
    is_bare: bool,
    marks: Marks,
) -> tuple[pa.Table | None, pa.Table | None]:
    """RECORDS and BATCHES of lines in file order. `carried`: the first row is a batch whose row was written before.

    `broken`: the rows of batches that were not printed to their end. `is_bare`: no contents are printed.
    """
    kinds = rows[:, f.KIND]
    is_deep = kinds == f.DEEP
    heads = with_groups(rows, is_deep) if is_deep.any() else np.isin(kinds, (f.BATCH, f.OLD_BATCH))
    of_row = np.cumsum(heads) - 1
    is_record = (kinds == f.RECORD) | is_deep
    batches, records = rows[heads], np.ascontiguousarray(rows[is_record])
    of_batch = of_row[is_record]
    keys, values = contents(records, buffer)
    is_told = are_printed(records)
    computed = checksums(batches, of_batch, records, keys, values)
    computed[(batches[:, f.VALID] == 0) & (computed == batches[:, f.CRC])] = (
        f.NONE
    )  # the tool saw other bytes
    read = None if is_bare else np.bincount(of_batch[of_batch >= 0], minlength=len(batches))
    batch_table = batches_table(
        origin, batches, groups_of(records, of_batch, len(batches)), computed, read, broken, of_row
    )
    if carried and len(batches):
        batch_table = batch_table.slice(1)
    count_marks(marks, batches, computed, records, is_told, is_bare)
    records_read = None
    if len(records) and not is_bare:
        records_read = records_table(origin, batches, of_batch, records, buffer, base, keys, values)
    return records_read, batch_table if len(batch_table) else None


def with_groups(rows: Rows, is_deep: np.ndarray) -> np.ndarray:
    """First rows of batches; lines with equal positions are one batch."""
    kinds = rows[:, f.KIND]
    is_same = np.r_[False, is_deep[1:] & is_deep[:-1] & (rows[1:, f.POSITION] == rows[:-1, f.POSITION])]
    heads: np.ndarray = (is_deep & ~is_same) | (kinds == f.BATCH) | (kinds == f.OLD_BATCH)
    return heads


def are_printed(records: Rows) -> np.ndarray:
    """Records whose key and value were printed, if they have any."""
    is_control = records[:, f.MARKER] != f.NONE
    key = (records[:, f.KEY_SIZE] < 0) | (records[:, f.KEY_AT] != f.NONE)
    value = (records[:, f.VALUE_SIZE] < 0) | (records[:, f.VALUE_AT] != f.NONE)
    is_told: np.ndarray = (key & value) | is_control
    return is_told


def count_marks(
    marks: Marks, batches: Rows, computed: Rows, records: Rows, is_told: np.ndarray, is_bare: bool
) -> None:
    flags = records[:, f.FLAGS]
    marks.replaced += int(((flags & f.REPLACED) != 0).sum())
    marks.misfits += int(((flags & f.MISFIT) != 0).sum())
    is_rebuilt = computed != f.NONE
    is_same = computed == batches[:, f.CRC]
    marks.agreed += int((is_rebuilt & is_same).sum())
    marks.differed += int((is_rebuilt & ~is_same).sum())
    marks.without_key += 0 if is_bare else int((~is_told).sum())


def records_table(
    origin: RowOrigin,
    batches: Rows,
    of_batch: Rows,
    records: Rows,
    buffer: Bytes,
    base: int,
    keys: pa.Array,
    values: pa.Array,
) -> pa.Table:
    """Rows of RECORDS without the columns that the decode stage adds."""
    has_batch = of_batch >= 0
    own = batches[np.where(has_batch, of_batch, 0)] if len(batches) else records
    own = np.where(has_batch[:, None], own, f.NONE)
    own[:, f.POSITION] = np.where(has_batch, own[:, f.POSITION], records[:, f.POSITION])
    position_in_text = records[:, f.START] + base
    no_producer = np.where((own[:, f.MAGIC] >= 0) & (own[:, f.MAGIC] < 2), -1, f.NONE)
    no_key, no_value = records[:, f.KEY_SIZE] < 0, records[:, f.VALUE_SIZE] < 0
    columns = [
        pa.array(records[:, f.OFFSET]),
        pa.array(first_told(own[:, f.POSITION], position_in_text)),
        times(records),
        TYPE_NAMES.take(masked(records[:, f.TIMESTAMP_TYPE], np.int8)),
        keys,
        values,
        pa.array(no_key),
        pa.array(no_value),
        pa.array(np.maximum(records[:, f.KEY_SIZE], 0).astype(np.int32)),
        pa.array(np.maximum(records[:, f.VALUE_SIZE], 0).astype(np.int32)),
        headers(own, records, buffer),
        CONTROL_NAMES.take(masked(records[:, f.MARKER], np.int8)),
        masked(first_told(records[:, f.PRODUCER_ID], own[:, f.PRODUCER_ID], no_producer), np.int64),
        masked(first_told(records[:, f.PRODUCER_EPOCH], own[:, f.PRODUCER_EPOCH], no_producer), np.int16),
        masked(first_told(records[:, f.SEQUENCE], no_producer), np.int32),
    ]
    return pa.Table.from_arrays([*origin.columns(len(records)), *columns], schema=RECORD_COLUMNS)


def first_told(*choices: Rows) -> Rows:
    """By row, the first value that is not NONE."""
    values = choices[0]
    for other in choices[1:]:
        values = np.where(values == f.NONE, other, values)
    return values


def masked(numbers: Rows, dtype: type = np.int64) -> pa.Array:
    """Null where nothing was printed."""
    is_absent = numbers == f.NONE
    return pa.array(np.where(is_absent, 0, numbers).astype(dtype), mask=is_absent)


def times(rows: Rows, printed: Rows | None = None) -> pa.Array:
    """Timestamps; format 0 has none and prints -1."""
    timestamps = rows[:, f.TIMESTAMP] if printed is None else printed
    is_absent = (timestamps == f.NONE) | (rows[:, f.TIMESTAMP_TYPE] == f.NO_TIMESTAMP)
    return pa.array(np.where(is_absent, 0, timestamps), mask=is_absent)


@compiled
def count_names(buffer: Bytes, records: Rows, at: int, end: int, counts: Rows) -> None:
    for row in range(len(records)):
        counts[row] = 0
        if records[row, at] != f.NONE and records[row, end] > records[row, at]:
            counts[row] = 1
            for i in range(records[row, at], records[row, end]):
                counts[row] += buffer[i] == COMMA


@compiled
def find_names(buffer: Bytes, records: Rows, at: int, end: int, counts: Rows, places: Rows) -> None:
    name = 0
    for row in range(len(records)):
        if counts[row] == 0:
            continue
        start = records[row, at]
        for i in range(records[row, at], records[row, end] + 1):
            if i == records[row, end] or buffer[i] == COMMA:
                places[0, name] = start
                places[1, name] = i - start
                name += 1
                start = i + 1


def headers(own: Rows, records: Rows, buffer: Bytes) -> pa.Array:
    """Header names with null values, which no version prints; null if the names are not printed either."""
    counts = np.empty(len(records), np.int64)
    count_names(buffer, records, f.HEADERS_AT, f.HEADERS_END, counts)
    places = np.empty((2, int(counts.sum())), np.int64)
    find_names(buffer, records, f.HEADERS_AT, f.HEADERS_END, counts, places)
    names = binary_array(places[0] + buffer.ctypes.data, np.ascontiguousarray(places[1]))
    fields = list(TABLES["records"].schema.field("headers").type.value_type)
    pairs = pa.StructArray.from_arrays([names, pa.nulls(len(names), pa.binary())], fields=fields)
    ends = np.r_[0, np.cumsum(counts)].astype(np.int32)
    has_none = (own[:, f.MAGIC] >= 0) & (own[:, f.MAGIC] < 2)
    is_silent = (records[:, f.HEADERS_AT] == f.NONE) & ~has_none
    return pa.ListArray.from_arrays(pa.array(ends), pairs, mask=pa.array(is_silent))


@dataclass(frozen=True)
class Groups:
    """What the record lines of each batch show together."""

    first_offset: Rows
    last_offset: Rows
    has_marker: np.ndarray
    first_time: Rows
    max_time: Rows


def groups_of(records: Rows, of_batch: Rows, count: int) -> Groups:
    """NONE for a batch without record lines."""
    first, last = np.full(count, 2**63 - 1, np.int64), np.full(count, f.NONE, np.int64)
    has_marker, first_time = np.zeros(count, bool), np.full(count, f.NONE, np.int64)
    chosen = of_batch >= 0
    np.minimum.at(first, of_batch[chosen], records[chosen, f.OFFSET])
    np.maximum.at(last, of_batch[chosen], records[chosen, f.OFFSET])
    max_time = np.full(count, f.NONE, np.int64)
    np.maximum.at(max_time, of_batch[chosen], records[chosen, f.TIMESTAMP])
    np.logical_or.at(has_marker, of_batch[chosen], records[chosen, f.MARKER] != f.NONE)
    numbers, at = np.unique(of_batch[chosen], return_index=True)
    first_time[numbers] = records[chosen][at, f.TIMESTAMP]
    return Groups(np.where(first == 2**63 - 1, f.NONE, first), last, has_marker, first_time, max_time)


def batches_table(
    origin: RowOrigin,
    batches: Rows,
    groups: Groups,
    computed: Rows,
    read: np.ndarray | None,
    broken: np.ndarray,
    of_row: Rows,
) -> pa.Table:
    """Rows of BATCHES. Lines of 0.11 to 2.1 with contents name no batch: sizes and counts are null."""
    kinds, magic = batches[:, f.KIND], batches[:, f.MAGIC]
    is_deep, is_v2 = kinds == f.DEEP, magic == 2
    following = np.r_[batches[1:, f.POSITION], f.NONE]
    room = following - batches[:, f.POSITION]
    is_told = (
        batches[:, f.FLAGS] & f.SHORTENED
    ) == 0  # of a shortened line neither place nor size may be printed
    sizes = np.where(is_told & (following > batches[:, f.POSITION]) & (room < 2**31), room, f.NONE)
    sizes = first_told(batches[:, f.SIZE], sizes)
    old = np.where(is_v2, f.NONE, -1)
    last = first_told(batches[:, f.LAST_OFFSET], np.where(is_deep, groups.last_offset, batches[:, f.OFFSET]))
    base = first_told(batches[:, f.BASE_OFFSET], groups.first_offset, batches[:, f.OFFSET])
    is_single = ~is_v2 & (batches[:, f.CODEC] == 0)
    records_read = np.full(len(batches), f.NONE, np.int64) if read is None else read.astype(np.int64)
    if len(broken) and len(batches):
        records_read[of_row[broken][of_row[broken] >= 0]] = f.NONE
    base_times = np.where(computed == batches[:, f.CRC], groups.first_time, f.NONE)
    transactional = first_told(batches[:, f.TRANSACTIONAL], np.where(is_v2, f.NONE, 0))
    control = first_told(
        batches[:, f.CONTROL], np.where(is_v2 & ~is_deep & (read is None), f.NONE, groups.has_marker)
    )
    columns = [
        pa.array(batches[:, f.POSITION]),
        masked(sizes, np.int32),
        pa.array(np.minimum(base, last)),
        pa.array(last),
        pa.array(magic.astype(np.int8)),
        CODEC_NAMES.take(masked(batches[:, f.CODEC], np.int8)),
        TYPE_NAMES.take(masked(batches[:, f.TIMESTAMP_TYPE], np.int8)),
        masked(base_times),
        times(batches, np.where(is_deep, groups.max_time, batches[:, f.TIMESTAMP])),
        masked(batches[:, f.HORIZON]),
        masked(first_told(batches[:, f.LEADER_EPOCH], old), np.int32),
        masked(first_told(batches[:, f.PRODUCER_ID], old)),
        masked(first_told(batches[:, f.PRODUCER_EPOCH], old), np.int16),
        masked(
            first_told(batches[:, f.BASE_SEQUENCE], np.where(is_deep, batches[:, f.SEQUENCE], f.NONE), old),
            np.int32,
        ),
        masked(transactional, np.bool_),
        masked(control, np.bool_),
        masked(first_told(batches[:, f.COUNT], np.where(is_single, 1, f.NONE)), np.int32),
        masked(records_read, np.int32),
        masked(batches[:, f.CRC]),
        masked(computed),
        masked(batches[:, f.VALID], np.bool_),
    ]
    return pa.Table.from_arrays([*origin.columns(len(batches)), *columns], schema=BATCHES.schema)
