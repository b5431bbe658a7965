"""Values alone: AKHQ's export of ticked rows, as JSON (an array) or as CSV (one value a line), or one row's download.

    file.json  = [value, value, ...]      file.csv = (value LF)*      <key>.json = value

No keys, no offsets, no headers, no header line: rows are numbered from 0. Almost any JSON would fit, so this is a guess
that only counts where nothing else of the input is recognised. Source: AKHQ `TopicData.jsx`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._csv.rows import Row
from spark.sources._csv.rows import windows as row_windows
from spark.sources._json import array_items
from spark.sources._json.layout import Layout, whole
from spark.sources._json.records import Field, Fields
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans

NAMES = ("value",)
RECORD_MEMBERS = {"offset", "Offset", "partition", "partitionID", "Partition"}
EXPORT_NAME = re.compile(r"^file(?:[ _-]?\(?\d+\)?)?\.(?:csv|json)$")
NUMBERED = "values only: rows are numbered from 0, these are no offsets"
LINE = re.compile(rb"[^\n]*(?:\n|\Z)")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """A guess: JSON that is no record, or AKHQ's own file name."""
    form, why = form_of(file, head)
    if form is None:
        return Recognition(False, why)
    return Recognition(
        True, f"{why}; {NUMBERED}", 8 if EXPORT_NAME.match(PurePosixPath(file.name).name) else 5
    )


def form_of(file: InputFile, head: bytes) -> tuple[str | None, str]:
    """`array`, `lines`, `single` or None, and why."""
    shape = look(head)
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if shape.problem and "holds no object" not in shape.problem and "not JSON objects" not in shape.problem:
        return None, shape.problem
    if members := RECORD_MEMBERS.intersection(shape.names):
        return None, f"has `{min(members)}`: records, not values alone"
    if text.startswith(b"["):
        return ("array", "a JSON array of values") if _begins_array(text) else (None, "not a JSON array")
    lines = [line for line in text.split(b"\n")[:5] if line.strip()]
    if len(lines) > 1 and all(_is_json(line) for line in lines[:-1]):
        return "lines", "one JSON value a line"
    if file.size_bytes <= len(head) and text[:1] in (b"{", b'"') and _is_json(text):
        return "single", "one JSON value"
    if EXPORT_NAME.match(PurePosixPath(file.name).name) and file.name.endswith(".csv"):
        return "lines", "AKHQ's file name, one value a line"
    return None, "neither a JSON array of values nor one JSON value a line"


def _begins_array(text: bytes) -> bool:
    """Whether the first item is a value; the head may end within it."""
    try:
        json.JSONDecoder(strict=False).raw_decode(text[1:].decode("latin-1").lstrip())
    except json.JSONDecodeError as error:
        return "Unterminated" in error.msg or error.pos >= len(text) - 10
    except (ValueError, RecursionError):
        return False
    return True


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text.decode("latin-1"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def fields(columns: list[Spans]) -> Fields:
    """The value; the key is not known and shown as null."""
    value = columns[0]
    nothing = Field(value.where(np.zeros(len(value), bool)))
    return Fields(offset=None, key=nothing, value=Field(value))


def cut_lines(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """A row for each line; a last one without its line feed counts once all is there."""
    rows: list[Row] = []
    place = 0
    while place < len(content):
        end = content.find(b"\n", place)
        if end < 0 and not is_all:
            break
        stop = end if end >= 0 else len(content)
        text_end = stop - (content[stop - 1 : stop] == b"\r")
        following = min(stop + 1, len(content))
        rows.append((place, following, [(place, text_end)]))
        place = following
    return rows, place


def cut_whole(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """All of the file as one row."""
    return ([(0, len(content), [(0, len(content))])], len(content)) if is_all and content else ([], 0)


array = Layout("akhq-values", NAMES, fields, array_items.windows, borders=whole)
lines = Layout("akhq-values", NAMES, fields, partial(row_windows, cut_lines, has_header=False), borders=whole)
single = Layout(
    "akhq-values", NAMES, fields, partial(row_windows, cut_whole, has_header=False), borders=whole
)
FORMS = {"array": array, "lines": lines, "single": single}


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split: the numbers of rows run through the file."""
    with open(file.path, "rb") as opened:
        form, _ = form_of(file, opened.read(256 * 1024))
    form = form or "lines"
    splits = FORMS[form].split(file, number, topic, partition, replica)
    return [Split(**{**vars(one), "detail": {**one.detail, "form": form}}) for one in splits]


def read(part: Split) -> Iterator[Chunk]:
    """Chunks of values."""
    return FORMS[str(part.detail["form"])].read(part)


source = Source(
    id="akhq-values",
    title="values alone (AKHQ, ticked rows)",
    kind="export",
    lacks=frozenset(
        {
            "batches",
            "producers",
            "control",
            "aborted",
            "topic",
            "partition",
            "key",
            "offset",
            "timestamps",
            "headers",
            "null-or-empty",
            "exact-bytes",
        }
    ),
    recognise=recognise,
    split=split,
    read=read,
)
