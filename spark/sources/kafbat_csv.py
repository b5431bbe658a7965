"""Kafbat UI, messages saved as CSV: a header, then one message after another, no cell quoted.

    Value,Offset,Key,Partition,Headers,Timestamp      Headers: {"name":"value"} or empty; Timestamp: ISO 8601

A value may contain commas and line feeds, so a row is read from its end: it ends with a timestamp at the end of a line;
before it are the headers, the partition, the key (as short as possible) and a whole number, the offset. Null and empty are
not distinguished. Source: kafbat/kafka-ui pull request 740.
"""

from __future__ import annotations

import json
import re
from functools import partial

from spark.sources import InputFile, Recognition
from spark.sources._csv import Cell, Row, windows
from spark.sources._json import headers, scan
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.spans import Spans
from spark.sources._json.times import to_times_ms

NAMES = ("Value", "Offset", "Key", "Partition", "Headers", "Timestamp")
HEADER = re.compile(rb"(?:\xef\xbb\xbf)?Value,Offset,Key,Partition,Headers,Timestamp[ \t]*(?:\r?\n|\Z)")
ROW_END = re.compile(
    rb",(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)[ \t]*\r?(?:\n|\Z)"
)
NO_MAP = b"[object Object]"  # what a map becomes when it is printed without care
MAX_TRIES = 64


def recognise(file: InputFile, head: bytes) -> Recognition:
    if HEADER.match(head) is None:
        return Recognition(False, f"the first line is not `{','.join(NAMES)}`")
    return Recognition(
        True, "the header of Kafbat's CSV; no cell is quoted, so commas are interpreted by position", 90
    )


def cut(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """Rows by their timestamps; a row whose cells are ambiguous is damage."""
    rows: list[Row] = []
    start = 0
    for end in ROW_END.finditer(content):
        if end.end() == len(content) and not is_all:
            break
        if cells := cells_of(content, start, end):
            rows.append((start, end.end(), cells))
        start = end.end()
    return rows, len(content) if is_all else start


def cells_of(content: bytes, start: int, end: re.Match[bytes]) -> list[Cell] | None:
    """The row's cells in header order, located from its end."""
    header_start = headers_start(content, start, end.start())
    if header_start is None:
        return None
    partition = content.rfind(b",", start, header_start - 1) + 1
    key = content.rfind(b",", start, partition - 1) + 1
    for _ in range(MAX_TRIES):
        offset = content.rfind(b",", start, key - 1) + 1
        if offset <= start:
            return None
        if content[offset : key - 1].isdigit() and content[partition : header_start - 1].isdigit():
            bounds = (offset - 1, key - 1, partition - 1, header_start - 1)
            starts = (start, offset, key, partition, header_start)
            return [*zip(starts, (*bounds, end.start()), strict=True), end.span(1)]
        key = offset
    return None


def headers_start(content: bytes, start: int, end: int) -> int | None:
    """Where the headers begin: after the last comma, or at the brace that makes the rest a JSON object."""
    if content.endswith(NO_MAP, start, end):
        return end - len(NO_MAP)
    if content[end - 1 : end] != b"}":
        headers_at = content.rfind(b",", start, end) + 1
        return headers_at if headers_at == end else None
    brace = end
    for _ in range(MAX_TRIES):
        brace = content.rfind(b",{", start, brace)
        if brace < 0:
            return None
        if is_map(content[brace + 1 : end]):
            return brace + 1
    return None


def is_map(text: bytes) -> bool:
    try:
        members = json.loads(text.decode())
    except (ValueError, RecursionError):
        return False
    return isinstance(members, dict) and all(
        value is None or isinstance(value, str) for value in members.values()
    )


def fields(columns: list[Spans]) -> Fields:
    value, offset, key, partition, pairs, timestamp = columns
    is_map = (pairs.plain_kinds == scan.STRING) & (pairs.buffer[pairs.starts] == ord("{"))
    objects = Spans(pairs.buffer, is_map.astype("uint8") * scan.OBJECT, pairs.starts, pairs.ends)
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=headers.mapped(objects),
        key=RecordField(key),
        value=RecordField(value),
    )


layout = Layout("kafbat-csv", NAMES, fields, partial(windows, cut), is_cut=False, offset_name="Offset")
source = layout.source(
    "Kafbat UI, saved messages (CSV)",
    recognise,
    lacks={"topic", "duplicate-headers", "null-or-empty", "exact-bytes"},
)
