"""Gaps: ranges of offsets that nothing readable covers, each with the cause that can be proven.

In this order: damage that fell on the range; a batch header that spans it (the cleaner keeps the range of a batch
it empties); unique keys below it (below the cleaner's point every key stands once, so compaction explains the
hole); otherwise the cause is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import TaskContext

from spark.parquet import Part, PartWriter
from spark.stages.spine import partition_groups
from spark.tables import GAPS, Manifest

Where = tuple[str, int, str]
Ranges = tuple[np.ndarray, np.ndarray]  # first and last offsets, sorted by first

UNKNOWN = "unknown"
NONE: Ranges = (np.empty(0, np.int64), np.empty(0, np.int64))


def write_gaps(manifest: Manifest, first_repeat: dict[Where, int]) -> list[Part]:
    """Find and write all gaps. Runs in a Spark task."""
    context = TaskContext.get()
    writer = PartWriter(manifest.folder, f"00000-{context.taskAttemptId() if context else 0}")
    damaged = ranges(manifest, "damage", "first_offset", "last_offset")
    spanned = ranges(manifest, "batches", "base_offset", "last_offset")
    for where, (first, last) in ranges(manifest, "runs", "first_offset", "last_offset").items():
        holes = between(first, last)
        repeat = first_repeat.get(where, np.iinfo(np.int64).max)
        writer.write("gaps", gaps(where, holes, damaged.get(where, NONE), spanned.get(where, NONE), repeat))
    return writer.finish()


def unexplained(manifest: Manifest) -> dict[str, int]:
    """Missing offsets without a provable cause, by `<topic>-<partition>`; partitions without one are left out."""
    found: dict[str, int] = defaultdict(int)
    columns = ["topic", "partition", "first_offset", "last_offset", "cause"]
    for path in manifest.paths("gaps"):
        for row in pq.read_table(Path(path), columns=columns, filters=[("cause", "=", UNKNOWN)]).to_pylist():
            found[f"{row['topic']}-{row['partition']}"] += row["last_offset"] - row["first_offset"] + 1
    return dict(sorted(found.items()))


def ranges(manifest: Manifest, table: str, first: str, last: str) -> dict[Where, Ranges]:
    """First and last offsets of a table's rows by partition, sorted by first."""
    names = ["topic", "partition", "replica", first, last]
    by_place = defaultdict(list)
    for path in manifest.paths(table):
        rows = pq.read_table(Path(path), columns=names)
        rows = rows.filter(pc.and_(pc.is_valid(rows.column(first)), pc.is_valid(rows.column(last))))
        for where, part in partition_groups(rows) if rows.num_rows else ():
            by_place[where].append(part)
    return {where: sorted_ranges(pa.concat_tables(parts), first, last) for where, parts in by_place.items()}


def sorted_ranges(rows: pa.Table, first: str, last: str) -> Ranges:
    """The two columns as arrays, sorted by the first."""
    firsts, lasts = rows.column(first).to_numpy(), rows.column(last).to_numpy()
    order = np.argsort(firsts, kind="stable")
    return firsts[order], lasts[order]


def between(first: np.ndarray, last: np.ndarray) -> Ranges:
    """The holes between ranges that are sorted by their first offset and may overlap."""
    reach = np.maximum.accumulate(last)[:-1]
    hole = first[1:] > reach + 1
    return reach[hole] + 1, first[1:][hole] - 1


def touches(holes: Ranges, others: Ranges) -> np.ndarray:
    """Which holes share an offset with one of the other ranges."""
    if not len(others[0]):
        return np.zeros(len(holes[0]), dtype=bool)
    reach = np.maximum.accumulate(others[1])
    before = np.searchsorted(others[0], holes[1], side="right") - 1
    return (before >= 0) & (reach[before] >= holes[0])


def gaps(where: Where, holes: Ranges, damaged: Ranges, spanned: Ranges, first_repeat: int) -> pa.Table:
    """Rows of `gaps` of one partition."""
    proofs = [
        ("damage", "bytes that could not be read held these offsets"),
        (
            "compaction",
            "a batch header spans these offsets: the cleaner removed the records and kept the range",
        ),
        ("compaction", "every key below stands once, as the log cleaner leaves it"),
        (UNKNOWN, "no cause is left in this source"),
    ]
    tests = [touches(holes, damaged), touches(holes, spanned), holes[1] < first_repeat]
    number = np.select(tests, range(len(tests)), default=len(tests))
    n = len(number)
    columns = [*(pa.repeat(value, n) for value in where), *map(pa.array, holes)]
    words = [pa.array([proofs[i][part] for i in number], pa.string()) for part in (0, 1)]
    return pa.table([*columns, *words], names=GAPS.schema.names).cast(GAPS.schema)
