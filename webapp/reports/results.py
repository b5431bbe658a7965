"""The one reader of result tables: SQL in DuckDB over the Parquet files that an inspection's manifest names.

In SQL text a table is written `{lifelines}`; every value is a `$parameter`. Each request works on a cursor of its
own (a DuckDB connection to one of two empty in-memory databases), which is safe between threads.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from spark.tables import HEADERS, TABLES, Manifest
from webapp.reports.memory import Memory, bytes_of_rows

Rows = list[dict[str, Any]]

THREADS = 2  # a page must not take the machine from an inspection that runs
ONE_THREAD_ROWS = (
    100_000  # two row groups: with fewer, a second thread has nothing to do and costs a third more
)
MEMORY_LIMIT = "1GB"
ROWS_BYTES = 32 << 20  # of rows that were read before, per process
FEW_ROWS_BYTES = 256 << 10  # what a page shows; more is read anew each time
REMEMBERED = 64  # answers kept per process, each a few hundred kilobytes at most
TABLE_IN_SQL = re.compile(r"\{(\w+)\}")
DUCKDB_TYPES = {
    "string": "VARCHAR",
    "binary": "BLOB",
    "int": "INTEGER",
    "array<bigint>": "BIGINT[]",
    "array<string>": "VARCHAR[]",
    HEADERS: 'STRUCT("key" BLOB, "value" BLOB)[]',
}


class ResultsGone(Exception):
    """The result folder or one of its two documents is not there any more."""


@dataclass(frozen=True, order=True)
class Place:
    """One copy of one partition: what every table but `files` is about."""

    topic: str
    partition: int
    replica: str = ""

    @property
    def name(self) -> str:
        """As people write it: `topic-0`, with the copy's folder where there are several."""
        return f"{self.topic}-{self.partition}" + (f" ({self.replica})" if self.replica else "")


WHERE_PLACE = '"topic" = $topic AND "partition" = $partition AND "replica" = $replica'


@dataclass(frozen=True)
class Narrowing:
    """What stands for a table when only some of its rows are to be seen: SQL over the whole tables, and its values."""

    sql: str
    values: Mapping[str, Any]


class Results:
    """The result folder of one inspection, open for one request."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        cursor: duckdb.DuckDBPyConnection,
        narrowed: Mapping[str, Narrowing] | None = None,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.narrowed = narrowed or {}
        self._cursor = cursor

    def seen_through(self, narrowed: Mapping[str, Narrowing]) -> Results:
        """The same folder, of which some tables show a part only; every query then names a place."""
        return Results(self.folder, self.manifest, self._cursor, narrowed)

    @property
    def document(self) -> dict[str, Any]:
        """report.json."""
        return _document(self.folder, _written_ns(self.folder / "report.json"))

    @property
    def version(self) -> int:
        """Changes when the folder is written anew: part of the key of whatever is remembered about it."""
        return _written_ns(self.folder / "tables.json")

    def count(self, table: str) -> int:
        """Rows of a table, from the manifest."""
        return self.manifest.rows.get(table, 0)

    def execute(
        self, sql: str, parameters: Mapping[str, Any] | None = None, place: Place | None = None
    ) -> Any:
        """Run a query; the caller fetches. `place` fills the parameters of `WHERE_PLACE`."""
        return self._cursor.execute(*self._told(sql, parameters, place))

    def _told(
        self, sql: str, parameters: Mapping[str, Any] | None, place: Place | None
    ) -> tuple[str, dict[str, Any]]:
        """The query with the files of its tables, and all its values."""
        values = dict(parameters or {})
        if place is not None:
            values |= {"topic": place.topic, "partition": place.partition, "replica": place.replica}
        return TABLE_IN_SQL.sub(lambda match: self._table_or_part(match[1], values), sql), values

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None, place: Place | None = None) -> Rows:
        """Rows as dicts by column name. Few rows are remembered: their lists, and what is in them, are not to be changed."""

        def read() -> list[tuple[Any, ...]]:
            result = self.execute(sql, parameters, place)
            return [tuple(column[0] for column in result.description), *result.fetchall()]

        names, *found = _rows.answer((*self._seen, sql, repr(parameters), place), read)
        return [dict(zip(names, row, strict=True)) for row in found]

    def row(
        self, sql: str, parameters: Mapping[str, Any] | None = None, place: Place | None = None
    ) -> dict[str, Any] | None:
        """The first row, or None."""
        found = self.rows(sql, parameters, place)
        return found[0] if found else None

    def columns(
        self, sql: str, parameters: Mapping[str, Any] | None = None, place: Place | None = None
    ) -> Any:
        """Columns as (masked) numpy arrays by name: for charts."""
        return self.execute(sql, parameters, place).fetchnumpy()

    def arrow(self, sql: str, parameters: Mapping[str, Any] | None = None, place: Place | None = None) -> Any:
        """Rows as a pyarrow table: for what goes into a file."""
        text, values = self._told(sql, parameters, place)
        return self._cursor.sql(text, params=values).to_arrow_table()

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Break questions off, with a TimeoutError, that together take longer: for those that people wrote."""
        timer = threading.Timer(seconds, self._cursor.interrupt)
        timer.start()
        try:
            yield
        except duckdb.InterruptException as stopped:
            raise TimeoutError from stopped
        finally:
            timer.cancel()

    def remembered(self, what: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """What was made of these results before, or `make()`: results never change once they are written."""
        key = (*self._seen, *what)
        with _remembering:
            if key in _memory:
                _memory.move_to_end(key)
                return _memory[key]
        made = make()
        with _remembering:
            _memory[key] = made
            while len(_memory) > REMEMBERED:
                _memory.popitem(last=False)
        return made

    @property
    def _seen(self) -> tuple[Any, ...]:
        """Which rows this shows: what is remembered is remembered about these."""
        parts = tuple((name, one.sql, *one.values.items()) for name, one in self.narrowed.items())
        return str(self.folder), self.version, parts

    def _table_or_part(self, name: str, values: dict[str, Any]) -> str:
        part = self.narrowed.get(name)
        if part is None:
            return self._table(name, values)
        values |= part.values
        return TABLE_IN_SQL.sub(lambda match: self._table(match[1], values), part.sql)

    def _table(self, name: str, values: dict[str, Any]) -> str:
        paths = self.manifest.paths(name)
        if not paths:
            return _empty_table(name)
        values[f"files_of_{name}"] = paths
        return f"read_parquet($files_of_{name})"


@contextmanager
def open_results(folder: Path) -> Iterator[Results]:
    """Open a result folder; raises ResultsGone when there is none."""
    try:
        manifest = Manifest.load(folder)
        _written_ns(folder / "report.json")
    except (OSError, ValueError, KeyError) as error:
        raise ResultsGone(str(folder)) from error
    is_small = max(manifest.rows.values(), default=0) <= ONE_THREAD_ROWS
    cursor = _database(1 if is_small else THREADS).cursor()
    try:
        yield Results(folder, manifest, cursor)
    finally:
        cursor.close()


def _empty_table(name: str) -> str:
    columns = (
        f'NULL::{DUCKDB_TYPES.get(column.type, column.type.upper())} AS "{column.name}"'
        for column in TABLES[name].columns
    )
    return f"(SELECT {', '.join(columns)} WHERE false)"


def _written_ns(path: Path) -> int:
    return path.stat().st_mtime_ns


@lru_cache(maxsize=32)
def _document(folder: Path, written_ns: int) -> dict[str, Any]:
    return json.loads((folder / "report.json").read_text())


_opening = threading.Lock()
_remembering = threading.Lock()
_memory: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_rows = Memory(ROWS_BYTES, FEW_ROWS_BYTES, bytes_of_rows)


def _database(threads: int) -> duckdb.DuckDBPyConnection:
    with _opening:
        return _open_database(threads)


@lru_cache(maxsize=2)
def _open_database(threads: int) -> duckdb.DuckDBPyConnection:
    """Result files never change once written, so what DuckDB remembers of them needs no check."""
    database = duckdb.connect(":memory:", config={"threads": threads, "memory_limit": MEMORY_LIMIT})
    database.execute("SET enable_progress_bar = false")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET TimeZone = 'UTC'")
    for setting in ("parquet_metadata_cache = true", "validate_external_file_cache = 'NO_VALIDATION'"):
        try:
            database.execute(f"SET {setting}")
        except duckdb.Error:  # a name that another DuckDB spells differently costs speed, not answers
            continue
    return database
