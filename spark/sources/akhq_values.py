"""Values alone, the last resort: AKHQ's export of ticked rows, and what other tools print without keys and offsets.

    file.json  = [value, value, ...]      file.csv = (value LF)*      <key>.json = value
    documents  = (value LF)*              each begins with a line that begins with "{" and ends with a line "}"

No keys, no offsets, no headers, no header line: rows are numbered from 0. Almost any JSON would match, so it is recognised
only under AKHQ's own file name, or if the documents have members of a known journal or all the same shape, and are neither
an answer of a REST interface nor a log. It is a guess, used only if nothing else in the input is recognised.
Source: AKHQ `TopicData.jsx`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split
from spark.sources._columns.record_objects import are_records
from spark.sources._csv import Row
from spark.sources._csv import windows as row_windows
from spark.sources._json import value_shapes
from spark.sources._json.layout import Layout, WindowsOf
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans
from spark.sources._json.stream import item_windows
from spark.sources._lines.records import UnreadLine, damage_table
from spark.sources._not_a_journal import documents as other_documents
from spark.sources._not_a_journal.logs import LOG_MEMBERS
from spark.storage.files import file_size, open_binary, read_bytes
from spark.terms.wording import listed

NAMES = ("value",)
EXPORT_NAME = re.compile(r"^file(?:[ _-]?\(?\d+\)?)?\.(?:csv|json)$")
NUMBERED = "values only: rows are numbered from 0, these are no offsets"
LOOKED_AT = 50  # documents
LAST_BYTES = 1024 * 1024  # in which a last value that was cut begins
CLOSED = re.compile(rb"^\}[ \t\r]*(?:\n|\Z)", re.MULTILINE)
OPENED = re.compile(rb"^\{[ \t\r]*\n", re.MULTILINE)
NOTHING = object()  # no JSON
FORM_NAMES = {
    "array": "a JSON array of values",
    "lines": "one JSON value a line",
    "documents": "JSON values over several lines each",
    "single": "one JSON value",
}
NO_JOURNAL = "JSON, but the members are not those of a journal's values and differ between items"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """A guess: values of a journal, or AKHQ's own file name."""
    form, why = form_of(file, head)
    if form is None:
        return Recognition(False, why)
    return Recognition(True, f"{why}; {NUMBERED}", 8 if is_akhqs(file) else 5)


def is_akhqs(file: InputFile) -> bool:
    return EXPORT_NAME.match(PurePosixPath(file.name).name) is not None


def form_of(file: InputFile, head: bytes) -> tuple[str | None, str]:
    """`array`, `lines`, `documents`, `single` or None, and why."""
    shape = look(head)
    if (
        shape.problem
        and "contains no object" not in shape.problem
        and "not JSON objects" not in shape.problem
    ):
        return None, shape.problem
    if are_records(shape.objects):
        return None, "has an offset or a partition of records, so these are not values alone"
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    form, values = values_of(text, file.size_bytes <= len(head))
    if form is None and is_akhqs(file) and file.name.endswith(".csv"):
        return "lines", "AKHQ's file name, one value a line"
    if form is None:
        return None, "neither a JSON array of values nor one JSON value a line"
    if is_akhqs(file):
        return form, f"AKHQ's file name, {FORM_NAMES[form]}"
    return judged(form, values, text)


def judged(form: str, values: list[Any], text: bytes) -> tuple[str | None, str]:
    if LOG_MEMBERS.match(text[:100].decode("latin-1")):
        return None, "a log in JSON, not values of records"
    journal = value_shapes.journal_of(values)
    other = other_documents.name(values if form == "array" else values[0])
    if journal and (other is None or form in ("lines", "documents")):
        return form, f"{FORM_NAMES[form]}, with the members of {journal}"
    if other is not None:
        return None, f"it is {other.description}, not values of records"
    if form == "single" or not value_shapes.is_repeated(values):
        return None, NO_JOURNAL
    names = listed(f"`{name}`" for name in value_shapes.shared(values))
    return form, f"{FORM_NAMES[form]}, all of one shape ({names})"


def values_of(text: bytes, is_whole: bool) -> tuple[str | None, list[Any]]:
    """How the text is divided into values, and the first of them; None if it is not."""
    if text.startswith(b"["):
        items = first_items(text)
        return ("array", items) if items else (None, [])
    lines = [line for line in islice(text.split(b"\n"), LOOKED_AT) if line.strip()]
    parsed = [json_of(line) for line in (lines if is_whole and len(lines) < LOOKED_AT else lines[:-1])]
    parsed = without_cut(parsed, lines)
    if len(lines) > 1 and parsed and NOTHING not in parsed:
        return "lines", parsed
    if (
        OPENED.match(text)
        and (cut := [json_of(document) for document in pretty(text, is_whole)])
        and NOTHING not in cut
    ):
        return ("documents", cut) if len(cut) > 1 or not is_whole else ("single", cut)
    if is_whole and text[:1] in (b"{", b'"') and (value := json_of(text)) is not NOTHING:
        return "single", [value]
    return None, []


def without_cut(parsed: list[Any], lines: list[bytes]) -> list[Any]:
    """Drops a truncated last value of a paste, if it began like the others and two complete ones precede it."""
    is_cut = (
        len(parsed) == len(lines) > 2 and parsed[-1] is NOTHING and lines[-1][:2] == lines[0][:2] == b'{"'
    )
    return parsed[:-1] if is_cut else parsed


def first_items(text: bytes) -> list[Any]:
    """The first complete items of an array in the head."""
    decoder = json.JSONDecoder(strict=False)
    items: list[Any] = []
    content, position = text.decode("latin-1"), 1
    while len(items) < LOOKED_AT:
        position = _after_spaces(content, position)
        try:
            item, position = decoder.raw_decode(content, position)
        except (ValueError, RecursionError):
            break
        items.append(item)
        position = _after_spaces(content, position)
        if content[position : position + 1] != ",":
            return items if content[position : position + 1] in ("]", "") else []
        position += 1
    return items


def _after_spaces(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


def pretty(text: bytes, is_whole: bool) -> list[bytes]:
    rows, _ = cut_documents(text, is_whole)
    return [text[start:end] for start, end, _ in rows[:LOOKED_AT]]


def json_of(text: bytes) -> Any:
    """The value, or NOTHING."""
    try:
        return json.loads(text.decode("latin-1"), strict=False)
    except (ValueError, RecursionError):
        return NOTHING


def fields(columns: list[Spans]) -> Fields:
    """The value; the key is unknown and shown as null."""
    value = columns[0]
    nothing = RecordField(value.masked_by(np.zeros(len(value), bool)))
    return Fields(offset=None, key=nothing, value=RecordField(value))


def cut_lines(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """A row for each line; a last one without line feed counts only at the end of the file."""
    rows: list[Row] = []
    position = 0
    while position < len(content):
        end = content.find(b"\n", position)
        if end < 0 and not is_all:
            break
        stop = end if end >= 0 else len(content)
        text_end = stop - (content[stop - 1 : stop] == b"\r")
        following = min(stop + 1, len(content))
        rows.append((position, following, [(position, text_end)]))
        position = following
    return rows, position


def cut_documents(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """A row for each document: from a line that begins with a brace to the next with its closing brace alone."""
    rows: list[Row] = []
    position = 0
    for closed in CLOSED.finditer(content):
        if not is_all and closed.end() == len(content):
            break
        if opened := OPENED.search(content, position, closed.start()):
            rows.append((opened.start(), closed.end(), [(opened.start(), closed.start() + 1)]))
        position = closed.end()
    return rows, len(content) if is_all else position


def cut_whole(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    return ([(0, len(content), [(0, len(content))])], len(content)) if is_all and content else ([], 0)


WINDOWS: dict[str, WindowsOf] = {
    "array": item_windows,
    "lines": partial(row_windows, cut_lines, has_header=False),
    "documents": partial(row_windows, cut_documents, has_header=False),
    "single": partial(row_windows, cut_whole, has_header=False),
}
FORMS = {
    form: Layout("akhq-values", NAMES, fields, windows, is_cut=False) for form, windows in WINDOWS.items()
}


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    form, _ = form_of(file, read_bytes(file.path, HEAD_BYTES))
    form = form or "lines"
    (split,) = FORMS[form].split(file, number, topic, partition, replica)
    cut = cut_at(file) if form == "lines" and not is_akhqs(file) else file.size_bytes
    return [replace(split, end=min(split.end, cut), detail={**split.detail, "form": form, "cut": cut})]


def cut_at(file: InputFile) -> int:
    """The start of a truncated last value; the file's end if there is none."""
    with open_binary(file.path) as opened:
        opened.seek(max(0, file.size_bytes - LAST_BYTES))
        text = opened.read().rstrip()
    start = text.rfind(b"\n") + 1
    is_cut = start > 0 and text[start : start + 2] == b'{"' and json_of(text[start:]) is NOTHING
    return file.size_bytes - (min(LAST_BYTES, file.size_bytes) - start) if is_cut else file.size_bytes


def read(split: Split) -> Iterator[Chunk]:
    """Chunks of values; a truncated last value is reported as damage."""
    yield from FORMS[str(split.detail["form"])].read(split)
    size = file_size(split.path)
    if split.end == split.detail["cut"] and split.end < size:
        yield Chunk(
            damage=damage_table(split, [UnreadLine(split.end, size, "the value is truncated", is_cut=True)])
        )


source = Source(
    id="akhq-values",
    title="values alone (AKHQ, selected rows)",
    kind="export",
    lacks=EXPORT_LACKS
    | {"topic", "partition", "key", "offset", "timestamps", "headers", "null-or-empty", "exact-bytes"},
    recognise=recognise,
    read=read,
    cut=split,
)
