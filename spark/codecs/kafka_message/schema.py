"""Field tables of Kafka's messages as text.

    Message => name first[-last] [flexible first+] [open]      a line without indent; its fields are indented below
    Field   => name type [first[-last|+]] [tag number]         in every version unless said
    type    => bool int8 int16 uint16 int32 int64 float64 uuid string bytes {}, with [] before it an array,
               with ? after it nullable; the fields of {} are indented below it

`open`: only the first fields are described, the rest is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

LAST = 1 << 15  # no message has so many versions


@dataclass(frozen=True)
class Field:
    name: str
    type: str  # without [] and ?
    is_array: bool
    is_nullable: bool
    first_version: int
    last_version: int
    tag: int | None
    fields: tuple[Field, ...]

    def is_in(self, version: int) -> bool:
        return self.first_version <= version <= self.last_version


@dataclass(frozen=True, eq=False)
class MessageSchema:
    """One message in all its versions. Compares by identity: it is looked up for every record."""

    name: str
    first_version: int
    last_version: int
    flexible_from: int
    is_open: bool
    fields: tuple[Field, ...]


def messages(text: str) -> dict[str, MessageSchema]:
    lines = [line for line in text.split("\n") if line.strip()]
    starts = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    schemas = [
        message(lines[start], lines[start + 1 : end]) for start, end in pairwise([*starts, len(lines)])
    ]
    return {schema.name: schema for schema in schemas}


def message(head: str, lines: list[str]) -> MessageSchema:
    name, versions, *options = head.split()
    first, last = span(versions)
    flexible = span(options[options.index("flexible") + 1])[0] if "flexible" in options else LAST
    return MessageSchema(name, first, last, flexible, "open" in options, tuple(fields(lines)))


def fields(lines: list[str]) -> Iterator[Field]:
    """The fields of one level, each with those indented below it."""
    depth = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    starts = [number for number, line in enumerate(lines) if line[depth] != " "]
    for start, end in pairwise([*starts, len(lines)]):
        yield field(lines[start].split(), tuple(fields(lines[start + 1 : end])))


def field(words: list[str], below: tuple[Field, ...]) -> Field:
    name, kind, *options = words
    tag = int(options[options.index("tag") + 1]) if "tag" in options else None
    versions = options[0] if options and options[0] != "tag" else "0+"
    bare = kind.removesuffix("?")
    return Field(
        name, bare.removeprefix("[]"), bare.startswith("[]"), kind.endswith("?"), *span(versions), tag, below
    )


def span(text: str) -> tuple[int, int]:
    """`3+`, `1-4` or `2` as first and last version."""
    if text.endswith("+"):
        return int(text[:-1]), LAST
    first, _, last = text.partition("-")
    return int(first), int(last or first)
