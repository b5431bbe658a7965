"""Replay: run each partition's entries through its dialect, as the real service does at start-up.

The log is replayed as it is, as the next run of the log cleaner leaves it (the newest record of each key) and as the
last one does (without tombstones); what differs is what compaction will change. Where services of several kinds read
the same journal, by the rules of each.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import TaskContext

from spark.detectors import Place, Tables, is_of, quoted
from spark.dialects import Dialect, dialects
from spark.dialects._history import History, Run
from spark.parquet import Part, PartWriter
from spark.stages.committed import committed, has_transactions, left_by_cleaner
from spark.tables import Manifest

VIEWS = ("log", "next", "full")
NEWEST = {"next": "true", "full": "kind NOT IN ('tombstone', 'restart')"}  # of a key's newest record
FIRST_ROWS = 100_000  # of a partition, to tell whose journal it is
PORTION_ROWS = 50_000
Base = Callable[[Place, Tables], tuple[Place, int] | None]


@dataclass(frozen=True)
class Task:
    """One replay of one partition."""

    number: int
    dialect: str
    run: Run


def tasks(places: Iterable[Place], dialect_of: Callable[[str], str], manifest: Manifest) -> list[Task]:
    """Every replay that is due, those of the whole log first: they take longest, and the others fill what is left."""
    due: list[Task] = []
    owners: dict[str, str] = {}
    for where in places if manifest.rows.get("entries") else ():
        dialect = dialects()[dialect_of(where[0])]
        if dialect.replay is None:
            continue
        if where[0] not in owners:
            owners[where[0]] = owner_of(dialect, where, manifest)
        for profile in [profile.id for profile in dialect.profiles] or [""]:
            for view in VIEWS:
                run = Run(where, profile, profile == owners[where[0]], view)
                due.append(Task(len(due), dialect.id, run))
    return sorted(due, key=lambda task: VIEWS.index(task.run.view))


def owner_of(dialect: Dialect, where: Place, manifest: Manifest) -> str:
    """The profile that a partition's journal belongs to; empty where there is but one."""
    return dialect.owner(first_entries(where, manifest)) if dialect.owner else ""


def replay_partition(task: Task, manifest: Manifest) -> list[Part]:
    """Replay one partition and write `state` and `refusals`. Runs in a Spark task."""
    context = TaskContext.get()
    writer = PartWriter(manifest.folder, f"{task.number:05d}-{context.taskAttemptId() if context else 0}")
    dialect = dialects()[task.dialect]
    assert dialect.replay is not None
    history = History(task.run, writer.write)
    try:
        is_whole = task.run.view == "log" or not dialect.is_compacted
        entries = entries_of(task.run.where, manifest) if is_whole else left(task.run, manifest)
        if dialect.base:
            entries = with_base(dialect.base, task.run.where, entries, manifest)
        if dialect.reads_committed:
            entries = committed(entries, is_of(task.run.where), Tables.open(manifest))
        with without_collector():
            dialect.replay(entries, history)
            history.finish()
        return writer.finish()
    except BaseException:
        writer.discard()
        raise


@contextmanager
def without_collector() -> Iterator[None]:
    """What a replay holds does not point back to itself, and to walk over all of it again and again costs a third of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def with_base(
    base: Base, where: Place, entries: Iterable[pa.Table], manifest: Manifest
) -> Iterator[pa.Table]:
    """The entries behind those of the snapshot that holds what the log's head said, as if all stood at its last offset."""
    found = base(where, Tables.open(manifest))
    if found is None:
        yield from entries
        return
    snapshot, end_offset = found
    for portion in entries_of(snapshot, manifest):
        at = pa.repeat(pa.scalar(end_offset - 1, pa.int64()), portion.num_rows)
        yield portion.set_column(portion.schema.get_field_index("offset"), "offset", at)
    for portion in entries:
        yield portion.filter(pc.greater_equal(portion.column("offset"), end_offset))


def left(run: Run, manifest: Manifest) -> Iterator[pa.Table]:
    """The entries that the cleaner leaves, in offset order, in portions."""
    kept = kept_offsets(run, manifest)
    for portion in entries_of(run.where, manifest):
        offsets = portion.column("offset").to_numpy()
        place = np.searchsorted(kept, offsets)
        is_kept = (place < len(kept)) & (
            kept[np.minimum(place, len(kept) - 1)] == offsets if len(kept) else False
        )
        if is_kept.any():
            yield portion.filter(pa.array(is_kept))


def kept_offsets(run: Run, manifest: Manifest) -> np.ndarray:
    """Offsets of the records that the cleaner leaves, ascending. A record without key does not survive it."""
    tables, where = Tables.open(manifest), is_of(run.where)
    if has_transactions(where, tables):
        return left_by_cleaner(where, NEWEST[run.view], tables)
    asked = f"""
        SELECT "offset" FROM lifelines
        WHERE {where} AND (key_hash_1 <> 0 OR key_hash_2 <> 0) AND superseded_by IS NULL AND {NEWEST[run.view]}
        ORDER BY "offset"
    """
    return tables.arrow(asked).column("offset").to_numpy()


def first_entries(where: Place, manifest: Manifest) -> pa.Table:
    """The first entries of a partition."""
    found: list[pa.Table] = []
    for portion in entries_of(where, manifest):
        found.append(portion)
        if sum(table.num_rows for table in found) >= FIRST_ROWS:
            break
    return pa.concat_tables(found) if found else pa.table({})


def entries_of(where: Place, manifest: Manifest) -> Iterator[pa.Table]:
    """All entries of one partition in offset order, in portions."""
    paths = manifest.paths("entries")
    groups = [group for path in paths for group in row_groups(path, where)]
    groups.sort(key=lambda group: group.first_offset)
    if any(here.last_offset >= there.first_offset for here, there in pairwise(groups)):
        yield from sorted_entries(where, paths)
        return
    for group in groups:
        rows = pq.ParquetFile(group.path).read_row_group(group.number)
        rows = rows if group.is_whole else rows.filter(is_at(rows, where))
        if rows.num_rows:
            yield in_order(rows)


def is_at(rows: pa.Table, where: Place) -> pa.ChunkedArray:
    """Which rows belong to the partition's copy."""
    topic, partition, replica = (
        pc.equal(rows.column(name), value)
        for name, value in zip(("topic", "partition", "replica"), where, strict=True)
    )
    return pc.and_(pc.and_(topic, partition), replica)


def in_order(rows: pa.Table) -> pa.Table:
    """Rows by offset; most are so already, and to sort means to copy."""
    if (np.diff(rows.column("offset").to_numpy()) > 0).all():
        return rows
    return rows.sort_by([("offset", "ascending"), ("file", "ascending")])


@dataclass(frozen=True)
class RowGroup:
    """A row group that may hold entries of the partition, nothing else if `is_whole`, and the offsets in it."""

    path: str
    number: int
    is_whole: bool
    first_offset: int
    last_offset: int


def row_groups(path: str | Path, where: Place) -> Iterator[RowGroup]:
    """The row groups of a file that may hold entries of a partition, by their statistics."""
    file = pq.ParquetFile(path).metadata
    columns = {file.schema.column(number).name: number for number in range(file.num_columns)}
    for number in range(file.num_row_groups):
        ranges = {}
        for name in ("topic", "partition", "replica", "offset"):
            statistics = file.row_group(number).column(columns[name]).statistics
            ranges[name] = (statistics.min, statistics.max)
        bounds = [ranges[name] for name in ("topic", "partition", "replica")]
        if all(low <= value <= high for value, (low, high) in zip(where, bounds, strict=True)):
            is_whole = all(low == high for low, high in bounds)
            yield RowGroup(str(path), number, is_whole, *ranges["offset"])


def sorted_entries(where: Place, paths: list[str]) -> Iterator[pa.Table]:
    """The same where the files do not come in offset order: sorted on disk."""
    listed = ", ".join(quoted(str(path)) for path in paths)
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GB'; SET threads = 1")
        asked = f"""SELECT * FROM read_parquet([{listed}]) WHERE {is_of(where)} ORDER BY "offset", file"""
        for batch in connection.sql(asked).to_arrow_reader(PORTION_ROWS):
            yield pa.Table.from_batches([batch])
