"""Tables under their plain names: a temporary view is made of a table's files when a query first names it.

Within a Spark task, which asks some hundred questions, a small table is loaded instead: each question would open its files again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from spark.storage.pins import PinnedCopies
from spark.tables import HEADERS, TABLES, Manifest
from spark.tables.replica import quoted
from spark.tables.wide import widened

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from spark.tables.store import ResultTables

MAX_LOADED_BYTES = 4 << 20


@dataclass(frozen=True)
class FilesOfTable:
    """Parquet files by path or address. `condition`: in SQL, the rows of them that are asked; empty: all."""

    files: Sequence[str]
    condition: str = ""


TableSource = FilesOfTable | str  # or what stands behind FROM


class TableViews:
    """A connection, and which tables it knows by now. `made`: by name, the queries that gave them."""

    def __init__(
        self,
        connection: DuckDBPyConnection,
        sources: dict[str, TableSource],
        is_wide: bool,
        loads_small: bool = False,
    ) -> None:
        self.connection = connection
        self.unopened = sources
        self.is_wide = is_wide
        self.loads_small = loads_small
        self.names = set(sources)
        self.made: dict[str, str] = {}
        self.wide: ResultTables | None = None
        self._pins = PinnedCopies()

    def open(self, words: set[str]) -> None:
        """Make the tables among these words known to the connection."""
        for name in words & self.unopened.keys():
            source = self.unopened[name]
            kind = "VIEW"
            if isinstance(source, FilesOfTable):
                files = self._pins.fetched(source.files)
                is_whole = not source.condition
                kind = "TABLE" if self.loads_small and is_whole and is_small(files) else kind
                source = (
                    reading(files)
                    if is_whole
                    else f"(SELECT * FROM {reading(files)} WHERE {source.condition})"
                )
            rows = widened(self.connection, source) if self.is_wide else f"SELECT * FROM {source}"
            self.connection.execute(f"CREATE TEMP {kind} {name} AS {rows}")
            del self.unopened[name]

    def note(self, name: str, query: str) -> None:
        """A table was made."""
        self.names.add(name)
        self.made[name] = query

    def interrupt(self) -> None:
        """Break off what runs."""
        self.connection.interrupt()
        if self.wide:
            self.wide.interrupt()

    def close(self) -> None:
        """Nothing is asked any more."""
        self.connection.close()
        self._pins.close()
        if self.wide:
            self.wide.close()


def sql_type(type_: str) -> str:
    """A column's type as DuckDB names it."""
    if type_ == HEADERS:
        return "STRUCT(key BLOB, value BLOB)[]"
    item = type_.removeprefix("array<").rstrip(">")
    return {"binary": "BLOB", "string": "VARCHAR"}.get(item, item) + "[]" * (item != type_)


def is_small(files: Sequence[str]) -> bool:
    """Whether a table's rows are read once instead of by every question."""
    if sum(Path(file).stat().st_size for file in files) > MAX_LOADED_BYTES:
        return False
    return sum(unpacked_bytes(file) for file in files) <= MAX_LOADED_BYTES


def unpacked_bytes(file: str) -> int:
    """What a Parquet file takes in memory; columns with long values have no dictionaries."""
    metadata = pq.read_metadata(file)
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def reading(files: Sequence[str]) -> str:
    """What may stand behind FROM for the rows of some Parquet files."""
    return f"read_parquet([{', '.join(map(quoted, files))}])"


def source_of(manifest: Manifest, name: str) -> TableSource:
    """The files of a table, with a condition where only some of its partitions are asked; in SQL where it has no rows."""
    paths = manifest.paths(name)
    subset = manifest.subset
    if not paths:
        return empty(name)
    is_restricted = subset and not subset.is_everything and name in subset.tables
    return FilesOfTable(paths, subset.condition_of(name) if subset and is_restricted else "")


def empty(name: str) -> str:
    """The same for a table without rows."""
    columns = (f'NULL::{sql_type(column.type)} AS "{column.name}"' for column in TABLES[name].columns)
    return f"(SELECT {', '.join(columns)} WHERE false)"
