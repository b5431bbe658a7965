"""Detectors: one folder per section of the catalogue, one module per detector, found by discovery.

A detector is a pure function of tables: `find` returns one row per finding (a lazy DataFrame, so that all
detectors run in one Spark job), `describe` turns such a row into words on the driver. Its module ends in
`detector = Detector(...)`; its page is docs/detectors/<id>.md, its test tests/spark/detectors/<section>/.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from spark.findings import Finding
from spark.tables import TABLES, Manifest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Mapping[str, Any]


class Tables:
    """The tables of an inspection, asked in SQL (DuckDB) from within a Spark task.

    Every table of `spark.tables` is there under its name; one without rows is empty.
    """

    def __init__(self, connection: DuckDBPyConnection):
        self._connection = connection

    @classmethod
    def open(cls, manifest: Manifest) -> Tables:
        """Over the Parquet files of an inspection."""
        connection = _connect()
        for name in TABLES:
            if paths := manifest.paths(name):
                listed = ", ".join(_quoted(path) for path in paths)
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{listed}])")
            else:
                connection.register(name, TABLES[name].schema.empty_table())
        return cls(connection)

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table]) -> Tables:
        """Over tables in memory: for tests."""
        connection = _connect()
        for name, table in TABLES.items():
            connection.register(name, tables.get(name, table.schema.empty_table()))
        return cls(connection)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The query's rows; lists and structs as lists and dicts."""
        return self.arrow(query).to_pylist()

    def arrow(self, query: str) -> pa.Table:
        """The query's rows as a table: for stages, whose answers are long."""
        return self._connection.sql(query).to_arrow_table()


def _connect() -> DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    return connection


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"


@dataclass(frozen=True)
class Detector:
    """One row of the catalogue.

    find      tables -> one row per finding, with any columns
    describe  such a row -> Finding
    headline  the findings of this detector that are root causes -> the clause it adds to the verdict,
              such as "3 contents will be lost at the next compaction"
    rows_of   the table without whose rows there is nothing to find (spares the job the trouble); empty: run always
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
    rows_of: str = ""
    needs: frozenset[str] = frozenset()
    dialects: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    absent: Callable[[Tables], str | None] = lambda _: None


@cache
def detectors() -> dict[str, Detector]:
    """All detectors by id, in the order of the catalogue's sections and module names."""
    modules = sorted(m.name for m in pkgutil.walk_packages(__path__, __name__ + ".") if not m.ispkg)
    found = [importlib.import_module(name) for name in modules if not name.rsplit(".", 1)[1].startswith("_")]
    return {module.detector.id: module.detector for module in found if hasattr(module, "detector")}
