"""Plan: the files of a request -> Spark partitions, each some splits of the plan stage.

Runs once per query on the driver. What goes to the executors are names, byte ranges and journal types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spark.datasource.inspected import WholeJournal, whole_journal
from spark.datasource.options import Request
from spark.datasource.paths import input_files
from spark.datasource.selection import ReadSelection
from spark.datasource.tables import INSPECTED
from spark.sources import Split, sources
from spark.sources._cutting import cut_later
from spark.stages.buckets import bundles
from spark.stages.plan import InspectionPlan, plan_inputs
from spark.tables import TABLES

OF_RECORDS = frozenset({"records", "entries"})  # tables for which batches out of the range need not be opened
OF_SEGMENTS = OF_RECORDS | {"batches", "damage"}  # all that a segment gives
OF_DIALECTS = frozenset({"entry_type", "entry_action"})  # columns of records that their dialect fills


@dataclass(frozen=True)
class SplitBundle:
    """What one Spark task reads. `dialect_ids`: topic -> dialect id, of the topics that need one."""

    splits: tuple[Split, ...]
    dialect_ids: dict[str, str]


@dataclass(frozen=True)
class FileRows:
    """Rows of the table `files`, which the plan makes itself: as Arrow's stream of bytes."""

    stream: bytes


Task = SplitBundle | FileRows | WholeJournal


def planned(request: Request, selection: ReadSelection) -> list[Task]:
    """The tasks of a query. Raises UnreadableInput when no file is a journal."""
    if request.table in INSPECTED:
        return [whole_journal(request)]
    plan = plan_inputs(input_files(request.paths), {}, request.read_as, reads=selection.reads, cut=cut_later)
    if request.table == "files":
        return [FileRows(file_rows(plan))]
    due = [ranged(split, request.table, selection) for split in plan.splits if gives(split, request.table)]
    has_entries = request.table == "entries" or OF_DIALECTS.intersection(request.columns)
    dialect_ids = plan.dialect_ids if has_entries else {}
    return [SplitBundle(tuple(bundle), dialects_of(bundle, dialect_ids)) for bundle in bundles(due)]


def gives(split: Split, table: str) -> bool:
    """Whether a split may have rows of a table. A companion may be damaged; prints and backups give several tables."""
    kind = sources()[split.source].kind
    if kind == "segment":
        return table in OF_SEGMENTS
    return kind == "export" or table == "damage" or table not in OF_SEGMENTS


def ranged(split: Split, table: str, selection: ReadSelection) -> Split:
    """A split of a segment whose reader may pass over batches out of the range."""
    if table not in OF_RECORDS or not selection.has_range or sources()[split.source].kind != "segment":
        return split
    return replace(
        split, detail={**split.detail, "offsets": (max(selection.first_offset, 0), selection.last_offset)}
    )


def dialects_of(bundle: Sequence[Split], dialect_ids: dict[str, str]) -> dict[str, str]:
    """The journal types that a task needs: of its segments' topics; of all where the lines of a file name topics."""
    if any(sources()[split.source].kind != "segment" for split in bundle):
        return dialect_ids
    names = {split.topic for split in bundle}
    return {topic: name for topic, name in dialect_ids.items() if topic in names}


def file_rows(plan: InspectionPlan) -> bytes:
    import pyarrow as pa

    rows = pa.Table.from_pylist(plan.files, schema=TABLES["files"].schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()
