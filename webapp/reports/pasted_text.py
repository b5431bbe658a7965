"""A pasted text line by line: which part each line was read as, or why it was set aside.

    upload.txt (lines 4-10)    a part of upload.txt: its lines of the text but those that were set aside
    upload.txt                 the only part: all lines but those that were set aside

Pure: bytes and rows of the result tables in, lines out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.journals.previews.words import aside_words, colour_of, line_range
from webapp.reports.templatetags.report_words import damage_words

MAX_BYTES = 256 * 1024  # of the text that a page shows
MAX_LINES = 1_000
MAX_LETTERS = 2_000  # of one line
OF_LINES = re.compile(r"^(?P<name>.*) \(lines? (?P<first>\d+)(?:-(?P<last>\d+))?\)$", re.DOTALL)
MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
OF_THE_LOG = {
    "dump-log-text",
    "dump-log-batches",
}  # places in their rows are those of the log, not of the text

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class TextPart:
    """One dump in a text. `last` None: up to the end."""

    number: int
    file: int
    title: str
    layout: str
    first: int = 1
    last: int | None = None

    @property
    def colour(self) -> int:
        """Number of the part's colour; colours repeat."""
        return colour_of(self.number)

    @property
    def lines(self) -> str:
        """`lines 4-10`."""
        return "all other lines" if self.last is None else line_range(self.first, self.last)


@dataclass(frozen=True)
class ShownLine:
    """A line. `part` None: it was set aside."""

    number: int
    text: str
    part: TextPart | None
    words: str
    is_damage: bool = False


def upload_of(name: str) -> str:
    """Name of the upload that a file of the plan comes from."""
    match = OF_LINES.match(name)
    return match["name"] if match else name


def parts_of(upload: str, files: Rows) -> list[TextPart]:
    parts: list[TextPart] = []
    for row in sorted(files, key=lambda row: int(row["file"])):
        if upload_of(row["name"]) != upload or row["kind"] == "ignored":
            continue
        match = OF_LINES.match(row["name"])
        first, last = (int(match["first"]), int(match["last"] or match["first"])) if match else (1, None)
        title = row["layout_title"] or row["layout"] or ""
        parts.append(TextPart(len(parts) + 1, row["file"], title, row["layout"], first, last))
    return parts


def lines_of(
    head: bytes, is_whole: bool, parts: Sequence[TextPart], asides: Rows, damage: Rows, records: Iterable[int]
) -> list[ShownLine]:
    """Lines at the beginning of the text; a line that `head` cuts is left out."""
    encoding, mark_bytes = encoding_of(head)
    raw = split(head[mark_bytes:], encoding)
    starts = starts_of(head[mark_bytes:], encoding, mark_bytes)
    texts = raw if is_whole else raw[:-1] or raw
    texts = texts[:-1] if len(texts) > 1 and is_whole and not texts[-1] else texts
    by_line = {int(row["line"]): row for row in asides}
    bad = {bisect_right(starts, row["position"]): str(row["reason"]) for row in damage}
    begins = {bisect_right(starts, position) for position in records}
    lines = []
    for number, text in enumerate(texts[:MAX_LINES], start=1):
        end = starts[number] if number < len(starts) else len(head)
        aside = by_line.get(number)
        line = text.rstrip("\r")[:MAX_LETTERS]
        if aside and aside["position"] + aside["size_bytes"] >= end:
            lines.append(ShownLine(number, line, None, aside_words(aside["kind"])))
            continue
        part = part_at(parts, number)
        words = part.title if part and part.first == number else ""
        is_record = part is not None and number in begins
        words = words or ("record" if is_record else "")
        is_damage = part is not None and number in bad and part.layout not in OF_THE_LOG
        lines.append(
            ShownLine(number, line, part, damage_words(bad[number]) if is_damage else words, is_damage)
        )
    return lines


def part_at(parts: Sequence[TextPart], number: int) -> TextPart | None:
    return next(
        (part for part in parts if part.first <= number and (part.last is None or number <= part.last)), None
    )


def encoding_of(head: bytes) -> tuple[str, int]:
    """Encoding, and length of the byte order mark."""
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    for encoding, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        if head[zero:4096:2].count(0) > len(head[:4096]) * 0.45 and head[1 - zero : 4096 : 2].count(0) == 0:
            return encoding, 0
    return "utf-8", 0


def split(text: bytes, encoding: str) -> list[str]:
    if encoding == "utf-8":
        return [line.decode(errors="replace") for line in text.split(b"\n")]
    return text.decode(encoding, errors="replace").split("\n")


def starts_of(text: bytes, encoding: str, first: int) -> list[int]:
    """Byte positions of the lines. The byte order mark has `first` bytes."""
    feed = "\n".encode(encoding)
    starts, position = [first], text.find(feed)
    while position >= 0:
        if position % len(feed) == 0:
            starts.append(first + position + len(feed))
        position = text.find(feed, position + 1)
    return starts
