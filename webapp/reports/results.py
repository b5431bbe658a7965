"""The result folder of an inspection as pages ask it: its tables, its report.json, and what was read of them before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from spark.storage.address import is_address
from spark.storage.stored_path import ResultPath, StoredPath
from spark.tables import Manifest
from spark.tables.pool import lent
from spark.tables.replica import IN_REPLICA, PartitionReplica, replica_columns
from spark.tables.store import RestrictedTable, ResultTables
from spark.tables.store import Rows as Rows
from webapp.reports.memory import Memory

T = TypeVar("T")
Parameters = Mapping[str, Any] | None  # of a query, by name
Rest = ParamSpec("Rest")
R = TypeVar("R", "Results", "PartitionResults")

WHERE_REPLICA = IN_REPLICA
# rows at these offsets; the bounds, too: they tell which row groups need not be read
AT_OFFSETS = '"offset" BETWEEN $low AND $high AND "offset" IN (SELECT unnest($offsets))'
FEW_ROWS_BYTES = 256 << 10  # what a page shows; more is read anew each time


class ResultsGone(Exception):
    """The result folder or one of its documents is deleted."""


@dataclass(frozen=True)
class PartitionResults:
    """The tables of an inspection as pages ask them about one partition: each query has the values of `WHERE_REPLICA`."""

    results: Results
    replica: PartitionReplica

    def rows(self, sql: str, parameters: Parameters = None) -> Rows:
        """As `Results.rows`."""
        return self.results.rows(sql, self._values(parameters))

    def row(self, sql: str, parameters: Parameters = None) -> dict[str, Any] | None:
        """The first row, or None."""
        return self.results.row(sql, self._values(parameters))

    def value(self, sql: str, parameters: Parameters = None) -> Any:
        """As `Results.value`."""
        return self.results.value(sql, self._values(parameters))

    def page(
        self, sql: str, order: str, parameters: Mapping[str, Any], number: int, size: int
    ) -> tuple[Rows, int]:
        """A page of what a query gives, `size` rows in that order, and how many rows it gives in all."""
        total = self.value(f"SELECT count(*) FROM ({sql})", parameters)
        page = f"SELECT * FROM ({sql}) ORDER BY {order} LIMIT {size} OFFSET $skip"
        return self.rows(page, {**parameters, "skip": (number - 1) * size}), total

    def columns(self, sql: str, parameters: Parameters = None) -> Any:
        """As `Results.columns`."""
        return self.results.columns(sql, self._values(parameters))

    def arrow(self, sql: str, parameters: Parameters = None) -> Any:
        """As `Results.arrow`."""
        return self.results.arrow(sql, self._values(parameters))

    def restricted(self, parts: Mapping[str, RestrictedTable]) -> PartitionResults:
        """As `Results.restricted`."""
        return PartitionResults(self.results.restricted(parts), self.replica)

    def remembered(self, question: tuple[Any, ...], make: Callable[[], T]) -> T:
        """What was made of this partition's rows before, or `make()`."""
        return self.results.remembered((self.replica, *question), make)

    def _values(self, parameters: Parameters) -> dict[str, Any]:
        return {**(parameters or {}), **replica_columns(self.replica)}


@dataclass(frozen=True, eq=False)
class Results:
    """The result folder of one inspection, open for one request."""

    folder: ResultPath
    manifest: Manifest
    _tables: ResultTables
    _parts: Mapping[str, RestrictedTable] = field(default_factory=dict)

    def restricted(self, parts: Mapping[str, RestrictedTable]) -> Results:
        """The same folder, of which some tables show a part only; every query then names a place."""
        return Results(self.folder, self.manifest, self._tables.restricted(parts), parts)

    def of(self, replica: PartitionReplica) -> PartitionResults:
        return PartitionResults(self, replica)

    @property
    def is_restricted(self) -> bool:
        """Whether some tables show a part only."""
        return bool(self._parts)

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

    def rows(self, sql: str, parameters: Parameters = None) -> Rows:
        """Rows as dicts by column name. Few rows are remembered: their lists, and what is in them, are not to be changed."""
        question = (*self._seen, sql, repr(parameters))
        names, *rows = _memory.answer(question, lambda: self._tables.tuples(sql, parameters), FEW_ROWS_BYTES)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def row(self, sql: str, parameters: Parameters = None) -> dict[str, Any] | None:
        """The first row, or None."""
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None

    def value(self, sql: str, parameters: Parameters = None) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, parameters)
        return None if row is None else next(iter(row.values()))

    def columns(self, sql: str, parameters: Parameters = None) -> Any:
        """Columns as (masked) numpy arrays by name: for charts."""
        return self._tables.columns(sql, parameters)

    def arrow(self, sql: str, parameters: Parameters = None) -> Any:
        """Rows as a pyarrow table: for what goes into a file."""
        return self._tables.arrow(sql, parameters)

    def deadline(self, seconds: float) -> AbstractContextManager[None]:
        """Break questions off, with a TimeoutError, that together take longer: for those that people wrote."""
        return self._tables.deadline(seconds)

    def remembered(self, question: tuple[Any, ...], make: Callable[[], T]) -> T:
        """What was made of these results before, or `make()`: results never change once they are written."""
        made: T = _memory.answer((*self._seen, *question), make)
        return made

    @property
    def _seen(self) -> tuple[Any, ...]:
        """Which rows this shows: what is remembered is remembered about these."""
        parts = tuple(
            (name, restriction.sql, *restriction.values.items()) for name, restriction in self._parts.items()
        )
        return str(self.folder), self.version, parts


def remembered(
    query: Callable[Concatenate[R, Rest], T],
) -> Callable[Concatenate[R, Rest], T]:
    """A query that is asked once of a result folder for the same arguments; what it gives is not to be changed."""

    @wraps(query)
    def from_memory(results: R, /, *args: Rest.args, **named: Rest.kwargs) -> T:
        question = (query, args, *named.items())
        return results.remembered(question, lambda: query(results, *args, **named))

    return from_memory


def replica_query(replica: PartitionReplica) -> dict[str, Any]:
    return {name: value for name, value in replica_columns(replica).items() if value != ""}


def all_of(**filters: tuple[str, Any]) -> tuple[str, dict[str, Any]]:
    """SQL that holds for rows that pass all filters that have a value, and their values. `filters`: by parameter."""
    used = {name: (sql, value) for name, (sql, value) in filters.items() if value not in (None, "")}
    condition = " AND ".join(sql for sql, _ in used.values()) or "true"
    return condition, {name: value for name, (_, value) in used.items()}


@contextmanager
def open_results(folder: ResultPath) -> Iterator[Results]:
    """Open a result folder; raises ResultsGone when there is none, OSError with the address when its store refuses."""
    try:
        manifest = Manifest.load(folder)
        (folder / "report.json").stat()
    except (OSError, ValueError, KeyError) as error:
        if is_address(str(getattr(error, "filename", None) or "")) and not isinstance(
            error, FileNotFoundError
        ):
            raise
        raise ResultsGone(str(folder)) from error
    with lent(manifest) as tables:
        yield Results(folder, manifest, tables)


def _written_ns(path: ResultPath) -> int:
    """Modification time; 0 for a file in a store, which never changes."""
    return 0 if isinstance(path, StoredPath) else path.stat().st_mtime_ns


@lru_cache(maxsize=32)
def _document(folder: ResultPath, written_ns: int) -> dict[str, Any]:
    return json.loads((folder / "report.json").read_text())


_memory = Memory()
