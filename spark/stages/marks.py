"""Marks: every record of a partition that a service reads, with what the service does with it, in the order of offsets.

Lifelines lie in one file for each bucket of keys, so that a window of offsets would open all of them; here it reads one or
two row groups of one file. Written some million records at a time, cut where row groups of lifelines end.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark.stages._entries import row_groups
from spark.tables import MARKS, Manifest
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.service_kinds import KINDS, REPLAY_OFFSETS
from spark.tables.store import ResultTables

PORTION_GROUPS = 40  # row groups of lifelines, 50,000 records each


def write_marks(replica: PartitionReplica, manifest: Manifest, writer: PartWriter) -> None:
    """Of one partition, whose replay of the whole log is among the tables."""
    is_of_replica = is_of(replica)
    columns = ", ".join(f'"{name}"' for name in MARKS.schema.names)
    with ResultTables.open(manifest) as tables:
        for name, offsets in REPLAY_OFFSETS.items():
            tables.materialize(f"{name}_offsets", offsets.format(of=is_of_replica))
        kinds = KINDS.format(of=is_of_replica, **{name: f"{name}_offsets" for name in REPLAY_OFFSETS})
        for first, last in portions(replica, manifest):
            bounds = {"first_offset": first, "last_offset": last}
            writer.write("marks", tables.arrow(f'SELECT {columns} FROM ({kinds}) ORDER BY "offset"', bounds))


def portions(replica: PartitionReplica, manifest: Manifest) -> Iterator[tuple[int, int]]:
    """First and last offsets of stretches with about as many records each."""
    groups = [group for path in manifest.paths("lifelines") for group in row_groups(path, replica)]
    ends = sorted(group.last_offset for group in groups)
    first = min((group.first_offset for group in groups), default=0)
    for last in [*ends[PORTION_GROUPS - 1 : -1 : PORTION_GROUPS], *ends[-1:]]:
        if last >= first:
            yield first, last
            first = last + 1
