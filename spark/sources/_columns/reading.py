"""Rows as records by a mapping. All rows are looked at twice: first for what the cells of a column prove, then to read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spark.sources._columns.cells import ByteColumn, TimeColumn
from spark.sources._lines.named_parts import headers, whole_number
from spark.sources._lines.records import TextRecord, UnreadLine
from spark.terms.column_mapping import ColumnName
from spark.terms.wording import listed, plural

NULL_WORDS = ("null", "NULL", "<null>", "(null)", "\\N", "ᴺᵁᴸᴸ")
LACKS = {"offset": "offset", "timestamp": "timestamps", "headers": "headers", "key": "key"}
MAX_NAMED = 20


class PlacedParts(NamedTuple):
    """A row's cells by part; one that the row lacks is absent. `parts` is None for what is not a row, and `why` says why."""

    start: int
    end: int
    parts: Mapping[str, Any] | None
    why: str = ""
    raw: bytes = b""


Rows = Callable[[], Iterable[PlacedParts]]


def lacking(columns: Mapping[str, ColumnName]) -> list[str]:
    """What the input lacks because no column has it."""
    return [lack for role, lack in LACKS.items() if role not in columns]


@dataclass
class MappedRecords:
    """`named`: what columns are called, in the plural; `others`: those that no part is read from."""

    columns: Mapping[str, ColumnName]
    named: str
    others: list[str]
    prints_null: bool = False  # the form of the table has a word for null
    cuts_needed: int = 1
    times: TimeColumn = field(default_factory=TimeColumn)
    keys: ByteColumn = field(init=False)
    values: ByteColumn = field(init=False)
    null_words: int = 0
    as_json: int = 0
    absent: dict[str, int] = field(default_factory=lambda: {"key": 0, "value": 0})

    def __post_init__(self) -> None:
        self.keys = ByteColumn(("key", "keys"), self.cuts_needed)
        self.values = ByteColumn(("value", "values"), self.cuts_needed)

    def read(self, rows: Rows) -> Iterator[TextRecord | UnreadLine]:
        for row in rows():
            if row.parts is not None:
                self.see(row.parts)
        for column in (self.keys, self.values):
            column.decide()
        for row in rows():
            yield self.record(row)

    def see(self, parts: Mapping[str, Any]) -> None:
        for role, column in (("key", self.keys), ("value", self.values)):
            cell = parts.get(role)
            self.null_words += self.is_null_word(cell)
            if isinstance(cell, str) and cell and not self.is_null_word(cell):
                column.see(cell)
        time = parts.get("timestamp")
        if time is not None and not isinstance(time, bool) and str(time).strip():
            self.times.see(str(time))

    def record(self, row: PlacedParts) -> TextRecord | UnreadLine:
        if row.parts is None:
            return UnreadLine(row.start, row.end, row.why, row.raw)
        parts = row.parts
        numbers = {role: whole_number(stripped(parts.get(role))) for role in ("offset", "partition")}
        for role, number in numbers.items():
            is_needed = role == "offset" or not self.is_null(parts.get(role))
            if role in self.columns and number is None and is_needed:
                return UnreadLine(row.start, row.end, f"no {role} that is a whole number", row.raw)
        topic = parts.get("topic")
        record = TextRecord(row.start, row.end, offset=numbers["offset"], partition=numbers["partition"])
        record.topic = topic.strip() if isinstance(topic, str) and topic.strip() else None
        time = parts.get("timestamp")
        is_time = not self.is_null(time) and not isinstance(time, bool)
        record.timestamp_ms = self.times.ms(str(time)) if is_time else None
        if "headers" in self.columns:
            record.headers = headers(parsed_headers(parts.get("headers")))
        record.key, record.key_is_null = self.side("key", parts, self.keys)
        record.value, record.value_is_null = self.side("value", parts, self.values)
        return record

    def side(self, role: str, parts: Mapping[str, Any], column: ByteColumn) -> tuple[bytes | None, bool]:
        """Key or value, and whether it is null. One without a column, or that the tool cut, is unknown and not null."""
        if role not in parts:
            self.absent[role] += 1
            return None, False
        cell = parts[role]
        if self.is_null(cell):
            return None, True
        if isinstance(cell, str):
            return column.bytes_of(cell) if cell else b"", False
        self.as_json += 1
        return json.dumps(cell, separators=(",", ":"), ensure_ascii=False).encode(), False

    def is_null_word(self, cell: Any) -> bool:
        return self.prints_null and cell in NULL_WORDS

    def is_null(self, cell: Any) -> bool:
        """An empty cell is null, unless the table has a word for it, or the file is JSON."""
        is_empty = cell == "" and self.named == "Columns" and not self.null_words
        return cell is None or is_empty or self.is_null_word(cell)

    def note(self) -> str:
        read = listed([f"{role} from {column}" for role, column in self.columns.items()])
        sentences = [f"Read by {self.named.lower()}: {read}."]
        if self.others:
            sentences.append(f"{self.named} that were not read: {listed(self.others[:MAX_NAMED])}.")
        if "offset" not in self.columns:
            sentences.append("Without offsets, the records are numbered.")
        sentences += [
            f"{plural(count, 'record')} without a {role}: the {role} is unknown, not null."
            for role, count in self.absent.items()
            if count
        ]
        if self.null_words:
            sentences.append("The word for null is read as null, an empty cell as empty.")
        sentences += [
            *self.times.sentences(),
            *(sentence for column in (self.keys, self.values) for sentence in column.sentences()),
        ]
        if self.as_json:
            sentences.append("Keys and values that are JSON in the file are kept as compact JSON text.")
        return " ".join(sentences)


def stripped(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def parsed_headers(cell: Any) -> Any:
    """A cell that is JSON, as its value; other texts are no headers."""
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None
