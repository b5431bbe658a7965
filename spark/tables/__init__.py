"""Every table of an inspection: grain, columns, units. Imports no pyspark, so that the web may read it too.

An inspection's result folder holds one folder of Parquet files per table and `tables.json`, which names the
files that count: `{"<table>": {"files": ["records/0003-a1.parquet", ...], "rows": 1234}}`. A file that is not
named there is left over from a failed attempt and is never read.

Names are Kafka's own words in snake_case; units stand in the name; bounds are inclusive. Null means "the source
could not tell" unless the column's text says otherwise; `key_is_null` and `value_is_null` are always explicit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from spark.storage.stored_path import ResultPath, write_whole
from spark.tables._companions import ABORTED_TXNS, PRODUCER_STATES, PROPERTIES
from spark.tables._input import BATCHES, DAMAGE, FILES, INDEX_ENTRIES, RECORDS
from spark.tables._log import CLEANINGS, GAPS
from spark.tables._related import ENTRIES, KEYS, MARKS, OLDER_DELETIONS, OLDER_ENTITIES, REJECTIONS, STATE
from spark.tables._schema import HEADERS, TABLES, Table
from spark.tables.subset import PartitionSubset

__all__ = [
    "ABORTED_TXNS",
    "BATCHES",
    "CLEANINGS",
    "DAMAGE",
    "ENTRIES",
    "FILES",
    "GAPS",
    "HEADERS",
    "INDEX_ENTRIES",
    "KEYS",
    "MARKS",
    "OLDER_DELETIONS",
    "OLDER_ENTITIES",
    "PRODUCER_STATES",
    "PROPERTIES",
    "RECORDS",
    "REJECTIONS",
    "STATE",
    "TABLES",
    "Manifest",
    "Part",
    "Table",
]


@dataclass(frozen=True)
class Part:
    """One file a task wrote: its table, its name below the result folder, its rows."""

    table: str
    name: str
    rows: int


@dataclass(frozen=True)
class Manifest:
    """The files of each table that count, and their row counts."""

    folder: ResultPath
    files: dict[str, list[str]]
    rows: dict[str, int]
    subset: PartitionSubset | None = None  # whose rows alone are asked; None: all

    def of(self, subset: PartitionSubset) -> Manifest:
        """The same files, of which only the rows of some partitions are asked."""
        return replace(self, subset=subset)

    @property
    def task_number(self) -> int:
        """What tells the files apart that tasks over different partitions write."""
        return self.subset.number if self.subset else 0

    def paths(self, table: str) -> list[str]:
        """Absolute paths or addresses of the table's Parquet files; empty when the table has no rows."""
        return [str(self.folder / name) for name in self.files.get(table, [])]

    def with_parts(self, parts: Iterable[Part]) -> Manifest:
        """This manifest and some more files."""
        files = {name: list(names) for name, names in self.files.items()}
        rows = dict(self.rows)
        for part in parts:
            files.setdefault(part.table, []).append(part.name)
            rows[part.table] = rows.get(part.table, 0) + part.rows
        return replace(self, files=files, rows=rows)

    def save(self) -> None:
        """Write `tables.json`, whole or not at all."""
        document = {
            name: {"files": names, "rows": self.rows.get(name, 0)} for name, names in self.files.items()
        }
        write_whole(self.folder / "tables.json", json.dumps(document))

    @classmethod
    def load(cls, folder: ResultPath) -> Manifest:
        """Read `tables.json` of a result folder."""
        document = json.loads((folder / "tables.json").read_text())
        files = {name: entry["files"] for name, entry in document.items()}
        return cls(folder, files, {name: entry["rows"] for name, entry in document.items()})
