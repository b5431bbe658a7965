"""The answer of a query as a file: CSV for spreadsheets, JSON with one row a line, Parquet with the types of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from webapp.reports.values.query_cells import file_columns, plain, values_of
from webapp.sharing.exports import parquet
from webapp.sharing.exports.sheet import guarded, table_text


@dataclass(frozen=True)
class QueryFile:
    """A format. `written`: rows and the query's text in, the file's bytes out."""

    title: str
    media_type: str
    written: Callable[[pa.Table, str], bytes]


def as_csv(rows: pa.Table, text: str) -> bytes:
    """A row a line; null and the empty text are both an empty cell."""
    names, columns = _columns(rows)
    lines = zip(*([_cell(value) for value in column] for column in columns), strict=True)
    return table_text([[guarded(name) for name in names], *lines])


def as_json(rows: pa.Table, text: str) -> bytes:
    """An array of objects, one a line."""
    names, columns = _columns(rows)
    lines = (
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
        for row in zip(*columns, strict=True)
    )
    return ("[" + ",\n ".join(lines) + "]\n").encode("utf-8", "backslashreplace")


def as_parquet(rows: pa.Table, text: str) -> bytes:
    """With the query in the file's metadata."""
    columns = [_storable(column) for column in rows.columns]
    table = pa.table(columns, names=rows.column_names)
    return b"".join(data for data, _ in parquet.written([table], text))


def _columns(rows: pa.Table) -> tuple[list[str], list[list[Any]]]:
    columns = list(file_columns(rows))
    return [name for name, _ in columns], [values for _, values in columns]


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return guarded(value) if isinstance(value, str) else value


def _storable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Intervals and unions, which Parquet's writer has no form for, as text."""
    if not (pa.types.is_interval(column.type) or pa.types.is_union(column.type)):
        return column
    return pa.chunked_array(
        [pa.array([None if v is None else str(plain(v)) for v in values_of(column)], pa.string())]
    )


QUERY_FILES = {
    "csv": QueryFile("CSV", "text/csv; charset=utf-8", as_csv),
    "json": QueryFile("JSON", "application/json", as_json),
    "parquet": QueryFile("Parquet", "application/vnd.apache.parquet", as_parquet),
}
