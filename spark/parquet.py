"""Parquet as the result folder wants it: written by the task, to a temporary name, renamed when whole.

Settings and their reasons (figures: docs/decisions/0003): zstd level 1, because compression is most of the time a
task spends; row groups of 50 000 rows, so that a window of a chart reads one or two; statistics and dictionaries
only where they help, never on keys and values; a bloom filter on `key`, so that one key is found without a scan.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark.tables import TABLES

ROW_GROUP_ROWS = 50_000
_DICTIONARIES = {
    "topic", "replica", "codec", "timestamp_type", "control_type", "entry_type", "entry_action", "kind", "cause",
    "reason", "layout", "reading",
}  # fmt: skip
_NO_STATISTICS = {"key", "value", "attributes", "headers", "detail", "proof", "note", "title", "explanation"}


@dataclass(frozen=True)
class Part:
    """One file a task wrote: its table, its name below the result folder, its rows."""

    table: str
    name: str
    rows: int


@dataclass
class PartWriter:
    """Writes the rows of several tables, one file each, named after the task that writes them."""

    folder: Path
    task: str
    _open: dict[str, pq.ParquetWriter] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)

    def write(self, table: str, rows: pa.Table) -> None:
        """Append rows, in the schema of `spark.tables`."""
        if not rows.num_rows:
            return
        schema = TABLES[table].schema
        if table not in self._open:
            self._open[table] = self._create(table, schema)
        self._open[table].write_table(rows.select(schema.names).cast(schema), row_group_size=ROW_GROUP_ROWS)
        self._rows[table] = self._rows.get(table, 0) + rows.num_rows

    def finish(self) -> list[Part]:
        """Close every file and give it its final name."""
        for table, writer in self._open.items():
            writer.close()
            os.rename(self._path(table) + ".tmp", self._path(table))
        return [Part(table, f"{table}/{self.task}.parquet", rows) for table, rows in self._rows.items()]

    def discard(self) -> None:
        """Leave nothing behind after a failure."""
        for table, writer in self._open.items():
            writer.close()
            Path(self._path(table) + ".tmp").unlink(missing_ok=True)

    def _path(self, table: str) -> str:
        return str(self.folder / table / f"{self.task}.parquet")

    def _create(self, table: str, schema: pa.Schema) -> pq.ParquetWriter:
        (self.folder / table).mkdir(parents=True, exist_ok=True)
        nested = {name for name in schema.names if pa.types.is_nested(schema.field(name).type)}
        return pq.ParquetWriter(
            self._path(table) + ".tmp",
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in schema.names if name in _DICTIONARIES],
            write_statistics=[name for name in schema.names if name not in _NO_STATISTICS | nested],
            bloom_filter_options={"key": True} if table == "records" else None,
        )
