"""Tables of records as Spark's `show()` and console sink, Flink's SQL client and databases print them.

    +----+----------+-----------+---------+------+--------------------+-------------+
    | key|     value|      topic|partition|offset|           timestamp|timestampType|
    +----+----------+-----------+---------+------+--------------------+-------------+
    |null|[66 6F 6F]|clickstream|        0|    32|2019-07-22 12:16:...|            0|
    +----+----------+-----------+---------+------+--------------------+-------------+

The rules show where columns begin. Binary columns are hexadecimal. Spark cuts a cell after 17 letters with `...`, Flink with `...`
at its column's width: the record then has only the beginning, and the report says so.
Source: Spark `Dataset.showString`, `ConsoleTable` (2.0 to 4.0); Flink `TableauStyle`, `PrintStyle` (1.11 to 2.0).
Page: docs/sources/shown-table.md
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._iso_time import iso_ms
from spark.sources._lines.lines import TextLine, head_lines, lines
from spark.sources._lines.named_parts import ROLES, whole_number
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.storage.files import read_bytes
from spark.terms.wording import plural

ID = "shown-table"
RULE = re.compile(r"\s*\+(?:-+\+)+\s*$")
HEX = re.compile(r"\[((?:[0-9A-Fa-f]{2}(?: |(?=\])))*)([0-9A-Fa-f ]*\.\.\.)?\]?")
NAMES = {name.lower(): role for role, names in ROLES.items() for name in names}
NULLS = ("null", "NULL", "<NULL>")
CUT = "..."
TIME_TYPES = {"0": "create", "1": "log_append", "CreateTime": "create", "LogAppendTime": "log_append"}


@dataclass
class TableReader:
    """Rows of all tables in a text; `columns`: names and places of the current one."""

    columns: list[tuple[str, int, int]] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    is_header: bool = False
    counted: Counter[str] = field(default_factory=Counter)

    def read(self, text_lines: Iterator[TextLine]) -> Iterator[TextRecord | UnreadLine]:
        for line in text_lines:
            text = line.text.decode(errors="replace")
            if RULE.match(text):
                self.rule(text)
            elif "|" not in text:
                self.counted["others"] += bool(text.strip())
                self.columns = []
            elif self.is_header:
                self.header(text)
            elif self.columns:
                yield self.row(line, text)

    def rule(self, text: str) -> None:
        bounds = [occurrence.start() for occurrence in re.finditer(r"\+", text)]
        self.is_header = not self.columns or bounds != self.bounds
        self.bounds = bounds
        self.columns = [] if self.is_header else self.columns

    def header(self, text: str) -> None:
        self.is_header = False
        self.columns = [(text[a + 1 : b].strip().lower(), a + 1, b) for a, b in pairwise(self.bounds)]

    @property
    def is_of_records(self) -> bool:
        roles = {NAMES.get(name) for name, _, _ in self.columns}
        return {"offset"} <= roles and bool(roles & {"value", "key"})

    def row(self, line: TextLine, text: str) -> TextRecord | UnreadLine:
        cells = self.cells(text)
        if cells is None:
            return UnreadLine(
                line.start,
                line.end,
                "the row does not have the table's columns",
                line.text,
                is_cut=not line.is_whole,
            )
        parts = {role: cell for name, cell in cells.items() if (role := NAMES.get(name))}
        record = TextRecord(line.start, line.end, offset=whole_number(parts.get("offset")))
        if record.offset is None:
            return UnreadLine(line.start, line.end, "no offset that is a whole number", line.text)
        record.partition, record.topic = whole_number(parts.get("partition")), parts.get("topic")
        record.timestamp_ms = self.time_ms(parts.get("timestamp"))
        if record.timestamp_ms is not None:
            record.timestamp_type = TIME_TYPES.get(cells.get("timestamptype", ""))
        record.key, record.key_is_null = self.side(parts.get("key"))
        record.value, record.value_is_null = self.side(parts.get("value"))
        return record

    def cells(self, text: str) -> dict[str, str] | None:
        """The cells by column; by the bars where wide letters moved them."""
        names = [name for name, _, _ in self.columns]
        if all(text[bound : bound + 1] == "|" for bound in self.bounds):
            return {name: text[start:end].strip() for name, start, end in self.columns}
        pieces = text.strip().strip("|").split("|")
        return (
            dict(zip(names, (piece.strip() for piece in pieces), strict=True))
            if len(pieces) == len(names)
            else None
        )

    def side(self, cell: str | None) -> tuple[bytes | None, bool]:
        """Key or value, and whether it is null."""
        if cell is None or cell in NULLS:
            return None, cell is not None
        is_cut = cell.endswith(CUT)
        self.counted["cut"] += is_cut
        binary = HEX.fullmatch(cell)
        if binary:
            return bytes.fromhex(binary[1]), False
        return cell.removesuffix(CUT if is_cut else "").encode(), False

    def time_ms(self, cell: str | None) -> int | None:
        """A time without zone is read as UTC."""
        if not cell or cell.endswith(CUT):
            return None
        self.counted["zoneless"] += 1
        return whole_number(cell) if cell.isdigit() else iso_ms(cell.replace(" ", "T", 1))

    def note(self) -> str:
        sentences = []
        if self.counted["cut"]:
            sentences.append(
                f"{plural(self.counted['cut'], 'key or value', 'keys or values')} cut by the tool (`...`): only the beginning is printed."
            )
        if self.counted["zoneless"]:
            sentences.append("Times without a time zone are read as UTC.")
        if self.counted["others"]:
            sentences.append(f"{plural(self.counted['others'], 'line')} without a record skipped.")
        return " ".join(sentences)


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By a table with a column for offsets and one for keys or values, and a row."""
    reader = TableReader()
    if b"+-" in head:
        for text in head_lines(head, file):
            pieces = [*reader.read(iter([TextLine(0, len(text), text, True)]))]
            if reader.is_of_records and any(isinstance(piece, TextRecord) for piece in pieces):
                return Recognition(True, "a table with columns for offsets and values", 72)
    return Recognition(False, "no table (`+---+`) with columns such as `offset` and `value`")


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    names = read_bytes(file.path, HEAD_BYTES).decode(errors="replace").lower()
    lacks = [name for name in ("topic", "partition", "key", "headers") if name not in names]
    return whole(ID, file, number, topic, partition, replica, lacks=lacks)


def read(split: Split) -> Iterator[Chunk]:
    reader = TableReader()
    yield from chunks(split, reader.read(lines(split)), reader.note)


source = Source(
    id=ID,
    title="tables of Spark and SQL clients",
    kind="export",
    lacks=EXPORT_LACKS | {"exact-bytes", "null-or-empty"},
    recognise=recognise,
    read=read,
    cut=split,
)
