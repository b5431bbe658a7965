"""The walker: rows of a declaration in a text, each with its fields, and the text between them.

    closed    a row ends with a literal of its own, such as `)`; it may begin and end anywhere in a line
    lined     the same, but it ends with its line, or with the JSON document that is open there
    chained   a row begins where the last one ended, and ends where the next one can begin

fields.py says what a row's fields are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from spark.sources import Split
from spark.sources._grammar.fields import RowReading, is_proved, match
from spark.sources._grammar.template import RowTemplate
from spark.sources._lines.lines import BOM
from spark.storage.files import open_binary

WINDOW_BYTES = 16 << 20
MAX_ROW_BYTES = 64 << 20
LINE_FEED = 10
MAX_BROKEN_BYTES = 1 << 16  # of a row that a terminal broke
MAX_TAIL = 200  # bytes at the end of a window that its next one may change
LINE_END = re.compile(rb"(?=\r?(?:\n|\Z))")
NEVER = re.compile(rb"(?!)")


class Between(NamedTuple):
    """Text that belongs to no row; `is_begun`: a row begins in it whose end is missing or odd; `is_last`: nothing follows."""

    start: int
    end: int
    text: bytes
    is_begun: bool = False
    is_last: bool = False


@dataclass(frozen=True)
class Walker:
    """Rows of one declaration. `stops`: lines that end a chained row, such as a tool's messages. `is_counted`: the number of its
    cells tells where a row ends, whatever seems to begin in it. `is_worded`: chained rows begin with words of the tool."""

    rows: tuple[RowTemplate, ...]
    is_chained: bool = False
    stops: re.Pattern[bytes] = NEVER
    is_counted: bool = False
    is_worded: bool = False

    @cached_property
    def begins(self) -> re.Pattern[bytes]:
        """Where a row may begin: chained ones at the start of a line, if they do not follow one another."""
        pattern = b"|".join(dict.fromkeys(b"(?:%s)" % row.begins.pattern for row in self.rows))
        return re.compile(rb"^(?:%s)" % pattern if self.is_chained else pattern, re.S | re.M)

    def read(self, split: Split) -> Iterator[RowReading | Between]:
        """All rows of a split, window by window; a row that the next window may change waits for it."""
        with open_binary(split.path) as file:
            base = file.seek(len(BOM) if split.start == 0 and file.read(len(BOM)) == BOM else split.start)
            text, is_last = b"", False
            while not is_last:
                due = max(0, min(WINDOW_BYTES, split.end - base - len(text)))
                more = file.read(due)
                text, is_last, done = text + more, len(more) < WINDOW_BYTES, 0
                for piece in self.walk(text):
                    is_sure = is_last or (isinstance(piece, RowReading) and self.is_followed(text, piece.end))
                    if not is_sure and len(text) < MAX_ROW_BYTES:
                        break
                    done = piece.end
                    yield moved(piece, base) if base else piece
                text, base = text[done:], base + done

    def is_followed(self, text: bytes, at: int) -> bool:
        return self.begins.search(text, at) is not None and at < len(text) - MAX_TAIL

    @cached_property
    def only(self) -> re.Pattern[bytes] | None:
        """The whole row, where there is one template and its own expressions tell where every field ends."""
        row = self.rows[0]
        if len(self.rows) > 1 or row.free or not self.is_counted:
            return None
        return row.segments[0]  # begins with what a row begins with

    def walk(self, text: bytes) -> Iterator[RowReading | Between]:
        """Rows and the text between them, in order; a line feed alone is no text."""
        if self.only is None:
            yield from self.stepped(text)
            return
        at, row = 0, self.rows[0]
        for whole in self.only.finditer(text):
            start, end = whole.span()
            if start > at and (start > at + 1 or text[at] != LINE_FEED):
                yield from (moved(piece, at) for piece in self.stepped(text[at:start]))
            at = end
            yield RowReading(start, end, row, whole.groupdict())
        yield from (moved(piece, at) for piece in self.stepped(text[at:]))

    def stepped(self, text: bytes) -> Iterator[RowReading | Between]:
        """The same, row by row: each may be odd, be broken by a terminal, or end where the next one begins."""
        at, following = 0, None
        while at < len(text):
            begin = following.start() if following and following.start() >= at else self.begin(text, at)
            if begin is None:
                yield Between(at, len(text), text[at:], is_last=True)
                return
            if begin > at and (begin > at + 1 or text[at] != LINE_FEED):
                yield Between(at, begin, text[at:begin])
            following = None if self.is_chained or self.is_counted else self.following(text, begin)
            limit = following.start() if following else len(text)
            reading = self.row_at(text, begin, limit)
            if reading and (inner := self.row_inside(text, reading)):
                reading = self.row_at(text, begin, inner)
            if reading is None:
                at = self.odd_end(text, begin, limit)
                yield Between(begin, at, text[begin:at], True, not text[at:].strip())
            else:
                at = reading.end
                yield reading

    def following(self, text: bytes, begin: int) -> re.Match[bytes] | None:
        """Where another row may begin, behind what shows that this one does."""
        occurrence = self.begins.match(text, begin)
        return self.begins.search(text, max(begin + 1, occurrence.end() if occurrence else 0))

    def row_inside(self, text: bytes, reading: RowReading) -> int | None:
        """Where another row begins, within a chained one: this one lacks its end, or has more behind it."""
        if not self.is_worded or reading.row.readers:
            return None
        occurrence = self.begins.search(text, reading.start + 1, reading.end)
        return occurrence.start() if occurrence else None

    def begin(self, text: bytes, at: int) -> int | None:
        """Where the next row begins."""
        if self.is_chained and any(row.segments[0].match(text, at) for row in self.rows):
            return at
        occurrence = self.begins.search(text, at)
        return occurrence.start() if occurrence else None

    def odd_end(self, text: bytes, begin: int, limit: int) -> int:
        """Where a row that cannot be read ends: chained ones where the next can begin, others with their line."""
        feed = text.find(b"\n", begin, limit)
        end = feed + 1 if feed >= 0 else limit
        if not self.is_chained:
            return end
        stop = self.stops.search(text, end) if feed >= 0 else None
        occurrence = self.begins.search(text, end)
        return min(occurrence.start() if occurrence else len(text), stop.start() if stop else len(text))

    def row_at(self, text: bytes, at: int, limit: int) -> RowReading | None:
        for row in self.rows:
            if reading := match(row, text, at, limit):
                return reading
        return self.rejoined(text, at, limit)

    def rejoined(self, text: bytes, at: int, limit: int) -> RowReading | None:
        """A row that a terminal broke anywhere: without line feeds its key and value have exactly the printed sizes."""
        broken_text = text[at : min(limit, at + MAX_BROKEN_BYTES)]
        bare = broken_text.replace(b"\n", b"")
        if self.is_chained or len(bare) == len(broken_text):
            return None
        for row in self.rows:
            reading = match(row, bare, 0, len(bare)) if row.quick else None
            if reading and is_proved(reading) and reading.fields.get("value_size") is not None:
                end = at
                for _ in range(reading.end):
                    end = end + 1 if text[end] != LINE_FEED else end + 2
                return replace(reading, start=at, end=end, is_joined=True)
        return None


def chained(
    rows: tuple[RowTemplate, ...], stops: bytes = rb"(?!)", between: bytes = rb"\n", end: bytes = rb"\s*\Z"
) -> Walker:
    """Rows that end where the next one can begin, where a message stands at a line's start, or where the text ends."""
    begins = b"|".join(dict.fromkeys(b"(?:%s)" % row.begins.pattern for row in rows))
    ends = rb"(?=%s(?:%s|(?:%s))|%s)" % (between, begins, stops, end)
    ended = tuple(
        replace(
            row,
            segments=(*row.segments[:-1], re.compile(row.segments[-1].pattern + ends, re.S)),
            is_last_longest=False,
        )
        for row in rows
    )
    return Walker(ended, True, re.compile(b"^(?:%s)" % stops, re.M), is_worded=between != b"")


def lined(rows: tuple[RowTemplate, ...]) -> Walker:
    """Rows that end with a line."""
    ended = (
        replace(row, segments=(*row.segments[:-1], LINE_END), is_lined=True)
        if row.segments[-1].pattern == b""
        else row
        for row in rows
    )
    return Walker(tuple(ended))


def moved(piece: RowReading | Between, base: int) -> RowReading | Between:
    if isinstance(piece, Between):
        return piece._replace(start=piece.start + base, end=piece.end + base)
    piece.start, piece.end = piece.start + base, piece.end + base
    return piece
