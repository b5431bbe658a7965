"""CSV for spreadsheets and scripts: one record a row, with null, empty and unknown kept apart.

A text that a spreadsheet would run as a formula gets an apostrophe in front, and so does one that begins with one:
whoever takes the first apostrophe away has the text as it was.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from webapp.sharing.exports.cells import render, render_headers
from webapp.time_element import from_ms

COLUMNS = (
    "topic", "partition", "copy", "offset", "time_utc", "timestamp_ms", "timestamp_type", "key_is", "key", "value_is",
    "value", "headers_are", "headers", "control_type", "producer_id", "producer_epoch", "sequence", "entry_type",
    "entry_action", "kind", "decoded_key", "decoded_value",
)  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠")
HOW = """records.csv has one record a row (UTF-8, comma, quotes doubled), its first row names the columns:
  key_is, value_is     null, empty, text or base64: the encoding of the next cell
  headers_are          unknown (the dump contains no headers), none, text or base64
  headers              a JSON array: name, value, name, value, ...
  control_type         commit, abort, ... for control records, which brokers write; empty for data
  kind                 what the service does with the record: create, update, delete, rejected, tombstone, control, ...
  decoded_key, decoded_value
                       JSON, where the bytes are not JSON text themselves and a schema, the journal type or a prefix explains them
  time_utc             empty if the time is unknown
A cell that begins with = + - @ ' or a tab has an apostrophe in front, so that no spreadsheet runs it as a formula. Remove
the first apostrophe to get the original text. Spreadsheets truncate cells of more than 32,767 characters."""


def written(portions: Iterable[pa.Table]) -> Iterator[tuple[bytes, int]]:
    """(CSV, number of records): the header, then each portion."""
    yield table_text([COLUMNS]), 0
    for portion in portions:
        rows = portion.to_pylist()
        yield table_text([_row(row) for row in rows]), len(rows)


def guarded(text: str | None) -> str:
    """The text, with a prefix if a spreadsheet would run it as a formula."""
    return f"'{text}" if text and text.startswith(FORMULA) else text or ""


def _row(row: dict[str, Any]) -> list[Any]:
    key_is, key = _cell(row, "key")
    value_is, value = _cell(row, "value")
    headers, encoding = render_headers(row["headers"])
    numbers = ("producer_id", "producer_epoch", "sequence")
    return [
        guarded(row["topic"]), row["partition"], guarded(row["replica"]), row["offset"], _time(row["timestamp_ms"]),
        row["timestamp_ms"], row["timestamp_type"], key_is, key, value_is, value, _are(headers, encoding),
        json.dumps(headers, ensure_ascii=False) if headers else "", row["control_type"],
        *(row[name] for name in numbers), guarded(row["entry_type"]), guarded(row["entry_action"]), row["kind"],
        guarded(row["decoded_key"]), guarded(row["decoded_value"]),
    ]  # fmt: skip


def _cell(row: dict[str, Any], name: str) -> tuple[str, str]:
    """(null | empty | text | base64, the text)."""
    text, encoding = render(None if row[f"{name}_is_null"] else row[name] or b"")
    if text is None:
        return "null", ""
    return ("empty", "") if not text else ("text" if encoding == "utf-8" else "base64", guarded(text))


def _are(headers: list[str | None] | None, encoding: str | None) -> str:
    if headers is None:
        return "unknown"
    if not headers:
        return "none"
    return "text" if encoding == "utf-8" else "base64"


def _time(timestamp_ms: int | None) -> str:
    moment = from_ms(timestamp_ms) if timestamp_ms is not None and timestamp_ms >= 0 else None
    return moment.isoformat(timespec="milliseconds") if moment else ""


def table_text(rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows as CSV. Texts from the journal must be `guarded`."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()
