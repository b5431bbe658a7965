"""Questions whose arithmetic leaves 64 bits, asked a second time over columns of twice the width.

Damaged files contain the greatest numbers there are: an offset of 2^63 - 1 has no next one in 64 bits, and DuckDB refuses
to count on. Widths are doubled for such inputs only, since wide columns cannot be skipped by their statistics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from spark.tables._schema import in_64_bits

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WIDER = {"TINYINT": "BIGINT", "SMALLINT": "BIGINT", "INTEGER": "BIGINT", "BIGINT": "HUGEINT"}


def widened(connection: DuckDBPyConnection, source: str) -> str:
    """A query of the same rows whose whole numbers have room. `source`: what may stand behind FROM."""
    described = connection.execute(f"DESCRIBE FROM {source}").fetchall()
    casts = [cast for name, type_, *_ in described if (cast := wider(name, type_))]
    replaced = f" REPLACE ({', '.join(casts)})" if casts else ""
    return f"SELECT *{replaced} FROM {source}"


def wider(name: str, type_: str) -> str:
    """The cast of one column, or of a list's items; nothing for other types."""
    item = type_.removesuffix("[]")
    return f'"{name}"::{WIDER[item]}{type_[len(item) :]} AS "{name}"' if item in WIDER else ""


def narrowed(table: pa.Table) -> pa.Table:
    """The table with 64 bits again: what needs more becomes the nearest number there is."""
    return pa.table(
        {field.name: narrow(table.column(field.name)) for field in table.schema} if table.num_columns else {}
    )


def narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_decimal(column.type):
        return column
    return pa.chunked_array([pa.array(map(in_64_bits, column.to_pylist()), type=pa.int64())])
