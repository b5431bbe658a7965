"""From one window of records to rows of RECORDS, and from damage to rows of DAMAGE."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.sources import Split
from spark.sources._json import numbers, scan, strings
from spark.sources._json.scan import Bytes, Places
from spark.sources._json.spans import Mask, Spans, Values, to_bytes, to_text, to_whole_numbers
from spark.sources._json.stream import StreamWindow, UnreadSpan
from spark.sources._json.string_encodings import StringEncoding
from spark.sources._rows import RECORD_COLUMNS
from spark.storage.files import open_binary
from spark.tables import DAMAGE

NOT_A_NUMBER, NOT_A_PAIR = 5, 7  # besides the scanner's reasons

_REASONS = {
    scan.NOT_JSON: "not JSON: no object begins at byte {at}",
    scan.BROKEN: "not valid JSON at byte {at}",
    scan.NO_OFFSET: "an object without an `{offset}` member",
    scan.CUT_OFF: "the record is truncated at byte {at}",
    NOT_A_PAIR: "not a pair of key and value",
    scan.NOT_A_ROW: "not a row of this file's columns, from byte {at} on",
    NOT_A_NUMBER: "its offset or partition is not a whole number in range",
}
_LOOKED_AT_BYTES = 65_536
_SPANS_LOOKED_AT = 1_000


@dataclass(frozen=True)
class RecordField:
    """A key, a value, or the values of headers.

    `text` is read with the file's encoding, or as UTF-8 if the layout defines it (`is_told`). If `base64` is present, it has
    the record's bytes, whatever `text` contains. `is_null` and `sizes` (number, state) override what the bytes show.
    """

    text: Spans
    base64: Spans | None = None
    is_null: Mask | None = None
    sizes: tuple[Places, Bytes] | None = None
    is_told: bool = False

    @property
    def nulls(self) -> Mask:
        if self.is_null is not None:
            return self.is_null
        return self.text.is_null if self.base64 is None else self.text.is_null & self.base64.is_null


@dataclass(frozen=True)
class Headers:
    """Headers of all records in sequence: the count by record, names, values."""

    counts: Places
    names: Spans
    values: RecordField


@dataclass(frozen=True)
class Fields:
    """A window's values as a layout reads them. Times: milliseconds, and which rows have one."""

    offset: Spans | None  # None: the layout has none, and rows are numbered
    key: RecordField
    value: RecordField
    topic: Spans | None = None
    partition: Spans | None = None
    timestamps_ms: tuple[Places, Mask] | None = None
    timestamp_type: pa.Array | None = None
    headers: Headers | None = None
    is_readable: Mask | None = None  # what is not is damage, though its JSON is sound
    is_record: Mask | None = None  # what is not (a progress event) gives no row and no damage


FieldsOf = Callable[[list[Spans]], Fields]


@dataclass
class Tally:
    """Counts of keys and values that do not fit the encoding, by problem."""

    wide: int = 0
    replaced: int = 0
    printed: int = 0
    not_base64: int = 0
    rows: int = 0  # read before, to number the records of a layout without offsets

    def add(self, problems: Bytes) -> None:
        self.wide += int(np.count_nonzero(problems & strings.WIDE))
        self.replaced += int(np.count_nonzero(problems & strings.REPLACED))
        self.printed += int(np.count_nonzero(problems & strings.PRINTED))
        self.not_base64 += int(np.count_nonzero(problems & strings.NOT_BASE64))

    def sentences(self, reading: StringEncoding) -> str:
        counted = [
            (
                self.replaced,
                "{} contain U+FFFD: the tool replaced bytes there, and the original bytes are lost.",
            ),
            (
                self.printed,
                "{} are JSON in the dump. The original bytes are unknown.",
            ),
            (self.not_base64, "{} are not base64 and are read as text."),
            (
                self.wide if reading.characters else 0,
                "{} contain characters above U+00FF and are read as UTF-8.",
            ),
        ]
        return " ".join(text.format(f"{count} keys or values") for count, text in counted if count)


def table(
    split: Split, window: StreamWindow, fields: Fields, reading: StringEncoding, tally: Tally
) -> tuple[pa.Table, Mask]:
    """The window's rows, and which records are readable: those with valid numbers."""
    rows = len(window.starts)
    offsets, is_good = _offsets(fields, tally, rows)
    cells: dict[str, pa.Array] = {
        "file": _constant(split.file, pa.int32(), rows),
        "topic": _topics(split, fields, rows),
        "replica": _constant(split.replica, pa.string(), rows),
        "offset": pa.array(offsets),
        "batch_position": pa.array(window.starts),
    }
    cells["partition"], is_in_range = _partitions(split, fields, rows)
    if fields.timestamps_ms is not None:
        times, has_time = fields.timestamps_ms
        cells["timestamp_ms"] = pa.array(times, mask=~has_time)
    if fields.timestamp_type is not None:
        cells["timestamp_type"] = fields.timestamp_type
    cells |= _bytes("key", fields.key, reading, reading.key_is_base64, tally)
    cells |= _bytes("value", fields.value, reading, reading.value_is_base64, tally)
    if fields.headers is not None:
        cells["headers"] = _headers(fields.headers, reading)
    is_good = is_good & is_in_range & (True if fields.is_readable is None else fields.is_readable)
    is_row = is_good if fields.is_record is None else is_good & fields.is_record
    arrays = [cells.get(column.name, None) for column in RECORD_COLUMNS]
    filled = [pa.nulls(rows, c.type) if a is None else a for c, a in zip(RECORD_COLUMNS, arrays, strict=True)]
    window_rows = pa.Table.from_arrays(filled, schema=RECORD_COLUMNS)
    is_sound = is_good if fields.is_record is None else is_good | ~fields.is_record
    return window_rows if is_row.all() else window_rows.filter(pa.array(is_row)), is_sound


def _offsets(fields: Fields, tally: Tally, rows: int) -> tuple[Places, Mask]:
    """Offsets and which rows have one; row numbers if the layout has none."""
    if fields.offset is not None:
        offsets, states = to_whole_numbers(fields.offset)
        return offsets, states == numbers.WHOLE
    first, tally.rows = tally.rows, tally.rows + rows
    return np.arange(first, first + rows, dtype=np.int64), np.full(rows, True)


def _constant(value: object, type_: pa.DataType, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, type_), rows)


def _topics(split: Split, fields: Fields, rows: int) -> pa.Array:
    if fields.topic is None or fields.topic.is_null.all():
        return _constant(split.topic, pa.string(), rows)
    return pc.fill_null(to_text(fields.topic), split.topic)


def _partitions(split: Split, fields: Fields, rows: int) -> tuple[pa.Array, Mask]:
    if fields.partition is None:
        return _constant(split.partition, pa.int32(), rows), np.full(rows, True)
    numbers_read, states = to_whole_numbers(fields.partition)
    partitions = np.where(states == numbers.WHOLE, numbers_read, split.partition)
    is_in_range = (states != numbers.NOT_WHOLE) & (partitions >= 0) & (partitions < 2**31)
    return pa.array(np.where(is_in_range, partitions, 0).astype(np.int32)), is_in_range


def _bytes(
    name: str, field: RecordField, reading: StringEncoding, is_base64: bool, tally: Tally
) -> dict[str, pa.Array]:
    values = _values(field, reading, is_base64)
    tally.add(values.problems)
    sizes = values.sizes
    if field.sizes is not None:
        written, states = field.sizes
        sizes = np.where(
            (states == numbers.WHOLE) & (written >= 0) & (written < 2**31), written, sizes
        ).astype(np.int32)
    return {
        name: values.column,
        f"{name}_is_null": pa.array(field.nulls),
        f"{name}_size_bytes": pa.array(np.where(field.nulls, 0, sizes).astype(np.int32)),
    }


def _values(field: RecordField, reading: StringEncoding, is_base64: bool) -> Values:
    """The field's bytes; its base64 first, if it has some."""
    characters = strings.UTF_8 if field.is_told else reading.characters or strings.UTF_8
    is_base64 = is_base64 and not field.is_told
    if field.base64 is None or field.base64.is_null.all():
        return to_bytes(field.text, characters, is_base64)
    own = to_bytes(field.base64, strings.UTF_8, is_base64=True)
    others = to_bytes(field.text.masked_by(field.base64.is_null), characters, is_base64)
    return Values(pc.coalesce(own.column, others.column), own.problems | others.problems)


def _headers(headers: Headers, reading: StringEncoding) -> pa.Array:
    names = to_bytes(headers.names, reading.characters or strings.UTF_8).column
    values = _values(headers.values, reading, is_base64=False).column
    pairs = pa.StructArray.from_arrays([names, values], ["key", "value"])
    offsets = np.concatenate([[0], np.cumsum(headers.counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pairs)


def unreadable(window: StreamWindow, is_good: Mask, why: int = NOT_A_NUMBER) -> list[UnreadSpan]:
    """Records with an invalid offset or partition, or that are not a pair, as damage."""
    places = zip(window.starts[~is_good].tolist(), window.ends[~is_good].tolist(), strict=True)
    return [UnreadSpan(start, end, why, start, False) for start, end in places]


@dataclass(frozen=True)
class Whereabouts:
    """Topic and partition of the record before a position in the file; damage is reported for that partition."""

    topic: str
    partition: int

    def after(self, rows: pa.Table) -> Whereabouts:
        if not len(rows):
            return self
        return Whereabouts(rows.column("topic")[-1].as_py(), rows.column("partition")[-1].as_py())

    def before(self, positions: Places, earlier: pa.Table) -> tuple[pa.Array, pa.Array]:
        """Topics and partitions of the rows that begin before each position, else `earlier`."""
        rows = np.searchsorted(earlier.column("batch_position").to_numpy(), positions) - 1
        if not len(earlier):
            return _constant(self.topic, pa.string(), len(rows)), _constant(
                self.partition, pa.int32(), len(rows)
            )
        is_first, near = pa.array(rows < 0), earlier.take(pa.array(np.maximum(rows, 0)))
        topics = pc.if_else(is_first, self.topic, near.column("topic").combine_chunks())
        partitions = pc.if_else(is_first, self.partition, near.column("partition").combine_chunks())
        return topics, partitions.cast(pa.int32())


def damage(
    split: Split,
    spans: Sequence[UnreadSpan],
    places: tuple[pa.Array, pa.Array],
    names: tuple[str, str],
    file_bytes: int,
) -> pa.Table:
    """Rows of DAMAGE for these topics and partitions. `names`: what every record has, and the offset's name."""
    needed_name, offset_name = names
    rows = len(spans)
    is_cut = [s.why == scan.CUT_OFF and s.is_last and s.end >= file_bytes for s in spans]
    legible = _legible_offsets(split.path, spans[:_SPANS_LOOKED_AT], offset_name)
    legible += [[]] * (rows - len(legible))
    cells = [
        *places,
        _constant(split.replica, pa.string(), rows),
        _constant(split.file, pa.int32(), rows),
        [span.start for span in spans],
        [span.end - span.start for span in spans],
        ["truncated" if cut else "bad_line" for cut in is_cut],
        [_detail(span, cut, needed_name) for span, cut in zip(spans, is_cut, strict=True)],
        [min(offsets, default=None) for offsets in legible],
        [max(offsets, default=None) for offsets in legible],
        [not span.is_last or span.end < file_bytes for span in spans],
    ]
    return pa.table(cells, schema=DAMAGE.schema)


def _detail(span: UnreadSpan, is_cut: bool, offset_name: str) -> str:
    why = scan.BROKEN if span.why == scan.CUT_OFF and not is_cut else span.why
    return _REASONS[why].format(at=span.at, offset=offset_name)


def _legible_offsets(path: str, spans: Sequence[UnreadSpan], offset_name: str) -> list[list[int]]:
    """For each damaged range the offsets that are still readable; a name within a string would be escaped."""
    pattern = re.compile(rb'(?<!\\)"%s"\s*:\s*(\d{1,18})\s*[,}]' % re.escape(offset_name.encode()))
    offset_lists = []
    with open_binary(path) as file:
        for span in spans:
            file.seek(span.start)
            text = file.read(min(span.end - span.start, _LOOKED_AT_BYTES))
            offset_lists.append([int(offset) for offset in pattern.findall(text)])
    return offset_lists
