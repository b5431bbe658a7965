"""Parquet as the result folder wants it: written by the task, to a temporary name, renamed when whole.

Settings and their reasons (figures: docs/decisions/0003): zstd level 1, because compression is most of the time a
task spends; row groups of 50 000 rows, so that a window of a chart reads one or two; statistics and dictionaries
only where they help, never on keys and values; a bloom filter on the `key` of `keys`, so that one key is found without a scan.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark.storage.copies import local_path, store
from spark.storage.stored_path import ResultPath
from spark.tables import TABLES, Manifest, Part

ROW_GROUP_ROWS = 50_000
ROW_GROUP_BYTES = 64 << 20  # of rows waiting; large records do not pile up
_DICTIONARIES = {
    "topic", "replica", "codec", "timestamp_type", "control_type", "entry_type", "entry_action", "kind", "cause",
    "reason", "layout", "reading", "key_form", "value_form",
}  # fmt: skip
_NO_STATISTICS = {"key", "value", "attributes", "headers", "detail", "proof", "note", "title", "explanation"}


@dataclass
class Waiting:
    """Rows that do not fill a row group yet, counted as they come: a bundle of small files brings thousands of parts."""

    parts: list[pa.Table] = field(default_factory=list)
    rows: int = 0
    size_bytes: int = 0

    def add(self, part: pa.Table) -> None:
        """One more part."""
        self.parts.append(part)
        self.rows += part.num_rows
        self.size_bytes += part.get_total_buffer_size()  # of what it shares with others, too


@dataclass
class PartWriter:
    """Writes the rows of several tables, one file each, named after the task that writes them. A `with` that fails leaves
    nothing behind.

    Rows wait until they fill a row group, so that many small chunks make no small row groups.
    """

    folder: ResultPath
    task: str
    _open: dict[str, pq.ParquetWriter] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _waiting: dict[str, Waiting] = field(default_factory=dict)

    @classmethod
    def of_task(cls, folder: ResultPath, number: int, name: str = "") -> PartWriter:
        """That of a Spark task by its number; a second attempt writes files of its own."""
        return cls(folder, f"{number:05d}-{_task_attempt()}{name}")

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            self.discard()

    def write(self, table: str, rows: pa.Table) -> None:
        """Append rows, in the schema of `spark.tables`."""
        if not rows.num_rows:
            return
        schema = TABLES[table].schema
        waiting = self._waiting.setdefault(table, Waiting())
        waiting.add(rows.select(schema.names).cast(schema))
        self._rows[table] = self._rows.get(table, 0) + rows.num_rows
        if waiting.rows >= ROW_GROUP_ROWS or waiting.size_bytes >= ROW_GROUP_BYTES:
            self._flush(table)

    def finish(self) -> list[Part]:
        """Close every file, give it its final name, and store it where results are in a store."""
        for table in self._waiting:
            self._flush(table)
        for table, writer in self._open.items():
            writer.close()
            os.rename(self._path(table) + ".tmp", self._path(table))
            store(str(self.folder / table / f"{self.task}.parquet"))
        return [Part(table, f"{table}/{self.task}.parquet", rows) for table, rows in self._rows.items()]

    def discard(self) -> None:
        """Leave nothing behind after a failure."""
        for table, writer in self._open.items():
            writer.close()
            Path(self._path(table) + ".tmp").unlink(missing_ok=True)

    def _flush(self, table: str) -> None:
        rows, self._waiting[table] = self._waiting[table].parts, Waiting()
        if not rows:
            return
        if table not in self._open:
            self._open[table] = self._create(table, TABLES[table].schema)
        self._open[table].write_table(pa.concat_tables(rows), row_group_size=ROW_GROUP_ROWS)

    def _path(self, table: str) -> str:
        return str(local_path(str(self.folder / table / f"{self.task}.parquet")))

    def _create(self, table: str, schema: pa.Schema) -> pq.ParquetWriter:
        (self.folder / table).mkdir(exist_ok=True)
        nested = {name for name in schema.names if pa.types.is_nested(schema.field(name).type)}
        return pq.ParquetWriter(
            self._path(table) + ".tmp",
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in schema.names if name in _DICTIONARIES],
            write_statistics=[name for name in schema.names if name not in _NO_STATISTICS | nested],
            bloom_filter_options=self._bloom_filters(table),
        )

    def _bloom_filters(self, table: str) -> dict[str, dict[str, float]] | None:
        """Only where keys are looked up, and only from a full row group on: a filter has a fixed size."""
        if table != "keys" or self._rows[table] < ROW_GROUP_ROWS:
            return None
        return {"key": {"ndv": ROW_GROUP_ROWS, "fpp": 0.01}}


def write_parts(manifest: Manifest, tables: Mapping[str, pa.Table]) -> list[Part]:
    """Write what a Spark task made of the partitions of a manifest, by table."""
    with PartWriter.of_task(manifest.folder, manifest.task_number) as writer:
        for name, rows in tables.items():
            writer.write(name, rows)
        return writer.finish()


def _task_attempt() -> int:
    """Which attempt of a Spark task this is; 0 where this process runs the tasks itself, and PySpark need not be loaded."""
    pyspark = sys.modules.get("pyspark")
    context = pyspark.TaskContext.get() if pyspark else None
    return context.taskAttemptId() if context else 0
