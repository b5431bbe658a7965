"""The tables of two inspections in one DuckDB: views `left_<table>` and `right_<table>`."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from spark.tables import TABLES, Manifest
from spark.tables.replica import quoted

MEMORY_LIMIT = "1GB"  # of one task; more than that spills to disk
PARAMETER = re.compile(r"\$(\w+)")
HERE, THERE = "left", "right"


class Joined:
    """SQL over both sides; values are `$parameters`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def columns(self, sql: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Columns as numpy arrays by name."""
        return self._connection.execute(sql, named_in(sql, parameters)).fetchnumpy()

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Rows as dicts."""
        return self.arrow(sql, parameters or {}).to_pylist()

    def arrow(self, sql: str, parameters: dict[str, Any]) -> pa.Table:
        """Rows as a table."""
        result: Any = self._connection.sql(sql, params=named_in(sql, parameters))
        return result.to_arrow_table()


@dataclass(frozen=True)
class BothSides:
    """Two result folders; small enough to travel into a Spark task."""

    left: Manifest
    right: Manifest

    @contextmanager
    def open(self) -> Iterator[Joined]:
        """A connection of one's own."""
        config: Any = {"threads": 1, "memory_limit": MEMORY_LIMIT, "temp_directory": tempfile.gettempdir()}
        with duckdb.connect(config=config) as connection:
            connection.execute("SET enable_progress_bar = false")
            for side, manifest in ((HERE, self.left), (THERE, self.right)):
                for name in TABLES:
                    _view(connection, side, name, manifest.paths(name))
            yield Joined(connection)


def named_in(sql: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters that the text uses; DuckDB refuses others."""
    return {name: parameters[name] for name in set(PARAMETER.findall(sql))}


def _view(connection: duckdb.DuckDBPyConnection, side: str, name: str, paths: list[str]) -> None:
    if paths:
        listed = ", ".join(quoted(path) for path in paths)
        connection.execute(f"CREATE VIEW {side}_{name} AS SELECT * FROM read_parquet([{listed}])")
    else:
        connection.register(f"{side}_{name}", TABLES[name].schema.empty_table())


def of_copy(side: str, start: int | None = None) -> str:
    """Condition for one copy's rows; with `start`, for the offsets from $start to $end."""
    where = f'topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica'
    return where if start is None else f'{where} AND "offset" BETWEEN $start AND $end'
