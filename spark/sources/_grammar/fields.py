"""The fields of one row: where each begins and ends, by its expression, its printed size, or the label behind it.

A field without an expression ends at its size if the row goes on there; otherwise where the next segment is. Sizes that
contradict the text move no byte: the text counts, and the record says so.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, NamedTuple

from spark.sources._grammar.template import RowTemplate
from spark.sources._grammar.values import is_cut_document

MAX_TRIES = 200  # places where a field of one row may end
SPELT_NULLS = (b"null", b"NULL", b"None", b"")


@dataclass(slots=True)
class RowReading:
    """A row: its place, its fields as printed, and what readers made of them."""

    start: int
    end: int
    row: RowTemplate
    fields: dict[str, bytes | None]
    read: dict[str, Any] = field(default_factory=dict)
    is_joined: bool = False  # line feeds were taken out of a key or value to give it its size

    def number(self, name: str) -> int | None:
        text = self.fields.get(name)
        if not text:
            return None
        try:
            return int(text)
        except ValueError:
            return None


class Ending(NamedTuple):
    """What a field may be, with the segment behind it."""

    value: bytes
    following: re.Match[bytes]
    is_joined: bool = False


def match(row: RowTemplate, text: bytes, at: int, limit: int) -> RowReading | None:
    """A row at this place. A size may lead beyond the limit, where the next row seems to begin; nothing else may."""
    if row.quick and (whole := row.quick.match(text, at, limit)):
        reading = RowReading(at, whole.end(), row, whole.groupdict())
        if is_proved(reading):
            return reading
    first = row.segments[0].match(text, at, limit)
    if first is None:
        return None
    if not row.free:
        return RowReading(at, first.end(), row, first.groupdict())
    return filled(RowReading(at, first.end(), row, dict(first.groupdict())), text, 0, first.end(), limit)


def is_proved(reading: RowReading) -> bool:
    """Whether no other reading of the fields could be better: their sizes fit, or the row ends where the next one can begin."""
    row, fields = reading.row, reading.fields
    for name in row.free:
        size, text = fields.get(name + "_size"), fields[name] or b""
        if size is None and row.is_last_longest:
            return False
        if size is not None and len(text) != int(size) and not (size == b"-1" and text in SPELT_NULLS):
            return False
    return True


def filled(reading: RowReading, text: bytes, number: int, at: int, limit: int) -> RowReading | None:
    """The fields from this one on."""
    if number == len(reading.row.free):
        reading.end = at
        return reading
    name, segment = reading.row.free[number], reading.row.segments[number + 1]
    reader = reading.row.readers.get(name)
    if reader is not None:
        ending = reader(
            text, at, len(text)
        )  # brackets and quotes tell its end, whatever seems to begin in it
        following = segment.match(text, ending[0]) if ending else None
        if ending is None or following is None:
            return None
        reading.read[name] = ending[1]
        reading.fields |= {name: text[at : ending[0]], **following.groupdict()}
        return filled(reading, text, number + 1, following.end(), limit)
    first: RowReading | None = None
    for ends in endings(reading, text, at, limit, number):
        fields = reading.fields | {name: ends.value, **ends.following.groupdict()}
        candidate = replace(reading, fields=fields, is_joined=reading.is_joined or ends.is_joined)
        if (
            whole := filled(
                candidate, text, number + 1, ends.following.end(), max(limit, ends.following.end())
            )
        ) is None:
            continue
        if fits(whole, name):
            return whole
        first = first or whole
    return first


def all_fit(reading: RowReading) -> bool:
    return all(fits(reading, name) for name in ("key", "value") if reading.fields.get(name) is not None)


def fits(reading: RowReading, name: str) -> bool:
    """Whether a field has its size, printed before or behind it."""
    size, text = reading.number(f"{name}_size"), reading.fields[name] or b""
    return size is None or len(text) == max(0, size) or (size < 0 and text in SPELT_NULLS)


def endings(reading: RowReading, text: bytes, at: int, limit: int, number: int) -> Iterator[Ending]:
    """Where a field may end, the likeliest first: at its size, at its size without the breaks of a terminal, at the next label."""
    row = reading.row
    name, segment = row.free[number], row.segments[number + 1]
    size = reading.number(f"{name}_size")
    sized = segment.match(text, at + size) if size is not None and size >= 0 else None
    if sized and (sized.end() <= limit or b"\n" not in text[at : sized.start()]):
        yield Ending(text[at : sized.start()], sized)
        sized = None
    for null in SPELT_NULLS if size == -1 else ():
        if text.startswith(null, at) and (occurrence := segment.match(text, at + len(null), limit)):
            yield Ending(null, occurrence)
    if size is not None and size > 0 and (joined := broken(text, at, limit, size, segment)):
        yield joined
    feed = text.find(b"\n", at, limit)
    line_end = limit if feed < 0 or row.is_chained or row.is_lined else feed
    places: Iterator[re.Match[bytes]] = takewhile(
        lambda occurrence: occurrence.start() <= line_end, segment.finditer(text, at, limit)
    )
    if row.is_lined and number + 1 == len(row.free):
        places = iter(
            occurrence for occurrence in places if not is_cut_document(text[at : occurrence.start()])
        )
        if occurrence := next(places, None) or segment.search(text, at, limit):
            yield Ending(text[at : occurrence.start()], occurrence)
        return
    if number + 1 == len(row.free) and row.is_last_longest:
        places = iter(deque(places, maxlen=1))
    for count, occurrence in enumerate(places):
        if count == MAX_TRIES:
            break
        yield Ending(text[at : occurrence.start()], occurrence)
    if sized:
        yield Ending(text[at : sized.start()], sized)


def broken(text: bytes, at: int, limit: int, size: int, segment: re.Pattern[bytes]) -> Ending | None:
    """A key or value that a terminal broke: without its line feeds it has exactly the printed size."""
    feeds, end = 0, at + size
    while (count := text.count(b"\n", at, end)) > feeds and end <= limit:
        feeds, end = count, at + size + count
    following = segment.match(text, end, limit) if feeds else None
    return Ending(text[at:end].replace(b"\n", b""), following, is_joined=True) if following else None
