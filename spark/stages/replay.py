"""Replay: run each partition's entries through its dialect, as the real service does at start-up."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark import TaskContext

from spark.dialects import dialects
from spark.parquet import Part, PartWriter
from spark.tables import Manifest


def replay_partition(
    number: int, where: tuple[str, int, str], dialect: str, manifest: Manifest
) -> list[Part]:
    """Replay one partition and write `state` and `refusals`. Runs in a Spark task."""
    context = TaskContext.get()
    writer = PartWriter(manifest.folder, f"{number:05d}-{context.taskAttemptId() if context else 0}")
    replay = dialects()[dialect].replay
    assert replay is not None
    state, refusals = replay(entries_of(where, manifest))
    try:
        writer.write("state", state)
        writer.write("refusals", refusals)
        return writer.finish()
    except BaseException:
        writer.discard()
        raise


def entries_of(where: tuple[str, int, str], manifest: Manifest) -> pa.Table:
    """All entries of one partition in offset order."""
    topic, partition, replica = where
    chosen = (
        (ds.field("topic") == topic) & (ds.field("partition") == partition) & (ds.field("replica") == replica)
    )
    rows = ds.dataset([Path(path) for path in manifest.paths("entries")]).to_table(filter=chosen)
    return rows.sort_by([("offset", "ascending"), ("file", "ascending")])
