"""The tables of an inspection, asked in SQL: DuckDB over their Parquet files."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from spark.tables import HEADERS, TABLES, Manifest
from spark.tables.replica import quoted
from spark.tables.wide import narrowed, plain, widened

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_LIMIT = "512MB"  # of one task; what needs more goes to disk
SPILLED = "spilled"  # folder below the results for it
_own = threading.local()


class ResultTables:
    """The tables of an inspection, asked in SQL (DuckDB) from within a Spark task.

    Every table of `spark.tables` is there under its name; one without rows is empty. A file is opened when a
    question first names its table. What 64 bits are too few for is asked again with more (`spark.tables.wide`).
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        sources: Mapping[str, str],
        open_wide: Callable[[], ResultTables] | None,
    ):
        self._connection = connection
        self._unopened = dict(sources)
        self._kept: dict[str, str] = dict.fromkeys(sources, "")
        self._open_wide = open_wide

    @classmethod
    def open(
        cls, manifest: Manifest, more: Mapping[str, list[str]] | None = None, is_wide: bool = False
    ) -> ResultTables:
        """Over the Parquet files of an inspection, and tables by name that were made of them before."""
        paths = {name: manifest.paths(name) for name in TABLES if manifest.rows.get(name)} | dict(more or {})
        listed = {name: ", ".join(map(quoted, files)) for name, files in paths.items()}
        sources = {name: f"read_parquet([{files}])" for name, files in listed.items()}
        wide = None if is_wide else partial(cls.open, manifest, more, is_wide=True)
        return cls(_connect(manifest.folder / SPILLED), sources, wide)

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table], is_wide: bool = False) -> ResultTables:
        """Over tables in memory: for tests."""
        connection = _connect(None)
        for name, table in tables.items():
            connection.register(f"given_{name}", table)
        wide = None if is_wide else partial(cls.of, tables, is_wide=True)
        return cls(connection, {name: f"given_{name}" for name in tables}, wide)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The query's rows; lists and structs as lists and dicts."""
        try:
            answer: list[dict[str, Any]] = self._arrow(query).to_pylist()
        except duckdb.OutOfRangeException:
            answer = plain(self._wide._arrow(query).to_pylist())
        return answer

    def ask(self, query: str, values: Mapping[str, object], seconds: float) -> list[dict[str, Any]]:
        """The rows of a question that people wrote: its values bound, broken off (TimeoutError) after so long."""
        try:
            return self._ask(query, values, seconds)
        except duckdb.OutOfRangeException:
            found: list[dict[str, Any]] = plain(self._wide._ask(query, values, seconds))
            return found

    def _ask(self, query: str, values: Mapping[str, object], seconds: float) -> list[dict[str, Any]]:
        self._open(query)
        timer = threading.Timer(seconds, self._connection.interrupt)
        timer.start()
        try:
            answer: pa.Table = self._connection.sql(query, params=dict(values)).to_arrow_table()
            return answer.to_pylist()
        except duckdb.InterruptException as stopped:
            raise TimeoutError(query) from stopped
        finally:
            timer.cancel()

    def arrow(self, query: str) -> pa.Table:
        """The query's rows as a table: for stages, whose answers are long."""
        try:
            return self._arrow(query)
        except duckdb.OutOfRangeException:
            return narrowed(self._wide._arrow(query))

    def keep(self, name: str, query: str) -> None:
        """Answer a dear question once, as a table of this name that later questions may name."""
        if name in self._kept:
            return
        try:
            self._make(name, query)
        except duckdb.OutOfRangeException:
            self._connection.register(f"given_{name}", narrowed(self._wide._arrow(query)))
            self._connection.execute(f"CREATE TEMP TABLE {name} AS FROM given_{name}")
        self._kept[name] = query
        if "_wide" in vars(self):
            self._wide._make(name, query)

    def write(self, query: str, path: Path) -> None:
        """The answer as a Parquet file, for other tasks to open."""
        self._open(query)
        try:
            self._connection.execute(f"COPY ({query}) TO {quoted(str(path))} (FORMAT parquet)")
        except duckdb.OutOfRangeException:
            parquet.write_table(narrowed(self._wide._arrow(query)), path)

    @cached_property
    def _wide(self) -> ResultTables:
        """The same tables, with room in their numbers."""
        assert self._open_wide is not None, "128 bits are enough for sums of 64"
        wide = self._open_wide()
        for name, query in self._kept.items():
            if query:
                wide._make(name, query)
        return wide

    def _arrow(self, query: str) -> pa.Table:
        self._open(query)
        return self._connection.sql(query).to_arrow_table()

    def _make(self, name: str, query: str) -> None:
        self._open(query)
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {query}")

    def _open(self, query: str) -> None:
        """Make the tables that a query names known to the connection."""
        for name in [name for name in self._unopened if name in query]:
            source = self._unopened.pop(name)
            is_wide = self._open_wide is None
            rows = widened(self._connection, source) if is_wide else f"SELECT * FROM {source}"
            self._connection.execute(f"CREATE TEMP VIEW {name} AS {rows}")


def _connect(spill: Path | None) -> DuckDBPyConnection:
    """A connection of its own to this thread's instance, where each table stands empty until a view hides it."""
    made_by, instance = getattr(_own, "instance", (None, None))
    if instance is None or made_by != os.getpid():
        instance = _instance()
        _own.instance = os.getpid(), instance
    if spill is not None:
        try:
            instance.execute(f"SET temp_directory = {quoted(str(spill))}")
        except duckdb.Error:  # it has spilled already, and then it keeps its folder
            del _own.instance
            return _connect(spill)
    return instance.cursor()


def _instance() -> DuckDBPyConnection:
    """An empty instance. To make one costs more than most questions do."""
    connection = duckdb.connect(config={"threads": 1, "memory_limit": MEMORY_LIMIT})
    connection.execute("SET enable_progress_bar = false")
    for table in TABLES.values():
        columns = ", ".join(f'"{column.name}" {sql_type(column.type)}' for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    return connection


def sql_type(type_: str) -> str:
    """A column's type as DuckDB names it."""
    if type_ == HEADERS:
        return "STRUCT(key BLOB, value BLOB)[]"
    item = type_.removeprefix("array<").rstrip(">")
    return {"binary": "BLOB", "string": "VARCHAR"}.get(item, item) + "[]" * (item != type_)
