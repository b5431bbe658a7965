"""The entries of one partition in offset order, in portions: by row group where the files are in order, else sorted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark.storage.copies import opened_by_ranges
from spark.tables import Manifest
from spark.tables.connections import PORTION
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables, spill_folder

FIRST_ROWS = 100_000  # of a partition, to tell whose journal it is
PORTION_ROWS = 50_000


def first_entries(replica: PartitionReplica, manifest: Manifest) -> pa.Table:
    """At least FIRST_ROWS of a partition in offset order, or all it has; a table without columns where it has none."""
    portions: list[pa.Table] = []
    for portion in entries_of(replica, manifest):
        portions.append(portion)
        if sum(table.num_rows for table in portions) >= FIRST_ROWS:
            break
    return pa.concat_tables(portions) if portions else pa.table({})


def entries_of(replica: PartitionReplica, manifest: Manifest) -> Iterator[pa.Table]:
    """All entries of one partition in offset order, in portions."""
    paths = manifest.paths("entries")
    groups = [group for path in paths for group in row_groups(path, replica)]
    groups.sort(key=lambda group: group.first_offset)
    if any(group.last_offset >= following.first_offset for group, following in pairwise(groups)):
        yield from sorted_entries(replica, manifest)
        return
    for group in groups:
        with opened_by_ranges(group.path) as file:
            rows = pq.ParquetFile(file).read_row_group(group.number)
        rows = rows if group.is_whole else rows.filter(is_at(rows, replica))
        if rows.num_rows:
            yield in_order(rows)


def is_at(rows: pa.Table, replica: PartitionReplica) -> pa.ChunkedArray:
    """Which rows belong to the partition's copy."""
    matches = (
        pc.equal(rows.column(name), value)
        for name, value in zip(PartitionReplica._fields, replica, strict=True)
    )
    return reduce(pc.and_, matches)


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


def row_groups(path: str, replica: PartitionReplica) -> Iterator[RowGroup]:
    """The row groups of a file that may hold entries of a partition, by their statistics."""
    with opened_by_ranges(path) as opened:
        file = pq.ParquetFile(opened).metadata
    columns = {file.schema.column(number).name: number for number in range(file.num_columns)}
    for number in range(file.num_row_groups):
        ranges = {}
        for name in (*PartitionReplica._fields, "offset"):
            statistics = file.row_group(number).column(columns[name]).statistics
            ranges[name] = (statistics.min, statistics.max)
        bounds = [ranges[name] for name in PartitionReplica._fields]
        if all(low <= value <= high for value, (low, high) in zip(replica, bounds, strict=True)):
            is_whole = all(low == high for low, high in bounds)
            yield RowGroup(path, number, is_whole, *ranges["offset"])


def sorted_entries(replica: PartitionReplica, manifest: Manifest) -> Iterator[pa.Table]:
    """The same where the files do not come in offset order: sorted on disk."""
    query = f"""SELECT * FROM entries WHERE {is_of(replica)} ORDER BY "offset", file"""
    with ResultTables.open(manifest, profile=PORTION, spill=spill_folder(manifest)) as tables:
        yield from tables.stream(query, PORTION_ROWS)
