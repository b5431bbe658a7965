"""Values of a query's answer: as cells of a page or a terminal, and as texts that a file may contain.

Bytes are shown as everywhere: UTF-8 as text, other bytes as \\xNN. In a file a column of bytes is text where all of it is UTF-8,
else base64 under the name `<column>_base64`.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark.terms.visible import one_line as visible_line
from webapp.reports.values.bytes_text import as_text
from webapp.reports.values.bytes_text import one_line as bytes_line

MAX_CHARACTERS = 200  # of a cell


@dataclass(frozen=True)
class QueryCell:
    """A value for reading. `look`: number | null | empty."""

    text: str
    look: str = ""


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """As Python values; moments that no calendar of Python has as text."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [_value(scalar) for scalar in column]


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        return scalar.cast(pa.string()).as_py()


def cell(value: Any) -> QueryCell:
    """The beginning of the value, safe on one line."""
    if value is None:
        return QueryCell("null", "null")
    if isinstance(value, bytes):
        return QueryCell(bytes_line(value, MAX_CHARACTERS), "" if value else "empty")
    if isinstance(value, bool):
        return QueryCell(str(value).lower())
    if isinstance(value, int | float | Decimal):
        return QueryCell(str(value), "number")
    text = value if isinstance(value, str) else plain(value)
    if not text:
        return QueryCell("(empty)", "empty")
    line = visible_line(str(text)[: MAX_CHARACTERS * 4])
    return QueryCell(
        line
        if len(line) <= MAX_CHARACTERS and len(str(text)) <= MAX_CHARACTERS * 4
        else f"{line[: MAX_CHARACTERS - 1]}…"
    )


def plain(value: Any) -> Any:
    """The value as JSON has it; what JSON has no form for as text."""
    if isinstance(value, Decimal):
        return (
            int(value)
            if value == value.to_integral_value() and value.as_tuple().exponent == 0
            else str(value)
        )
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return as_text(value)
    if isinstance(value, pa.MonthDayNano):
        return f"{value.months} months {value.days} days {value.nanoseconds / 1e9:g} seconds"
    if isinstance(value, list | tuple | dict):
        return json.dumps(_inner(value), ensure_ascii=False)
    return value if isinstance(value, int | float | str | None) else str(value)


def _inner(value: Any) -> Any:
    """Lists and structs with their members."""
    if isinstance(value, dict):
        return {str(name): _inner(member) for name, member in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, pa.MonthDayNano):
        return [_inner(item) for item in value]
    return plain(value)


def file_columns(rows: pa.Table) -> Iterator[tuple[str, list[Any]]]:
    """Name and values of each column, ready for CSV or JSON."""
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        values = values_of(column)
        if not pa.types.is_binary(column.type) and not pa.types.is_large_binary(column.type):
            yield name, [_inner(value) for value in values]
        elif is_utf_8(values):
            yield name, [None if value is None else value.decode() for value in values]
        else:
            yield (
                f"{name}_base64",
                [None if value is None else base64.b64encode(value).decode() for value in values],
            )


def is_utf_8(values: Iterable[bytes | None]) -> bool:
    try:
        for value in values:
            (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True
