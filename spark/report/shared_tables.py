"""Prepare: tables that many detectors ask and that are dear to make, made before they run.

A detector's task makes such a table itself, in memory (`ResultTables.materialize`). Of a large input every task would make the
whole of it; here each core makes a part, of some files of `entries`, and all read it from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spark.detectors.schemas import _writes as registry
from spark.storage.stored_path import ResultPath
from spark.tables import Manifest
from spark.tables.store import ResultTables

MADE = "made"  # folder below the results; not DuckDB's own, which it removes when nothing of its own is in it
MAX_ENTRIES_IN_MEMORY = 200_000
PORTIONS = {registry.DIALECT: ("registry_writes", registry.write_portion)}

RunTasks = Callable[[Callable[[Any], Any], list[Any]], list[Any]]


def prepare(run: RunTasks, cores: int, manifest: Manifest, dialect_ids: set[str]) -> dict[str, list[str]]:
    """Names of the tables that were made, and their files. `run` runs one Spark task per item."""
    files = manifest.paths("entries")
    if manifest.rows.get("entries", 0) <= MAX_ENTRIES_IN_MEMORY:
        return {}
    folder = manifest.folder / MADE
    portions = [files[start::cores] for start in range(min(cores, len(files)))]
    return {
        name: run(_task(manifest, folder, name, write), portions)
        for name, write in (PORTIONS[dialect] for dialect in sorted(dialect_ids & PORTIONS.keys()))
    }


def _task(
    manifest: Manifest,
    folder: ResultPath,
    name: str,
    write: Callable[[ResultTables, Sequence[str], ResultPath], None],
) -> Callable[[list[str]], str]:
    def task(files: list[str]) -> str:
        path = folder / f"{name}-{Path(files[0]).stem}.parquet"
        folder.mkdir(exist_ok=True)
        write(ResultTables.open(manifest), files, path)
        return str(path)

    return task
