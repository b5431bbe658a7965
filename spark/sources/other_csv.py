"""CSV of unknown tools: a first line with column names, among them an offset, a key and a value.

    Topic;Partition;Offset;Timestamp;Key;Value          names in any case and spelling: `Partition ID`, `message_offset`
    orders;0;17;1700000000000;k;"{""total"": 1}"        separated by comma, semicolon, tab or bar; quoted as in RFC 4180

An empty cell is null. Other columns are named in a note. A last resort for records: every other layout takes
precedence. Page: docs/sources/other-csv.md
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._lines.lines import BOM, MAX_BYTES
from spark.sources._lines.named_parts import ROLES, NamedParts, whole_number
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.storage.files import read_bytes

ID = "other-csv"
DELIMITERS = (",", ";", "\t", "|")
MORE_NAMES = {
    "timestamp": ("datetime", "date", "createtime"),
    "value": ("recordvalue",),
    "key": ("recordkey",),
}
csv.field_size_limit(MAX_BYTES)
NOT_IN_NAMES = re.compile(r"[^a-z0-9]")


def plain(name: str) -> str:
    """A column's name in lower case, without spaces and punctuation."""
    return NOT_IN_NAMES.sub("", name.lower())


SPELLINGS = {
    role: list(dict.fromkeys([*map(plain, names), *MORE_NAMES.get(role, ())]))
    for role, names in ROLES.items()
}


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By columns for an offset and for a key or value in the first line, and by an offset in the second."""
    first, second, *_ = *head.removeprefix(BOM).split(b"\n", 2), b"", b""
    for delimiter in DELIMITERS:
        names = cells(first, delimiter)
        roles = roles_of(names)
        if "offset" in roles and {"key", "value"} & set(roles):
            row = cells(second, delimiter)
            column = roles["offset"]
            if len(row) <= column or whole_number(row[column]) is None:
                return Recognition(False, f"no offset below the column `{names[column]}`")
            if file.size_bytes > MAX_BYTES:
                return Recognition(
                    False, f"an unknown tool's CSV of more than {MAX_BYTES >> 20} MiB: split it"
                )
            read_names = ", ".join(names[column] for column in sorted(roles.values()))
            return Recognition(True, f"an unknown tool's CSV: {read_names}", 15)
    return Recognition(False, "no first line that names columns for an offset and for a key or a value")


def cells(line: bytes, delimiter: str) -> list[str]:
    """A line's cells; none if it contains a carriage return, as binary data does."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    return [] if "\r" in text else next(csv.reader([text], delimiter=delimiter), [])


def roles_of(names: Sequence[str]) -> dict[str, int]:
    """Column numbers by role; the first spelling that occurs counts."""
    numbers = {plain(name): number for number, name in reversed(list(enumerate(names)))}
    columns = {
        role: next((numbers[spelling] for spelling in spelled if spelling in numbers), None)
        for role, spelled in SPELLINGS.items()
    }
    return {role: number for role, number in columns.items() if number is not None}


def records(split: Split, parts: NamedParts) -> Iterator[TextRecord | UnreadLine]:
    """Rows as records with their positions in the file; a row with more or fewer cells than columns is damage."""
    content = read_bytes(split.path)
    lines = content.removeprefix(BOM).splitlines(keepends=True)
    end = len(content) - sum(map(len, lines))
    fitting = (
        candidate for candidate in DELIMITERS if lines and "offset" in roles_of(cells(lines[0], candidate))
    )
    delimiter = next(fitting, DELIMITERS[0])
    names: list[str] | None = None
    taken = 0
    rows = csv.reader((line.decode("utf-8", "replace") for line in lines), delimiter=delimiter)
    for row in rows:
        start, end = end, end + sum(map(len, lines[taken : rows.line_num]))
        taken = rows.line_num
        if names is None:
            names = row
        elif len(row) != len(names):
            if row:
                why = f"{len(row)} cells below {len(names)} columns"
                yield UnreadLine(start, end, why, content[start:end])
        else:
            yield parts.record(start, end, members(names, row))


def members(names: Sequence[str], row: Sequence[str]) -> dict[str, Any]:
    """A row's cells by role, the others by column name."""
    roles = {number: role for role, number in roles_of(names).items()}
    parts: dict[str, Any] = {
        roles.get(number, name): cell or None
        for number, (name, cell) in enumerate(zip(names, row, strict=True))
    }
    if parts.get("headers"):
        try:
            parts["headers"] = json.loads(parts["headers"])
        except (ValueError, RecursionError):
            parts["headers as text"] = parts.pop("headers")
    return parts


def read(split: Split) -> Iterator[Chunk]:
    parts = NamedParts("Columns")
    yield from chunks(split, records(split, parts), parts.note)


source = Source(
    id=ID,
    title="CSV of an unknown tool",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "duplicate-headers", "null-or-empty"},
    recognise=recognise,
    read=read,
)
