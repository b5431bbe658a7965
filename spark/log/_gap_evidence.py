"""What the tables tell of each partition's copy, as far as it explains missing offsets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from spark.log._ranges import NEVER, NONE, Ranges
from spark.log.cleanings import NOTHING_SHOWN
from spark.log.cluster_settings import NEWEST_CAPTURES
from spark.sources import sources
from spark.tables import Manifest
from spark.tables.key_index import partition_groups
from spark.tables.replica import PartitionReplica, by_replica, replica_of
from spark.tables.store import ResultTables

FILES = """
    SELECT file, layout, kind = 'segment' AND base_offset IS NOT NULL AS is_named,
        topic, partition, replica, base_offset FROM files
"""
CLEANED = "SELECT topic, partition, replica, compacted, why, first_dirty_offset, dirty_from FROM cleanings"
# Damage of which only the beginning is known, or not even that.
DAMAGE = """
    SELECT topic, partition, replica, file, position, first_offset FROM damage
    WHERE last_offset IS NULL AND reason NOT IN ('zeros_at_end', 'bad_companion')
"""
CAPTURED = f"""
    WITH {NEWEST_CAPTURES}, served AS (
        SELECT topic, partition, replica, list({{'first': asked_offset, 'last': next_offset - 1}} ORDER BY asked_offset)
            FILTER (next_offset > asked_offset) AS ranges
        FROM (SELECT *, coalesce(asked_first_offset, first_offset) AS asked_offset FROM captures) GROUP BY ALL
    )
    SELECT topic, partition, replica, log_start_offset, high_watermark, stopped_by, ranges
    FROM newest_captures JOIN served USING (topic, partition, replica)
"""
FIRST_KEYLESS = """
    SELECT topic, partition, replica, min("offset") AS first_keyless FROM lifelines
    WHERE key_hash_1 = 0 AND key_hash_2 = 0 AND kind <> 'control' GROUP BY ALL
"""


@dataclass(frozen=True)
class CaptureEvidence:
    """The broker's log at the time of a capture; `served`: the offsets that were requested."""

    log_start: int | None
    high_watermark: int | None
    stopped_by: str | None
    served: Ranges


@dataclass(frozen=True)
class GapLog:
    """One partition's copy. Runs are sorted by their first offset; `unique_below` is asked only when needed."""

    runs: Ranges
    run_files: np.ndarray
    run_positions: np.ndarray
    damaged: Ranges
    damaged_from: list[int]
    damaged_positions: list[tuple[int, int]]  # file and position of damage whose offsets nobody knows
    batches: Ranges
    bases: np.ndarray  # of the segments, sorted; empty in an export
    named_files: frozenset[int]
    lacks: frozenset[str]
    is_print: bool  # of a layout that is an export and shows batches
    is_text: bool  # of layouts that show records only
    is_compacted: bool  # the input shows it, or the journal's service has its topics compacted
    is_proven_compacted: bool
    is_kept_whole: bool  # the topic's settings say that it is not compacted
    first_dirty: int | None
    dirty_from: str | None
    unique_below: Callable[[], int]
    capture: CaptureEvidence | None = None


def logs(
    manifest: Manifest, first_repeat: dict[PartitionReplica, int], compacted: Collection[str] = ()
) -> Iterator[tuple[PartitionReplica, GapLog]]:
    """Every partition's copy that holds records. `compacted`: topics that their service has compacted."""
    tables = ResultTables.open(manifest)
    files = {row["file"]: row for row in tables.rows(FILES)}
    cleanings = {replica_of(row): row for row in tables.rows(CLEANED)}
    captures = {replica_of(row): capture(row) for row in tables.rows(CAPTURED)}
    open_damage = by_replica(tables.rows(DAMAGE))
    segments = by_replica([row for row in files.values() if row["is_named"]])
    damaged = pairs(tables, "damage", "first_offset", "last_offset")
    batches = pairs(tables, "batches", "base_offset", "last_offset")

    @cache
    def keyless() -> dict[PartitionReplica, int]:
        return {replica_of(row): row["first_keyless"] for row in tables.rows(FIRST_KEYLESS)}

    def unique(replica: PartitionReplica) -> int:
        return min(first_repeat.get(replica, NEVER), keyless().get(replica, NEVER))

    columns = ("first_offset", "last_offset", "file", "position")
    for replica, runs in grouped(tables, "runs", *columns).items():
        first, last, run_files, positions = (runs.column(name).to_numpy() for name in columns)
        layouts = {files[number]["layout"] for number in np.unique(run_files) if number in files}
        layout_sources = [sources()[layout] for layout in layouts if layout in sources()]
        prints_batches = [
            "batches" not in source.lacks for source in layout_sources if source.kind == "export"
        ]
        compaction = cleanings.get(replica, {})
        is_assumed_compacted = replica.topic in compacted and not is_kept_whole(compaction)
        damage = open_damage.get(replica, [])
        log = GapLog(
            runs=(first, last),
            run_files=run_files,
            run_positions=positions,
            damaged=damaged.get(replica, NONE),
            damaged_from=[row["first_offset"] for row in damage if row["first_offset"] is not None],
            damaged_positions=[
                (row["file"], row["position"]) for row in damage if row["first_offset"] is None
            ],
            batches=batches.get(replica, NONE),
            bases=np.array(sorted({row["base_offset"] for row in segments.get(replica, [])}), np.int64),
            named_files=frozenset(row["file"] for row in segments.get(replica, [])),
            lacks=frozenset().union(*(source.lacks for source in layout_sources)),
            is_print=any(prints_batches),
            is_text=bool(layouts) and prints_batches.count(False) == len(layouts),
            is_compacted=compaction.get("compacted", "no") != "no" or is_assumed_compacted,
            is_proven_compacted=compaction.get("compacted") == "proven",
            is_kept_whole=is_kept_whole(compaction),
            first_dirty=compaction.get("first_dirty_offset"),
            dirty_from=compaction.get("dirty_from"),
            unique_below=partial(unique, replica),
            capture=captures.get(replica),
        )
        yield replica, log


def capture(row: dict[str, Any]) -> CaptureEvidence:
    """A row of CAPTURED; ranges that touch or overlap are one."""
    served: list[list[int]] = []
    for interval in row["ranges"] or []:
        if served and interval["first"] <= served[-1][1] + 1:
            served[-1][1] = max(served[-1][1], interval["last"])
        else:
            served.append([interval["first"], interval["last"]])
    bounds = np.array(served, np.int64).reshape(-1, 2)
    return CaptureEvidence(
        row["log_start_offset"], row["high_watermark"], row["stopped_by"], (bounds[:, 0], bounds[:, 1])
    )


def is_kept_whole(row: dict[str, Any]) -> bool:
    """Whether a row of CLEANED says that the topic is not compacted, and not only that nothing shows it."""
    return row.get("compacted") == "no" and row.get("why") not in (None, NOTHING_SHOWN)


def grouped(tables: ResultTables, table: str, *columns: str) -> dict[PartitionReplica, pa.Table]:
    """The rows of a table by partition, those with a null left out, sorted by the first column."""
    condition = " AND ".join(f"{name} IS NOT NULL" for name in columns)
    rows = tables.arrow(
        f"SELECT topic, partition, replica, {', '.join(columns)} FROM {table} WHERE {condition}"
    )
    if not rows.num_rows:
        return {}
    return {replica: sorted_by(group, columns[0]) for replica, group in partition_groups(rows)}


def sorted_by(rows: pa.Table, column: str) -> pa.Table:
    """The rows in order of a column; most come so."""
    values = rows.column(column).to_numpy()
    return rows if (np.diff(values) >= 0).all() else rows.take(pa.array(np.argsort(values, kind="stable")))


def pairs(tables: ResultTables, table: str, first: str, last: str) -> dict[PartitionReplica, Ranges]:
    """First and last offsets of a table's rows by partition, sorted by first."""
    return {
        replica: (rows.column(first).to_numpy(), rows.column(last).to_numpy())
        for replica, rows in grouped(tables, table, first, last).items()
    }
