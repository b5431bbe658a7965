"""Log: batches and companion files -> transactions, epochs, formats, what the cleaner sees, gaps.

One task, because all of it is small beside the records: every step is SQL or arithmetic over the rows of batches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from spark.log._gap_evidence import Where
from spark.log.cleanings import write_cleanings
from spark.log.epochs import write_epochs
from spark.log.gaps import write_gaps
from spark.log.transactions import write_transactions
from spark.tables import Manifest
from spark.tables.parquet import Part

Step = Callable[[Manifest], list[Part]]


def write_log(
    manifest: Manifest, first_repeat: dict[Where, int], compacted: Collection[str] = ()
) -> list[Part]:
    """Run the steps in order; each sees the tables of those before it. `compacted`: topics that their service has
    compacted. Runs in a Spark task."""
    steps: tuple[Step, ...] = (
        write_transactions,
        write_epochs,
        write_cleanings,
        partial(write_gaps, first_repeat=first_repeat, compacted=compacted),
    )
    found: list[Part] = []
    for step in steps:
        parts = step(manifest)
        manifest = manifest.with_parts(parts)
        found += parts
    return found
