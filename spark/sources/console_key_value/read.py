"""Lines of keys and values into records.

A record begins on a line with the separator; a JSON value continues until its brackets close. If neither key nor JSON
decides, a line without the separator belongs to the value before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark.sources import Chunk, Split
from spark.sources._grammar.values import is_cut_document
from spark.sources._lines.lines import TextLine, lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.sources.console_consumer.shape import HEADERS
from spark.sources.console_key_value.shape import MARK, MESSAGE, NO_HEADERS, KeyValueShape, decoder, key_end
from spark.terms.wording import plural

MAX_VALUE_LINES = 10_000
HEADER_END = re.compile(r",(?=[^,]*:)")
INSIDE_JSON = ' \t"{}[],'  # what lines within a document begin with
Parts = tuple[str, str]  # key and value


@dataclass
class KeyValueReader:
    """Reads an output line by line; `pending`: the lines of a record that may continue."""

    shape: KeyValueShape
    pending: list[TextLine] = field(default_factory=list)
    blanks: list[TextLine] = field(
        default_factory=list
    )  # behind it, its own if a line without the separator follows
    parts: Parts | None = None
    key_names: set[frozenset[str]] = field(default_factory=set)
    joined: int = 0
    keys_alone: int = 0
    repeated: int = 0

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        for line in lines(split):
            yield from self.take(line)
        yield from self.finish()

    def take(self, line: TextLine) -> Iterator[TextRecord | UnreadLine]:
        """Takes a line: a record begins, continues, or neither."""
        text = line.text.decode("latin-1")
        parts = self.cut(text)
        if self.parts and self.goes_on(text, parts):
            self.pending.append(line)
            self.parts = self.parts[0], f"{self.parts[1]}\n{text}"
            return
        is_text = self.parts is not None and not self.shape.is_json_key and not is_json_start(self.parts[1])
        if parts is None and is_text and self.shape.is_asked and not text.strip():
            self.blanks.append(line)
            return
        if parts is None and MESSAGE.match(line.text):
            yield from self.finish()
            return
        if parts is None and is_text:
            self.join([*self.blanks, line])
            return
        yield from self.finish()
        if parts is None:
            yield self.alone(line, text)
            return
        self.pending, self.parts = [line], parts

    def join(self, more: list[TextLine]) -> None:
        """Adds lines to the pending value."""
        assert self.parts is not None
        self.pending += more
        self.blanks = []
        self.joined += len(more)
        self.parts = (
            self.parts[0],
            "\n".join([self.parts[1], *(line.text.decode("latin-1") for line in more)]),
        )

    def goes_on(self, text: str, parts: Parts | None) -> bool:
        """Whether the value before is JSON that is still open, and this line not a record."""
        assert self.parts is not None
        value = self.parts[1]
        if not is_json_start(value) or len(self.pending) >= MAX_VALUE_LINES or is_whole(value):
            return False
        return parts is None or not (self.shape.is_json_key or is_record(parts))

    def cut(self, text: str) -> Parts | None:
        """Key and value of a line that begins a record."""
        if self.shape.is_json_key:
            return self.cut_json(text)
        separator = self.shape.separator
        columns = text.split(separator, 2 if self.shape.has_headers else 1)
        if len(columns) < 2:
            return None
        if self.shape.has_headers and len(columns) == 2:
            is_head = columns[0] == NO_HEADERS or HEADERS.match(columns[0].encode("latin-1"))
            return (columns[0], columns[1]) if is_head else ("", text.removesuffix("\r"))
        return separator.join(columns[:-1]), columns[-1]

    def cut_json(self, text: str) -> Parts | None:
        end = key_end(text)
        mark = MARK.match(text, end) if end else None
        if mark is None:
            return None
        is_asked = self.shape.separator.strip() and text.startswith(self.shape.separator, end)
        behind = end + len(self.shape.separator) if is_asked else mark.end()
        if behind > len(text) or (not text[behind:] and not mark[0].strip()):
            return None
        self.key_names.add(names(text[:end]))
        return text[:end], text[behind:]

    def alone(self, line: TextLine, text: str) -> TextRecord | UnreadLine:
        """A line without a separator: a key whose value was not printed, or unknown."""
        members = names(text) if self.shape.is_json_key and key_end(text) else None
        if members is not None and (members in self.key_names or "keytype" in members):
            self.keys_alone += 1
            return TextRecord(line.start, line.end, text.strip().encode("latin-1"), None, False, False)
        return UnreadLine.from_line(line, "no separator between key and value")

    def finish(self) -> Iterator[TextRecord | UnreadLine]:
        if self.parts is None:
            return
        (key, value), first, last = self.parts, self.pending[0], self.pending[-1]
        if not last.is_whole and is_cut_document(value.encode("latin-1")):
            yield UnreadLine(first.start, last.end, "the record is truncated", first.text, is_cut=True)
            return
        text_record = TextRecord(first.start, last.end)
        if self.shape.has_headers:
            head, has_key, key = key.partition(self.shape.separator)
            text_record.headers = headers(head)
        self.repeated += not self.shape.is_json_key and self.shape.separator in value
        is_printed = not self.shape.has_headers or has_key or not head
        text_record.key, text_record.key_is_null = self.side(key) if is_printed else (None, False)
        text_record.value, text_record.value_is_null = self.side(value)
        self.pending, self.blanks, self.parts = [], [], None
        yield text_record

    def side(self, text: str) -> tuple[bytes | None, bool]:
        null = None if self.shape.null is None else self.shape.null.encode().decode("latin-1")
        return (None, True) if text == null else (text.encode("latin-1"), False)

    def note(self) -> str:
        sentences = [f"The separator between key and value is {self.shape.name}."]
        sentences += [f"The text {self.shape.null} is read as null."] if self.shape.null is not None else []
        if not self.shape.is_asked:
            sentences.append(
                "The separator is detected. To be certain, paste the command together with the output."
            )
        sentences.append("The output contains no offsets. The records are numbered in their order.")
        if self.joined:
            sentences.append(
                f"{plural(self.joined, 'line')} without the separator added to the value before."
            )
        if self.repeated:
            sentences.append(
                f"{plural(self.repeated, 'value contains', 'values contain')} the separator: the key ends at the first one."
            )
        if self.keys_alone:
            sentences.append(
                f"{plural(self.keys_alone, 'key stands', 'keys stand')} alone: the value is unknown, not null."
            )
        return " ".join(sentences)


def is_json_start(value: str) -> bool:
    return value.lstrip()[:1] in ("{", "[")


def is_whole(value: str) -> bool:
    try:
        decoder.raw_decode(value.lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def is_record(parts: Parts) -> bool:
    """Whether a line can only be a record, although the value before is never closed."""
    key, value = parts
    return key[:1] not in ("", *INSIDE_JSON) and is_json_start(value) and is_whole(value)


def names(text: str) -> frozenset[str]:
    try:
        members = json.loads(text[: key_end(text)], strict=False)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(members) if isinstance(members, dict) else frozenset()


def headers(text: str) -> list[tuple[bytes, bytes | None]]:
    """`a:b,c:null`; a comma without a name after it belongs to a value."""
    if text == NO_HEADERS:
        return []
    pairs = [header.partition(":") for header in HEADER_END.split(text)]
    return [
        (name.encode("latin-1"), None if value == "null" else value.encode("latin-1"))
        for name, _, value in pairs
    ]


def read(split: Split) -> Iterator[Chunk]:
    reader = KeyValueReader(KeyValueShape(**split.detail["shape"]))  # type: ignore[arg-type]
    yield from chunks(split, reader.read(split), reader.note)
