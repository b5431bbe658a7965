"""Prepare: tables that many detectors ask and that are dear to make, made before they run.

A detector's task makes such a table itself, in memory (`ResultTables.materialize`). Of a large input every task would make the
whole of it; here each core makes a part, of some files of `entries`, and all read it from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from spark.detectors.schemas import _writes as registry
from spark.runtime.stage_runner import StageRunner
from spark.storage.stored_path import ResultPath
from spark.tables import Manifest
from spark.tables.store import ResultTables

MADE = "made"  # folder below the results; not DuckDB's own, which it removes when nothing of its own is in it
MAX_ENTRIES_IN_MEMORY = 200_000
PortionWriter = Callable[[ResultTables, Sequence[str], ResultPath], None]
PORTIONS: dict[str, tuple[str, PortionWriter]] = {
    registry.DIALECT: ("registry_writes", registry.write_portion)
}


def prepare(runner: StageRunner, manifest: Manifest, dialect_ids: set[str]) -> dict[str, list[str]]:
    """Names of the tables that were made, and their files."""
    files = manifest.paths("entries")
    if manifest.rows.get("entries", 0) <= MAX_ENTRIES_IN_MEMORY:
        return {}
    portions = [files[start :: runner.cores] for start in range(min(runner.cores, len(files)))]
    return {
        table: runner.run(partial(write_portion, table, write, manifest), portions)
        for table, write in (PORTIONS[dialect] for dialect in sorted(dialect_ids & PORTIONS.keys()))
    }


def write_portion(table: str, write: PortionWriter, manifest: Manifest, files: Sequence[str]) -> str:
    """Make a part of a table, of some files of `entries`; its path. Runs in a Spark task."""
    folder = manifest.folder / MADE
    folder.mkdir(exist_ok=True)
    path = folder / f"{table}-{Path(files[0]).stem}.parquet"
    write(ResultTables.open(manifest), files, path)
    return str(path)
