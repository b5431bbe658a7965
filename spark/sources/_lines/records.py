"""Records read one by one as Arrow tables, and other lines as damage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from spark.sources import Chunk, Split
from spark.sources._lines.lines import TextLine
from spark.sources._rows import RECORD_COLUMNS, DamagedRange, Reason, RowOrigin
from spark.sources._rows import damage_table as table_of_damage

ROWS_PER_CHUNK = 50_000
BYTES_PER_CHUNK = 64 << 20
QUOTED_BYTES = 80


@dataclass(slots=True)
class TextRecord:
    """One record; None for what the output does not show. A key or value that is None but not null was not printed."""

    start: int
    end: int
    key: bytes | None = None
    value: bytes | None = None
    key_is_null: bool = True
    value_is_null: bool = True
    offset: int | None = None
    partition: int | None = None
    topic: str | None = None
    timestamp_ms: int | None = None
    timestamp_type: str | None = None
    headers: list[tuple[bytes, bytes | None]] | None = None
    key_size: int | None = None
    value_size: int | None = None


@dataclass(slots=True)
class UnreadLine:
    """A line that is no record."""

    start: int
    end: int
    why: str
    text: bytes = b""
    offset: int | None = None
    is_cut: bool = False

    @classmethod
    def from_line(cls, line: TextLine, why: str) -> UnreadLine:
        """A line that is not a record for this reason, or because the file ends within it."""
        is_cut = not line.is_whole
        return cls(
            line.start, line.end, "the record is truncated" if is_cut else why, line.text, is_cut=is_cut
        )


def record(start: int, end: int, key: bytes | None, value: bytes | None, **more: Any) -> TextRecord:
    """A record whose key and value are printed, null if they are None."""
    return TextRecord(start, end, key, value, key is None, value is None, **more)


def chunks(
    split: Split, text_records: Iterable[TextRecord | UnreadLine], note: Callable[[], str] = str
) -> Iterator[Chunk]:
    """RECORDS and DAMAGE, a bounded number of rows and bytes at a time; records without offsets are numbered from 0.

    `note` returns what users should know after reading, or nothing.
    """
    number = 0
    for portion in portions(map(plausible, text_records)):
        records = [row for row in portion if isinstance(row, TextRecord)]
        for row in records:
            row.offset = number if row.offset is None else row.offset
            number += 1
        damage = [row for row in portion if isinstance(row, UnreadLine)]
        yield Chunk(
            records=records_table(split, records) if records else None,
            damage=damage_table(split, damage) if damage else None,
        )
    if text := note():
        yield Chunk(note=text)


def portions(rows: Iterable[TextRecord | UnreadLine]) -> Iterator[list[TextRecord | UnreadLine]]:
    """Rows in groups limited by their number and the bytes of their text."""
    portion: list[TextRecord | UnreadLine] = []
    size_bytes = 0
    for row in rows:
        portion.append(row)
        size_bytes += row.end - row.start
        if len(portion) == ROWS_PER_CHUNK or size_bytes >= BYTES_PER_CHUNK:
            yield portion
            portion, size_bytes = [], 0
    if portion:
        yield portion


def plausible(row: TextRecord | UnreadLine) -> TextRecord | UnreadLine:
    """The row without numbers outside Kafka's range; a record with such an offset becomes an unread line."""
    if isinstance(row, UnreadLine):
        row.offset = row.offset if has_room(row.offset, 63) else None
        return row
    if not (has_room(row.offset, 63) and has_room(row.partition, 31)):
        return UnreadLine(row.start, row.end, "its offset or partition is out of Kafka's range")
    row.timestamp_ms = row.timestamp_ms if has_room(row.timestamp_ms, 63) else None
    row.key_size = row.key_size if has_room(row.key_size, 31) else None
    row.value_size = row.value_size if has_room(row.value_size, 31) else None
    return row


def has_room(number: int | None, bits: int) -> bool:
    """Whether a number fits into so many bits and a sign."""
    return number is None or -(1 << bits) <= number < 1 << bits


def records_table(split: Split, records: list[TextRecord]) -> pa.Table:
    """Rows of RECORDS without the columns that the decode stage adds."""
    cells: dict[str, list[Any]] = {
        "topic": [record.topic or split.topic for record in records],
        "partition": [
            split.partition if record.partition is None else record.partition for record in records
        ],
        "replica": [split.replica] * len(records),
        "file": [split.file] * len(records),
        "offset": [record.offset for record in records],
        "batch_position": [record.start for record in records],
        "timestamp_ms": [record.timestamp_ms for record in records],
        "timestamp_type": [record.timestamp_type for record in records],
        "key": [record.key for record in records],
        "value": [record.value for record in records],
        "key_is_null": [record.key_is_null for record in records],
        "value_is_null": [record.value_is_null for record in records],
        "key_size_bytes": [size(record.key_size, record.key) for record in records],
        "value_size_bytes": [size(record.value_size, record.value) for record in records],
        "headers": [
            None
            if record.headers is None
            else [{"key": name, "value": text} for name, text in record.headers]
            for record in records
        ],
    }
    arrays = [
        pa.array(cells[column.name], column.type)
        if column.name in cells
        else pa.nulls(len(records), column.type)
        for column in RECORD_COLUMNS
    ]
    return pa.Table.from_arrays(arrays, schema=RECORD_COLUMNS)


def size(printed_size: int | None, data: bytes | None) -> int:
    """The printed size, otherwise that of the printed bytes."""
    return max(printed_size, 0) if printed_size is not None else len(data or b"")


def damage_table(split: Split, unread: list[UnreadLine]) -> pa.Table:
    """Rows of DAMAGE; adjacent lines become one row."""
    damage: list[DamagedRange] = []
    for line in unread:
        size_bytes = line.end - line.start
        if damage and damage[-1].end == line.start and not line.is_cut:
            damage[-1] = replace(damage[-1], size_bytes=damage[-1].size_bytes + size_bytes)
            continue
        quoted = line.text[:QUOTED_BYTES].decode(errors="replace").strip()
        detail = f"{line.why}: {quoted}" if quoted else line.why
        reason: Reason = "truncated" if line.is_cut else "bad_line"
        is_read_on = line.end < split.end
        damage.append(
            DamagedRange(line.start, size_bytes, reason, detail, line.offset, line.offset, is_read_on)
        )
    return table_of_damage(RowOrigin.of_split(split), damage)
