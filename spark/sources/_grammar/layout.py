"""A declaration of a print as a source: recognition, records, words.

`made` turns a row's fields into a record, or says why it is none. `counted` names what the note tells about all rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._grammar.fields import RowReading, all_fit, match
from spark.sources._grammar.forms import Object, decimals
from spark.sources._grammar.template import RowTemplate
from spark.sources._grammar.values import is_cut_document
from spark.sources._grammar.walk import Between, Walker
from spark.sources._lines.lines import BOM, UTF_16, UTF_16_MARKS, head_lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.terms.wording import plural

MIN_SHARE = 0.02  # of the lines of a log
TYPES = {b"CreateTime": "create", b"LogAppendTime": "log_append"}
HEADER = re.compile(
    rb"RecordHeader\(key = (?P<key>.*?), value = (?:(?P<bytes>\[[\d, -]*\])|(?P<null>null))\)", re.S
)
Made = Callable[[RowReading, Counter[str]], "TextRecord | str"]
WORDS = {
    "others": ("{} without a record skipped.", "line", "lines"),
    "unprinted": ("{} not printed (the text is an object's address, or the tool leaves them out).", "key or value", "keys or values"),
    "differing": ("{} printed as an object's text: not the bytes of the record.", "key or value", "keys or values"),
    "joined": ("{} broken over several lines and joined, because the printed size proves it.", "record", "records"),
    "rebuilt": ("{} rebuilt as JSON from an object's text.", "key or value", "keys or values"),
    "cut": ("{} truncated by the tool: only the first bytes are printed.", "key or value", "keys or values"),
    "nulls_unknown": ("{} printed as an empty text: null or empty (not in this file format).", "key or value", "keys or values"),
    "misfits": ("{} without the printed size.", "key or value", "keys or values"),
    "doubtful": ("{} `, value: ` more than once: the key ends at the first.", "row has", "rows have"),
    "intermediate": ("{} of another operator than a source: an intermediate result, not a record of a topic.", "row", "rows"),
    "zoneless": ("{} without a time zone is read as UTC.", "time", "times"),
}  # fmt: skip


@dataclass(frozen=True)
class DeclaredPrint:
    """A print declared: how its rows are written, and what they are called."""

    id: str
    title: str
    walker: Walker
    made: Made
    why: str  # it is recognised
    otherwise: str  # why not
    score: int = 70
    passed_over: re.Pattern[bytes] = re.compile(rb"\s*$")  # lines that mean nothing around rows
    is_in_log: bool = True  # other lines are a log's, and no damage
    lacks: frozenset[str] = frozenset()
    sentences: tuple[str, ...] = ()  # that every reading says
    marks: tuple[bytes, ...] = ()  # texts, one of which each row has at its beginning

    def begins(self, text: bytes) -> bool:
        has_mark = not self.marks or any(mark in text for mark in self.marks)
        return has_mark and self.walker.begins.search(text) is not None

    def is_open(self, text: bytes) -> bool:
        """Whether the row that begins in a text may go on in the next line: its end is missing, or a document is open."""
        last: RowReading | Between | None = None
        for piece in self.walker.walk(text):
            last = piece if isinstance(piece, RowReading) or piece.is_begun else last
        if isinstance(last, RowReading):
            name = last.row.free[-1] if last.row.free and last.row.is_lined else ""
            return is_cut_document(last.fields.get(name) or b"")
        return last is not None

    def whole(self, text: bytes) -> RowTemplate | None:
        """The row that begins in a text, if nothing of it is missing and its sizes do not contradict it."""
        occurrence = self.walker.begins.search(text)
        begin = occurrence.start() if occurrence else 0
        readings = (match(row, text, begin, len(text)) for row in self.walker.rows)
        return next((reading.row for reading in readings if reading and all_fit(reading)), None)

    def fields_of(self, text: bytes) -> int:
        """The number of fields of the row that a text is, from its beginning to its end; 0 if it is none."""
        readings = (match(row, text, 0, len(text)) for row in self.walker.rows)
        reading = next((reading for reading in readings if reading), None)
        if reading is None or reading.end < len(text.rstrip()):
            return 0
        return 1 + sum(field is not None for field in reading.fields.values())

    def recognise(self, file: InputFile, head: bytes) -> Recognition:
        """By rows in the head: a share of the lines for a log, most lines for the others."""
        if head.startswith(UTF_16_MARKS):
            return Recognition(False, UTF_16)
        if not self.begins(head):
            return Recognition(False, self.otherwise)
        first_lines = head_lines(head, file)
        counted = [line for line in first_lines if not self.passed_over.match(line)]
        text = head.removeprefix(BOM)
        pieces = [*self.walker.walk(text)]
        rows = sum(isinstance(piece, RowReading) for piece in pieces)
        share = MIN_SHARE * len(counted) if self.is_in_log else 0
        if not self.is_in_log:
            odd = sum(self.odd_lines(piece) for piece in pieces if isinstance(piece, Between))
            rows = rows if rows >= odd else 0
        if not rows or rows < share:
            return Recognition(
                False, f"{plural(rows, 'record')} in its first {plural(len(first_lines), 'line')}"
            )
        return Recognition(True, self.why, self.score)

    def odd_lines(self, piece: Between) -> int:
        return sum(not self.passed_over.match(line) for line in piece.text.split(b"\n"))

    def read(self, split: Split) -> Iterator[Chunk]:
        reader = DeclaredReader(self)
        yield from chunks(split, reader.read(split), reader.note)

    def source(self, cut: Any = None) -> Source:
        return Source(
            id=self.id,
            title=self.title,
            kind="export",
            lacks=EXPORT_LACKS | self.lacks,
            recognise=self.recognise,
            read=self.read,
            cut=cut,
        )


@dataclass
class DeclaredReader:
    """Records of one split, and what is counted over them."""

    declared: DeclaredPrint
    counted: Counter[str] = field(default_factory=Counter)
    tail: set[str] | None = None  # fields behind the value that every row has

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        last: RowReading | None = None
        for piece in self.declared.walker.read(split):
            if isinstance(piece, Between):
                if last and (piece.is_begun or piece.text.strip()):
                    yield self.row(last)
                    last = None
                yield from self.unread(piece)
                continue
            if last:
                yield self.row(last)
            last = piece
        if last:
            yield self.row(last, is_last=True)

    def row(self, reading: RowReading, is_last: bool = False) -> TextRecord | UnreadLine:
        """The row's record. A last row lacks its end if all rows before it have one."""
        behind = reading.row.segments[-1].groupindex if reading.row.is_chained and reading.row.free else ()
        tail = {name for name in behind if reading.fields.get(name) is not None}
        if is_last and self.tail is not None and self.tail - tail:
            return UnreadLine(
                reading.start, reading.end, "the row is truncated", whole_text(reading), is_cut=True
            )
        self.tail = tail if self.tail is None else self.tail & tail
        self.counted["joined"] += reading.is_joined
        made = self.declared.made(reading, self.counted)
        return (
            UnreadLine(reading.start, reading.end, made, whole_text(reading))
            if isinstance(made, str)
            else made
        )

    def unread(self, piece: Between) -> Iterator[UnreadLine]:
        """A row that cannot be read, or other text."""
        if piece.is_begun:
            is_cut = piece.is_last or self.declared.is_in_log
            why = "the record is truncated" if is_cut else "the row does not have the form of the others"
            yield UnreadLine(piece.start, piece.end, why, piece.text, offset_in(piece.text), is_cut=is_cut)
            return
        if not piece.text.strip():
            return
        lines = [line for line in piece.text.split(b"\n") if line.strip()]
        if self.declared.is_in_log:
            starts = piece.text.startswith(b"\n") or piece.start == 0
            self.counted["others"] += max(
                0, len(lines) - (not starts) - (not piece.text.endswith(b"\n") and not piece.is_last)
            )
        elif any(not self.declared.passed_over.match(line) for line in lines):
            yield UnreadLine(piece.start, piece.end, f"not a row of {self.declared.title}", piece.text)

    def note(self) -> str:
        sentences = [
            words.format(plural(self.counted[name], singular, several))
            for name, (words, singular, several) in WORDS.items()
            if self.counted[name]
        ]
        return " ".join([*self.declared.sentences, *sentences])


def whole_text(reading: RowReading) -> bytes:
    return b" ".join(text for text in reading.fields.values() if text)[:200]


def offset_in(text: bytes) -> int | None:
    occurrence = re.search(rb"[oO]ffset\W{1,4}(\d{1,18})\b", text)
    return int(occurrence[1]) if occurrence else None


def labelled(reading: RowReading) -> TextRecord:
    """What fields under their usual names say; key and value are left."""
    record = TextRecord(reading.start, reading.end, offset=reading.number("offset"))
    partition, time = reading.number("partition"), reading.number("time")
    record.partition = partition if partition is None or partition < 1 << 31 else None
    topic = reading.fields.get("topic")
    record.topic = topic.decode() if topic else None
    clock = reading.fields.get("clock")
    if time is not None and time >= 0 and (clock is None or clock in TYPES):
        record.timestamp_ms, record.timestamp_type = time, TYPES[clock] if clock else "create"
    return record


def java_headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """`RecordHeader(key = h, value = [104, 105])`; None if none were printed."""
    if text is None:
        return None
    if not text:
        return []
    return [
        (occurrence["key"], None if occurrence["null"] else decimals(occurrence["bytes"]))
        for occurrence in HEADER.finditer(text)
    ]


__all__ = ["DeclaredPrint", "DeclaredReader", "Object", "java_headers", "labelled"]
