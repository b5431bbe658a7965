"""The tables of an inspection, asked in SQL: DuckDB over their Parquet files.

In SQL a table stands under its plain name, one without rows is empty, and every value is a `$parameter`. A file is opened
when a question first names its table. What 64 bits are too few for is asked again with more (`spark.tables.wide`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType
from pyarrow import parquet

from spark.storage.copies import local_path, scratch_path, store
from spark.storage.stored_path import ResultPath
from spark.tables import TABLES, Manifest
from spark.tables.connections import TASK, ConnectionProfile, QueryError, connect
from spark.tables.replica import quoted
from spark.tables.views import FilesOfTable, TableSource, TableViews, named_views, source_of, sql_type
from spark.tables.wide import narrowed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["QueryError", "RestrictedTable", "ResultTables", "Rows", "sql_type"]

Rows = list[dict[str, Any]]
Values = Mapping[str, Any]
Answer = TypeVar("Answer")
SPILLED = "spilled"  # folder below the results for what does not fit into memory
WORD = re.compile(r"\w+")
WHOLE = re.compile(r"\bwhole_(\w+)")
PARAMETER = re.compile(r"\$(\w+)")
STARTS_WITH = re.compile(r"\s*WITH\s", re.IGNORECASE)
INLINE = "{} AS NOT MATERIALIZED ({})"
# zstd 1 and row groups as in `spark.tables.parquet`
COPY = "COPY ({}) TO {} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 50000)"


@dataclass(frozen=True)
class RestrictedTable:
    """A query that stands for a table, of which only some rows are to be seen, or for a name that no table has. It calls whole
    tables `whole_<name>`."""

    sql: str
    values: Values


def spill_folder(manifest: Manifest) -> str:
    """For what does not fit into memory: of this machine, and never stored."""
    return str(scratch_path(str(manifest.folder)) / SPILLED)


class ResultTables:
    """A connection and the tables that it knows. `with` closes it; a Spark task leaves that to its end."""

    def __init__(self, views: TableViews, restricted: Mapping[str, RestrictedTable] | None = None) -> None:
        self._views = views
        self._restricted = restricted or {}

    @classmethod
    def open(
        cls,
        *folders: Manifest,
        profile: ConnectionProfile = TASK,
        prefixes: Sequence[str] = ("",),
        extra: Mapping[str, list[str]] | None = None,
        spill: str | None = None,
        is_wide: bool = False,
    ) -> ResultTables:
        """Over the Parquet files of inspections, each with its prefix before the names; `extra`: tables that were made of
        them before.
        """
        sources: dict[str, TableSource] = {name: FilesOfTable(files) for name, files in (extra or {}).items()}
        for prefix, manifest in zip(prefixes, folders, strict=True):
            sources |= {prefix + name: source_of(manifest, name) for name in TABLES} | named_views(prefix)
        spill = spill_folder(folders[0]) if profile is TASK else spill
        again = partial(
            cls.open, *folders, profile=profile, prefixes=prefixes, extra=extra, spill=spill, is_wide=True
        )
        return cls(TableViews(connect(profile, spill), sources, None if is_wide else again, profile is TASK))

    def __enter__(self) -> ResultTables:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._views.close()

    def restricted(self, tables: Mapping[str, RestrictedTable]) -> ResultTables:
        """The same connection, where a query stands for each of these names."""
        return ResultTables(self._views, tables)

    def rows(self, query: str, values: Values | None = None) -> Rows:
        """The query's rows; lists and structs as lists and dicts."""
        names, *rows = self.tuples(query, values)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def row(self, query: str, values: Values | None = None) -> dict[str, Any] | None:
        """The first row, or None."""
        rows = self.rows(query, values)
        return rows[0] if rows else None

    def tuples(self, query: str, values: Values | None = None) -> list[tuple[Any, ...]]:
        """The names of the columns, then the rows."""
        return self._with_room(lambda tables: tables._tuples(query, values))

    def arrow(self, query: str, values: Values | None = None) -> pa.Table:
        """The query's rows as a table: for answers that are long."""
        return self._with_room(lambda tables: tables._arrow(query, values))

    def columns(self, query: str, values: Values | None = None) -> dict[str, Any]:
        """Columns as (masked) numpy arrays by name."""
        return self._execute(query, values).fetchnumpy()

    def stream(self, query: str, portion_rows: int) -> Iterator[pa.Table]:
        """The rows in portions: for answers that do not fit into memory."""
        for batch in self._sql(query, None).to_arrow_reader(portion_rows):
            yield pa.Table.from_batches([batch])

    def has(self, name: str) -> bool:
        """Whether questions may name this table."""
        return name in self._views.names

    def materialize(self, name: str, query: str) -> None:
        """Answer a dear question once, as a table of this name that later questions may name."""
        if self.has(name):
            return
        try:
            self._make(name, query)
        except duckdb.OutOfRangeException:
            self.register(name, self._wide()._arrow(query, None))
        self._views.note(name, query)
        if self._views.wide:
            self._views.wide._make(name, query)

    def register(self, name: str, table: pa.Table) -> None:
        """A table in memory, under this name."""
        self._views.connection.register(f"given_{name}", table)
        self._views.connection.execute(f"CREATE TEMP TABLE {name} AS FROM given_{name}")
        self._views.connection.unregister(f"given_{name}")
        self._views.names.add(name)

    def set_variable(self, name: str, value: object) -> None:
        """What `getvariable` gives in SQL."""
        self._views.connection.execute(f"SET VARIABLE {name} = $value", {"value": value})

    def add_function(self, name: str, function: Callable[[Any], pa.Array], takes: str, gives: str) -> None:
        """A function of SQL over whole columns; null is a value like others."""
        self._views.connection.create_function(
            name,
            function,
            [takes],
            gives,
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )

    def copy_to(self, query: str, path: ResultPath) -> int:
        """The answer as a Parquet file; how many rows it has."""
        local = local_path(str(path))
        try:
            copied = self._views.connection.execute(COPY.format(self._text(query), quoted(str(local))))
            count = int(copied.fetchall()[0][0])
        except duckdb.OutOfRangeException:
            rows = self._wide()._arrow(query, None)
            parquet.write_table(rows, local)
            count = rows.num_rows
        store(str(path))
        return count

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Break questions off (TimeoutError) that together take longer: for those that people wrote."""
        timer = threading.Timer(seconds, self.interrupt)
        timer.start()
        try:
            yield
        except duckdb.InterruptException as stopped:
            raise TimeoutError from stopped
        finally:
            timer.cancel()

    def interrupt(self) -> None:
        self._views.interrupt()

    def _with_room(self, read: Callable[[ResultTables], Answer]) -> Answer:
        try:
            return read(self)
        except duckdb.OutOfRangeException:
            return read(self._wide())

    def _wide(self) -> ResultTables:
        """The same tables, with room in their numbers."""
        views = self._views
        if views.wide is None:
            assert views.open_wide is not None, "128 bits are enough for sums of 64"
            views.wide = views.open_wide()
            for name, query in views.made.items():
                views.wide._make(name, query)
        return views.wide.restricted(self._restricted)

    def _tuples(self, query: str, values: Values | None) -> list[tuple[Any, ...]]:
        answer = self._execute(query, values)
        return [tuple(column[0] for column in answer.description), *answer.fetchall()]

    def _arrow(self, query: str, values: Values | None) -> pa.Table:
        rows: pa.Table = self._sql(query, values).to_arrow_table()
        return narrowed(rows) if self._views.is_wide else rows

    def _make(self, name: str, query: str) -> None:
        self._views.connection.execute(f"CREATE TEMP TABLE {name} AS {self._text(query)}")

    def _execute(self, query: str, values: Values | None) -> DuckDBPyConnection:
        text = self._text(query)
        return self._views.connection.execute(text, self._used(text, values))

    def _sql(self, query: str, values: Values | None) -> Any:
        text = self._text(query)
        return self._views.connection.sql(text, params=self._used(text, values))

    def _used(self, text: str, values: Values | None) -> dict[str, Any] | None:
        """The values that the text names; DuckDB refuses others."""
        available = dict(values or {})
        for table in self._restricted.values():
            available |= table.values
        return {name: available[name] for name in PARAMETER.findall(text) if name in available} or None

    def _text(self, query: str) -> str:
        """The query, with restricted tables in the place of whole ones; the tables it names are opened."""
        words = set(WORD.findall(query))
        named = [name for name in self._restricted if name in words]
        if named:
            parts = ", ".join(
                INLINE.format(name, WHOLE.sub(r"temp.\1", self._restricted[name].sql)) for name in named
            )
            start = STARTS_WITH.match(query)
            rest = f", {query[start.end() :]}" if start else f" {query}"
            query = f"WITH {parts}{rest}"
            words = set(WORD.findall(query))
        self._views.open(words)
        return query
