"""Tables and lines that Kafka's tools print of a cluster, declared: companions of a journal, read whole into rows.

    columns   "StartOffset {offset}", column by column: the word in the header and the cell below it
    labelled  templates of lines with labels, which need no header

A blank is any number of blanks, so a header or row that a terminal broke between cells reads as before. What begins like a
row and is none is one unreadable row; other lines are none of the table's. A text counts as a tool's output if most of its
lines are the tool's: a value of a dump may quote one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import pyarrow as pa

from spark.sources import Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._grammar.declared import LOGGED
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.template import RowTemplate, row
from spark.sources._grammar.walk import Between, Walker, moved
from spark.sources._lines.lines import is_utf_16, text_of, text_of_head
from spark.sources._rows import DamagedRange, RowOrigin, damage_table
from spark.sources.companion.rows import Read, table
from spark.storage.files import read_bytes
from spark.terms.wording import plural

Fact = dict[str, Any]
Facts = dict[str, list[Fact]]  # by table; all rows of a table have the same members
ALLOWANCE = 4  # lines of other text that a short print may have
QUOTED_BYTES = 120
MIN_NAMES = 3  # of columns that tell a header
BEHIND_A_FEED = rb"(?<![^\n])"
MAX_BYTES = 64 * 1024 * 1024
LINES = 2_000  # with text in them, that recognition looks at
SCORE = 88  # above every layout of text, below what a name and a checksum prove
# What a record begins with in a dump that people make; its values may quote a print.
RECORD_BEGINS = re.compile(
    r"\s*(?:\{|\[\s*[{\"]|(?:CreateTime|LogAppendTime|NoTimestampType|Partition|Offset|baseOffset|offset|\| offset): ?-?\d)"
)


@dataclass(frozen=True)
class TableRows:
    """Rows that follow a header, or need none. `own`: how the header begins, or rows that nothing else looks like."""

    walker: Walker
    own: bytes
    header: re.Pattern[bytes] | None = None

    @property
    def begins(self) -> bytes:
        """How a row begins behind any prefix."""
        return self.walker.begins.pattern.replace(BEHIND_A_FEED, b"")


def columns(form: str, *cells: str, may_lack: int = 0, may_add: bool = False) -> TableRows:
    """A table of padded columns. `may_lack`: cells at the end of a row that may be missing; `may_add`: other columns may
    stand around these; `{}` ends what no row may lack."""
    pairs = [cell.split(" {", 1) for cell in cells]
    headings = [re.escape(heading).replace(r"\ ", r"\s+").encode() for heading, _ in pairs]
    first = max(MIN_NAMES, next(number for number, cell in enumerate(cells) if cell.endswith("{}")) + 1)
    needed = len(cells) - may_lack
    body = "[,] ".join("{" + cell for _, cell in pairs[:needed])
    more = "".join("[{:space}{" + cell for _, cell in pairs[needed:]) + "]" * may_lack
    template = row(
        "{:margin}" + ("[{:cell} ]" + body + "{:line}" if may_add else body + more) + "{:line_end}", form
    )
    own, words = (rb",?\s+".join(words_in) for words_in in (headings[:first], headings))
    ending = (rb"[^\n]*?" if may_add else b"") + rb"[ \t]*(?:[|]|\xe2\x94\x82)?[ \t]*\r?$"
    # behind the word: an expression that begins with a literal is searched for several times as fast
    header = re.compile(
        words.replace(headings[0], headings[0] + rb"(?<!\S%s)" % headings[0], 1) + ending, re.M
    )
    return TableRows(Walker((template,), is_counted=True), own, header)


def labelled(*rows: RowTemplate, announced: tuple[RowTemplate, ...] = ()) -> TableRows:
    """Lines with labels. `announced`: rows that mean nothing without one of the others before them."""
    is_counted = not any(template.free for template in (*rows, *announced))
    return TableRows(
        Walker((*rows, *announced), is_counted=is_counted), either(row.begins.pattern for row in rows)
    )


def either(patterns: Iterable[bytes]) -> bytes:
    return b"|".join(b"(?:%s)" % pattern for pattern in dict.fromkeys(patterns))


@dataclass(frozen=True)
class DeclaredTable:
    """What one tool prints. `commands`: how its commands are called; `needs_command`: its rows mean something else without one;
    `shows_fault`: whether its rows show a fault of the cluster, so that a report is made of them alone."""

    id: str
    title: str
    tables: tuple[TableRows, ...]
    commands: re.Pattern[bytes]
    facts: Callable[[list[RowReading], str], Facts]
    sentence: Callable[[Facts], str]
    needs_command: bool = False
    shows_fault: Callable[[Facts], bool] = lambda _: False

    @cached_property
    def begins(self) -> re.Pattern[bytes]:
        """How its text begins: with a header, or with a labelled row."""
        return re.compile(rb"[ \t]*(?:" + either(rows.own for rows in self.tables) + b")")

    def below(self, header: bytes) -> list[TableRows]:
        """The rows behind a header; behind a command or a part of a header, those of every table."""
        return [rows for _, rows in self.headers(header)] or [*self.tables]

    def announced(self, header: bytes) -> re.Pattern[bytes]:
        """How they begin."""
        return re.compile(rb"[ \t]*(?:" + either(rows.begins for rows in self.below(header)) + b")")

    def headers(self, text: bytes) -> list[tuple[re.Match[bytes], TableRows]]:
        """Headers in order, each the longest that ends with its line."""
        placed = [
            (match, rows) for rows in self.tables if rows.header for match in rows.header.finditer(text)
        ]
        longest: dict[int, tuple[re.Match[bytes], TableRows]] = {}
        for match, rows in sorted(placed, key=lambda pair: (pair[0].end(), pair[0].start())):
            longest.setdefault(match.end(), (match, rows))
        return [*longest.values()]

    def pieces(self, text: bytes) -> Iterator[RowReading | Between]:
        """Rows and the text between them."""
        for rows in self.tables:
            if rows.header is None:
                yield from rows.walker.walk(text)
        headers = self.headers(text)
        ends = [*(header.start() for header, _ in headers[1:]), len(text)]
        for (header, rows), end in zip(headers, ends, strict=False):
            yield from (moved(piece, header.end()) for piece in rows.walker.walk(text[header.end() : end]))

    def readings(self, text: str) -> list[RowReading]:
        return [piece for piece in self.pieces(text.encode()) if isinstance(piece, RowReading)]

    def has_any(self, text: bytes) -> bool:
        """Whether a header or a row is in a text."""
        return bool(self.headers(text)) or any(isinstance(piece, RowReading) for piece in self.pieces(text))

    def is_open(self, text: bytes, header: bytes) -> bool:
        """Whether the header or the row behind it that begins in a text goes on in the next line."""
        walked = (piece for rows in self.below(header) for piece in rows.walker.walk(text))
        return not self.headers(text) and not any(isinstance(piece, RowReading) for piece in walked)

    def takes(self, text: bytes, line: bytes, header: bytes) -> bool:
        """Whether the row at the end of a text is complete and takes the next line, too: cells that a row may lack stand there."""
        readings = (piece for rows in self.below(header) for piece in rows.walker.walk(text + b"\n" + line))
        return any(isinstance(piece, RowReading) and piece.end > len(text) + 1 for piece in readings)

    def is_most(self, text: str) -> bool:
        """Whether its lines are most of the text; a table may have no rows."""
        content = text.encode()
        headers = [header for header, _ in self.headers(content)]
        placed = [piece for piece in self.pieces(content) if isinstance(piece, RowReading) or piece.is_begun]
        rows = sum(isinstance(piece, RowReading) for piece in placed)
        commands = self.commands.finditer(content)
        spans = [(own.start(), own.end()) for own in (*headers, *commands)] + [
            (piece.start, piece.end) for piece in placed
        ]
        starts = [0, *(match.end() for match in re.finditer(rb"\n", content))]
        own = {
            number
            for start, end in spans
            for number in range(bisect_right(starts, start), bisect_right(starts, max(start, end - 1)) + 1)
        }
        filled = sum(bool(line.strip()) for line in content.split(b"\n"))
        others = 1 if self.needs_command else ALLOWANCE
        return bool(headers or rows) and rows * 2 >= len(placed) and 2 * len(own) + others > filled

    def is_faulty(self, text: str) -> bool:
        """Whether its rows in a text show a fault of the cluster."""
        return self.shows_fault(self.facts(self.readings(text), text))

    def source(self) -> Source:
        def read(text: str, command: str) -> tuple[Facts, list[Between]]:
            readings: list[RowReading] = []
            odd: list[Between] = []
            for piece in self.pieces(text.encode()):
                if isinstance(piece, RowReading):
                    readings.append(piece)
                elif piece.is_begun:
                    odd.append(piece)
            return self.facts(readings, command or text), odd

        return companion_source(self.id, self.title, self.is_most, read, self.sentence)


def companion_source(
    id: str,
    title: str,
    matches: Callable[[str], bool],
    read: Callable[[str, str], tuple[Facts, list[Between]]],
    sentence: Callable[[Facts], str],
) -> Source:
    """A source for a tool's output. `read` gets the text and the command before it; `sentence` summarises the rows for users."""

    def recognise(file: InputFile, head: bytes) -> Recognition:
        text = "" if b"\0" in head[:1024] and not is_utf_16(head) else text_of_head(head)
        text = "\n".join(islice((line for line in text.splitlines() if line.strip()), LINES))
        if RECORD_BEGINS.match(text) or not matches(text) or any(logged.begins(head) for logged in LOGGED):
            return Recognition(
                False, f"no lines of {title.removeprefix('lines of ')} in it, or more lines of something else"
            )
        return Recognition(True, f"what {title} output: it contains no records", SCORE)

    def cut(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
        (split,) = whole(id, file, number, topic, partition, replica, command=file.command)
        return [replace(split, end=min(split.end, MAX_BYTES))]

    def chunks(split: Split) -> Iterator[Chunk]:
        rows, odd = read(text_of(read_bytes(split.path, split.end)), str(split.detail.get("command", "")))
        others = {name: table(split, as_read(name, facts)) for name, facts in rows.items() if facts}
        unread = f" {plural(len(odd), 'row')} cannot be read." if odd else ""
        yield Chunk(
            others=others, damage=damage_of(split, title, odd) if odd else None, note=sentence(rows) + unread
        )

    return Source(id=id, title=title, kind="companion", recognise=recognise, read=chunks, cut=cut)


def as_read(name: str, facts: list[Fact]) -> Read:
    return Read(name, {column: [fact[column] for fact in facts] for column in facts[0]})


def damage_of(split: Split, title: str, odd: list[Between]) -> pa.Table:
    """One row of DAMAGE for each row that cannot be read."""
    ranges = [
        DamagedRange(
            piece.start,
            piece.end - piece.start,
            "bad_companion",
            f"not a row of {title}: {quoted(piece.text)}",
            None,
            None,
            batches_after=False,
        )
        for piece in odd
    ]
    return damage_table(RowOrigin.of_split(split), ranges)


def quoted(text: bytes) -> str:
    return " ".join(text[:QUOTED_BYTES].decode(errors="replace").split())


def text_in(reading: RowReading, name: str) -> str:
    """A cell; empty where the row lacks it."""
    return (reading.fields.get(name) or b"").decode(errors="replace")


def number_in(reading: RowReading, name: str) -> int | None:
    """A 64-bit integer; None for `-`, `None` and anything else."""
    number = reading.number(name)
    return number if number is not None and -(2**63) <= number < 2**63 else None
