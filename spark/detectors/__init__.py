"""Detectors: one folder per section of the catalogue, one module per detector, found by discovery.

A detector is a pure function of tables: `find` asks them in SQL (DuckDB over their Parquet files) and returns one row
per finding, `describe` turns such a row into words; both run in a Spark task. Its module ends
in `detector = Detector(...)`; its page is docs/detectors/<id>.md, its test tests/spark/detectors/<section>/.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from spark.detectors._wide import narrowed, plain, widened
from spark.tables import HEADERS, TABLES, Manifest
from spark.terms.findings import Finding

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Mapping[str, Any]
Place = tuple[str, int, str]  # a copy of a partition: the values of WHERE
WHERE = "topic, partition, replica"  # in SQL, what names a copy of a partition

MEMORY_LIMIT = "512MB"  # of one task; what needs more goes to disk
SPILLED = "spilled"  # folder below the results for it
_own = threading.local()


class Tables:
    """The tables of an inspection, asked in SQL (DuckDB) from within a Spark task.

    Every table of `spark.tables` is there under its name; one without rows is empty. A file is opened when a
    question first names its table. What 64 bits are too few for is asked again with more (`_wide`).
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        sources: Mapping[str, str],
        open_wide: Callable[[], Tables] | None,
    ):
        self._connection = connection
        self._unopened = dict(sources)
        self._kept: dict[str, str] = dict.fromkeys(sources, "")
        self._open_wide = open_wide

    @classmethod
    def open(
        cls, manifest: Manifest, more: Mapping[str, list[str]] | None = None, is_wide: bool = False
    ) -> Tables:
        """Over the Parquet files of an inspection, and tables by name that were made of them before."""
        paths = {name: manifest.paths(name) for name in TABLES if manifest.rows.get(name)} | dict(more or {})
        listed = {name: ", ".join(map(quoted, files)) for name, files in paths.items()}
        sources = {name: f"read_parquet([{files}])" for name, files in listed.items()}
        wide = None if is_wide else partial(cls.open, manifest, more, is_wide=True)
        return cls(_connect(manifest.folder / SPILLED), sources, wide)

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table], is_wide: bool = False) -> Tables:
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
    def _wide(self) -> Tables:
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
        columns = ", ".join(f'"{column.name}" {_sql_type(column.type)}' for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    return connection


def _sql_type(type_: str) -> str:
    """A column's type as DuckDB names it."""
    if type_ == HEADERS:
        return "STRUCT(key BLOB, value BLOB)[]"
    item = type_.removeprefix("array<").rstrip(">")
    return {"binary": "BLOB", "string": "VARCHAR"}.get(item, item) + "[]" * (item != type_)


def quoted(text: str) -> str:
    """A text as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def place(row: Row) -> Place:
    """The partition's copy a row belongs to: the values of WHERE."""
    return row["topic"], row["partition"], row["replica"]


def is_of(where: Place) -> str:
    """Condition in SQL: rows of one copy of a partition."""
    topic, partition, replica = where
    return f"({WHERE}) = ({quoted(topic)}, {partition}, {quoted(replica)})"


@dataclass(frozen=True)
class Detector:
    """One row of the catalogue.

    find      tables -> one row per finding, with any columns
    describe  such a row -> Finding
    headline  the findings of this detector that are root causes -> the clause it adds to the verdict,
              such as "3 contents will be lost at the next compaction"
    rows_of   the tables of which one at least must have rows, or there is nothing to find (spares the job the
              trouble): a name or several; empty: run always
    needs     keys of `spark.sources.LACKS` that a source must not lack
    dialects  ids of the dialects it speaks about; empty: all
    follows   ids of detectors whose findings may be the cause of this one's (linked by shared entities)
    absent    why it cannot run on this very input (no index of aborted transactions among the files), or None;
              asked once `needs` and `dialects` are met
    """

    id: str
    title: str
    find: Callable[[Tables], Iterable[Row]]
    describe: Callable[[Row], Finding]
    headline: Callable[[list[Finding]], str]
    rows_of: str | tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    dialects: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    absent: Callable[[Tables], str | None] = lambda _: None

    def has_rows(self, rows: Mapping[str, int]) -> bool:
        """Whether there may be something to find, by the row counts of the tables."""
        names = (self.rows_of,) if isinstance(self.rows_of, str) else self.rows_of
        return not names or any(rows.get(name) for name in names)


@cache
def detectors() -> dict[str, Detector]:
    """All detectors by id, in the order of the catalogue's sections and module names."""
    modules = sorted(m.name for m in pkgutil.walk_packages(__path__, __name__ + ".") if not m.ispkg)
    found = [importlib.import_module(name) for name in modules if not name.rsplit(".", 1)[1].startswith("_")]
    return {module.detector.id: module.detector for module in found if hasattr(module, "detector")}
