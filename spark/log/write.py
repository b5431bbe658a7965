"""Log: batches and companion files -> transactions, epochs, formats, what the cleaner sees, gaps.

Every step is SQL or arithmetic over the rows of batches and over narrow rows of records, and asks one partition at a
time, with all its replicas. So many partitions are several tasks, each over a subset of them that has a bounded number
of records. What is asked of the whole input is small: files, checkpoints, captures, the coordinator's own entries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from spark.log.cleanings import write_cleanings
from spark.log.epochs import write_epochs
from spark.log.fetch_faults import write_fetch_faults
from spark.log.gaps import write_gaps
from spark.log.transactions import write_transactions
from spark.tables import Manifest, Part
from spark.tables.replica import PartitionReplica
from spark.tables.subset import OF_PARTITIONS, Partition, PartitionSubset, subsets

Step = Callable[[Manifest], list[Part]]
MAX_RECORDS = 4_000_000  # of one task, unless one partition has more: some seconds, some hundred MB
# Not restricted: entries of `__transaction_state` tell of other partitions, and a broker's files of what was copied.
RESTRICTED = OF_PARTITIONS - {"entries", "files"}


def log_subsets(records: Mapping[Partition, int]) -> list[PartitionSubset]:
    """The partitions of each task. `records`: by partition, in all its replicas."""
    return subsets(records, MAX_RECORDS, RESTRICTED)


def write_log(
    manifest: Manifest,
    first_repeat: dict[PartitionReplica, int],
    compacted: Collection[str] = (),
    segments: Mapping[int, str] | None = None,
) -> list[Part]:
    """Run the steps in order over the partitions of a manifest; each sees the tables of those before it. `compacted`:
    topics that their service has compacted; `segments`: paths of segments by number of the file. Runs in a Spark task."""
    steps: tuple[Step, ...] = (
        partial(write_fetch_faults, paths=segments or {}),
        write_transactions,
        write_epochs,
        write_cleanings,
        partial(write_gaps, first_repeat=first_repeat, compacted=compacted),
    )
    written: list[Part] = []
    for step in steps:
        parts = step(manifest)
        manifest = manifest.with_parts(parts)
        written += parts
    return written
