"""Tables under their plain names: a temporary view is made of a table's files when a query first names it.

Within a Spark task, which asks some hundred questions, a small table is loaded instead: each question would open its files again.
Rows that many questions ask for have names of their own (NAMED_VIEWS).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True)
class NamedView:
    """Rows of a table under a name of their own. `condition`: in SQL."""

    table: str
    condition: str


TableSource = FilesOfTable | NamedView | str  # str: SQL for a FROM clause

LOG_AS_IT_IS = "is_own AND view = 'log'"
# By the rules of the service that the journal belongs to, in the log as it is: every interval of its state, what is in force
# at the end, and the entries that it rejects.
NAMED_VIEWS = {
    "state_history": NamedView("state", LOG_AS_IT_IS),
    "live_state": NamedView("state", f"{LOG_AS_IT_IS} AND valid_to_offset IS NULL"),
    "live_refusals": NamedView("refusals", LOG_AS_IT_IS),
}


class TableViews:
    """A connection, and which tables it knows by now.

    `made`: by name, the queries that gave them. `open_wide`: opens the same tables with room in their numbers (`spark.tables.wide`);
    None where they have it already.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        sources: Mapping[str, TableSource],
        open_wide: Callable[[], ResultTables] | None = None,
        loads_small: bool = False,
    ) -> None:
        self.connection = connection
        self.unopened = dict(sources)
        self.open_wide = open_wide
        self.loads_small = loads_small
        self.names = set(sources)
        self.made: dict[str, str] = {}
        self.wide: ResultTables | None = None
        self._pins = PinnedCopies()

    @property
    def is_wide(self) -> bool:
        return self.open_wide is None

    def open(self, words: set[str]) -> None:
        """Make the tables among these words known to the connection."""
        for name in words & self.unopened.keys():
            if source := self.unopened.pop(name, None):  # else a view has opened it by now
                kind, rows = self._definition(source)
                self.connection.execute(f"CREATE TEMP {kind} {name} AS {rows}")

    def _definition(self, source: TableSource) -> tuple[str, str]:
        """VIEW or TABLE, and the query that gives its rows."""
        if isinstance(source, NamedView):
            self.open({source.table})
            return "VIEW", f"SELECT * FROM {source.table} WHERE {source.condition}"
        kind = "VIEW"
        if isinstance(source, FilesOfTable):
            files = self._pins.fetched(source.files)
            if self.loads_small and not source.condition and is_small(files):
                kind = "TABLE"
            rows = reading(files)
            source = f"(SELECT * FROM {rows} WHERE {source.condition})" if source.condition else rows
        return kind, widened(self.connection, source) if self.is_wide else f"SELECT * FROM {source}"

    def note(self, name: str, query: str) -> None:
        """A table was made."""
        self.names.add(name)
        self.made[name] = query

    def interrupt(self) -> None:
        self.connection.interrupt()
        if self.wide:
            self.wide.interrupt()

    def close(self) -> None:
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
    """SQL for a FROM clause that reads these Parquet files."""
    return f"read_parquet([{', '.join(map(quoted, files))}])"


def source_of(manifest: Manifest, name: str) -> TableSource:
    """A table's files, with a condition where only some of its partitions are asked."""
    paths = manifest.paths(name)
    subset = manifest.subset
    if not paths:
        return empty(name)
    is_restricted = subset and not subset.is_everything and name in subset.tables
    return FilesOfTable(paths, subset.condition_of(name) if subset and is_restricted else "")


def named_views(prefix: str = "") -> dict[str, TableSource]:
    """NAMED_VIEWS over the tables with this prefix."""
    return {
        prefix + name: NamedView(prefix + view.table, view.condition) for name, view in NAMED_VIEWS.items()
    }


def empty(name: str) -> str:
    """SQL for a FROM clause: a table without rows."""
    columns = (f'NULL::{sql_type(column.type)} AS "{column.name}"' for column in TABLES[name].columns)
    return f"(SELECT {', '.join(columns)} WHERE false)"
