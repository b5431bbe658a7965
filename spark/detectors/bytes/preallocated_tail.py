"""Preallocated tail: zeros from the last batch to the end of the file. Always innocent.

Zeros where batches were once, as another file shows, are left to unreadable-bytes and truncated-tail. Page: docs/detectors/preallocated-tail.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors.bytes._tails import TAILS
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped

# One row per file.
ZEROS_AT_END = f"FROM ({TAILS}) WHERE reason = 'zeros_at_end' AND end_offset IS NULL"


def describe(row: Row) -> Finding:
    name = words.file_name(row)
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{name} of {words.partition_name(row)} ends in {grouped(row['size_bytes'])} zero bytes",
        explanation=(
            f"After its last batch, from byte {marked.number(row['position'])}, {name} contains only zeros. The broker preallocated this space "
            "(`log.preallocate`), or the file system added it at an unclean stop. No record is missing. The broker removes the zeros "
            "when it closes or recovers the segment."
        ),
        **located(row, None),
        entity=row["name"],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="preallocated-tail",
    title="Zeros at the end of a segment",
    find=query(ZEROS_AT_END),
    describe=describe,
    headline=clause("{count} in zeros", "segment ends", "segments end"),
    needs=frozenset({"batches"}),
    rows_of="damage",
    scope="partition",
)
