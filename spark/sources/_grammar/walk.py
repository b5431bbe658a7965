"""The walker: rows of a declaration in a text, each with its fields, and the text between them.

    closed    a row ends with a literal of its own, such as `)`; it may begin and end anywhere in a line
    lined     the same, but it ends with its line, or with the JSON document that is open there
    chained   a row begins where the last one ended, and ends where the next one can begin

A field without an expression ends at its printed size if the row goes on there; otherwise where the next segment is. Sizes
that contradict the text move no byte: the text counts, and the row says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from spark.sources import Split
from spark.sources._grammar.template import Row
from spark.sources._grammar.values import is_cut_document
from spark.sources._lines.lines import BOM
from spark.storage.files import open_binary

WINDOW_BYTES = 16 << 20
MAX_ROW_BYTES = 64 << 20
LINE_FEED = 10
MAX_TRIES = 200  # places where a field of one row may end
LINE_END = re.compile(rb"(?=\r?(?:\n|\Z))")
NEVER = re.compile(rb"(?!)")
SPELT_NULLS = (b"null", b"NULL", b"None", b"")


@dataclass
class Found:
    """A row: its place, its fields as printed, and what readers made of them."""

    start: int
    end: int
    row: Row
    fields: dict[str, bytes | None]
    read: dict[str, Any] = field(default_factory=dict)
    is_joined: bool = False  # line feeds were taken out of a key or value to give it its size

    def number(self, name: str) -> int | None:
        try:
            return int(self.fields.get(name) or b"")
        except ValueError:
            return None


class Between(NamedTuple):
    """Text that belongs to no row; `is_begun`: a row begins in it whose end is missing or odd; `is_last`: nothing follows."""

    start: int
    end: int
    text: bytes
    is_begun: bool = False
    is_last: bool = False


class Ending(NamedTuple):
    """What a field may be, with the segment behind it."""

    value: bytes
    following: re.Match[bytes]
    is_joined: bool = False


@dataclass(frozen=True)
class Walker:
    """Rows of one declaration. `stops`: lines that end a chained row, such as a tool's messages."""

    rows: tuple[Row, ...]
    is_chained: bool = False
    stops: re.Pattern[bytes] = NEVER

    @cached_property
    def begins(self) -> re.Pattern[bytes]:
        """Where a row may begin: chained ones at the start of a line, if they do not follow one another."""
        pattern = b"|".join(dict.fromkeys(b"(?:%s)" % row.begins.pattern for row in self.rows))
        return re.compile(rb"^(?:%s)" % pattern if self.is_chained else pattern, re.S | re.M)

    def read(self, split: Split) -> Iterator[Found | Between]:
        """All rows of a split, window by window; a row that the next window may change waits for it."""
        with open_binary(split.path) as file:
            base = file.seek(len(BOM) if split.start == 0 and file.read(len(BOM)) == BOM else split.start)
            text, is_last = b"", False
            while not is_last:
                due = max(0, min(WINDOW_BYTES, split.end - base - len(text)))
                more = file.read(due)
                text, is_last, done = text + more, len(more) < WINDOW_BYTES, 0
                for piece in self.walk(text):
                    is_sure = is_last or (isinstance(piece, Found) and self.is_followed(text, piece.end))
                    if not is_sure and len(text) < MAX_ROW_BYTES:
                        break
                    done = piece.end
                    yield moved(piece, base) if base else piece
                text, base = text[done:], base + done

    def is_followed(self, text: bytes, at: int) -> bool:
        return self.begins.search(text, at) is not None and at < len(text) - MAX_TRIES

    def walk(self, text: bytes) -> Iterator[Found | Between]:
        """Rows and the text between them, in order; a line feed alone is no text."""
        at, following = 0, None
        while at < len(text):
            begin = following.start() if following and following.start() >= at else self.begin(text, at)
            if begin is None:
                yield Between(at, len(text), text[at:], is_last=True)
                return
            if begin > at and (begin > at + 1 or text[at] != LINE_FEED):
                yield Between(at, begin, text[at:begin])
            following = None if self.is_chained else self.begins.search(text, begin + 1)
            limit = following.start() if following else len(text)
            found = self.row_at(text, begin, limit)
            if found is None:
                at = self.odd_end(text, begin, limit)
                yield Between(begin, at, text[begin:at], True, not text[at:].strip())
            else:
                at = found.end
                yield found

    def begin(self, text: bytes, at: int) -> int | None:
        """Where the next row begins."""
        if self.is_chained and any(row.segments[0].match(text, at) for row in self.rows):
            return at
        place = self.begins.search(text, at)
        return place.start() if place else None

    def odd_end(self, text: bytes, begin: int, limit: int) -> int:
        """Where a row that cannot be read ends: chained ones where the next can begin, others with their line."""
        feed = text.find(b"\n", begin, limit)
        end = feed + 1 if feed >= 0 else limit
        if not self.is_chained:
            return end
        stop = self.stops.search(text, end) if feed >= 0 else None
        place = self.begins.search(text, end)
        return min(place.start() if place else len(text), stop.start() if stop else len(text))

    def row_at(self, text: bytes, at: int, limit: int) -> Found | None:
        return next((found for row in self.rows if (found := match(row, text, at, limit))), None)


def chained(
    rows: tuple[Row, ...], stops: bytes = rb"(?!)", between: bytes = rb"\n", end: bytes = rb"\s*\Z"
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
    return Walker(ended, True, re.compile(b"^(?:%s)" % stops, re.M))


def lined(rows: tuple[Row, ...]) -> Walker:
    """Rows that end with a line."""
    ended = (
        replace(row, segments=(*row.segments[:-1], LINE_END), is_lined=True)
        if row.segments[-1].pattern == b""
        else row
        for row in rows
    )
    return Walker(tuple(ended))


def moved(piece: Found | Between, base: int) -> Found | Between:
    if isinstance(piece, Between):
        return piece._replace(start=piece.start + base, end=piece.end + base)
    piece.start, piece.end = piece.start + base, piece.end + base
    return piece


def match(row: Row, text: bytes, at: int, limit: int) -> Found | None:
    """A row at this place. A size may lead beyond the limit, where the next row seems to begin; nothing else may."""
    if row.quick and (whole := row.quick.match(text, at, limit)):
        found = Found(at, whole.end(), row, whole.groupdict())
        if is_proved(found):
            return found
    first = row.segments[0].match(text, at, limit)
    if first is None:
        return None
    return filled(Found(at, first.end(), row, dict(first.groupdict())), text, 0, first.end(), limit)


def is_proved(found: Found) -> bool:
    """Whether no other reading of the fields could be better: their sizes fit, or the row ends where the next one can begin."""
    row, fields = found.row, found.fields
    for name in row.free:
        size, text = fields.get(name + "_size"), fields[name] or b""
        if size is None and not row.is_chained:
            return False
        if size is not None and len(text) != int(size) and not (size == b"-1" and text in SPELT_NULLS):
            return False
    return True


def filled(found: Found, text: bytes, number: int, at: int, limit: int) -> Found | None:
    """The fields from this one on."""
    if number == len(found.row.free):
        found.end = at
        return found
    name, segment = found.row.free[number], found.row.segments[number + 1]
    reader = found.row.readers.get(name)
    if reader is not None:
        ending = reader(
            text, at, len(text)
        )  # brackets and quotes tell its end, whatever seems to begin in it
        following = segment.match(text, ending[0]) if ending else None
        if ending is None or following is None:
            return None
        found.read[name] = ending[1]
        found.fields |= {name: text[at : ending[0]], **following.groupdict()}
        return filled(found, text, number + 1, following.end(), limit)
    first: Found | None = None
    for ends in endings(found, text, at, limit, number):
        fields = found.fields | {name: ends.value, **ends.following.groupdict()}
        reading = replace(found, fields=fields, is_joined=found.is_joined or ends.is_joined)
        if (
            whole := filled(reading, text, number + 1, ends.following.end(), max(limit, ends.following.end()))
        ) is None:
            continue
        if fits(whole, name):
            return whole
        first = first or whole
    return first


def fits(found: Found, name: str) -> bool:
    """Whether a field has its size, printed before or behind it."""
    size, text = found.number(f"{name}_size"), found.fields[name] or b""
    return size is None or len(text) == max(0, size) or (size < 0 and text in SPELT_NULLS)


def endings(found: Found, text: bytes, at: int, limit: int, number: int) -> Iterator[Ending]:
    """Where a field may end, the likeliest first: at its size, at its size without the breaks of a terminal, at the next label."""
    row = found.row
    name, segment = row.free[number], row.segments[number + 1]
    size = found.number(f"{name}_size")
    sized = segment.match(text, at + size) if size is not None and size >= 0 else None
    if sized and (sized.end() <= limit or b"\n" not in text[at : sized.start()]):
        yield Ending(text[at : sized.start()], sized)
        sized = None
    for null in SPELT_NULLS if size == -1 else ():
        if text.startswith(null, at) and (place := segment.match(text, at + len(null), limit)):
            yield Ending(null, place)
    if size is not None and size > 0 and (joined := broken(text, at, limit, size, segment)):
        yield joined
    feed = text.find(b"\n", at, limit)
    line_end = limit if feed < 0 or row.is_chained or row.is_lined else feed
    places = segment.finditer(text, at, line_end)
    if row.is_lined and number + 1 == len(row.free):
        places = iter(place for place in places if not is_cut_document(text[at : place.start()]))
        if place := next(places, None) or segment.search(text, at, limit):
            yield Ending(text[at : place.start()], place)
        return
    if number + 1 == len(row.free) and row.is_last_longest:
        places = iter([*places][-1:])
    for count, place in enumerate(places):
        if count == MAX_TRIES:
            break
        yield Ending(text[at : place.start()], place)
    if sized:
        yield Ending(text[at : sized.start()], sized)


def broken(text: bytes, at: int, limit: int, size: int, segment: re.Pattern[bytes]) -> Ending | None:
    """A key or value that a terminal broke: without its line feeds it has exactly the printed size."""
    feeds, end = 0, at + size
    while (count := text.count(b"\n", at, end)) > feeds and end <= limit:
        feeds, end = count, at + size + count
    following = segment.match(text, end, limit) if feeds else None
    return Ending(text[at:end].replace(b"\n", b""), following, is_joined=True) if following else None
