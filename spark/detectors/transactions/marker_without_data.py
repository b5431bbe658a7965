"""Marker without data: COMMIT or ABORT with no data of its producer before it. One note per partition.

Always innocent: compaction took the data, or the transaction wrote nothing here. Page: docs/detectors/marker-without-data.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural

# One row per partition's copy.
LONE_MARKERS = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS markers, min(marker_offset) AS first_offset, max(marker_offset) AS last_offset,
        list(marker_offset ORDER BY marker_offset)[:{words.SOME}] AS offsets
    FROM transactions WHERE marker_offset IS NOT NULL AND records = 0 GROUP BY ALL
"""


def describe(row: Row) -> Finding:
    offsets = list(row["offsets"])
    first = "the first at " if row["markers"] > len(offsets) else "at "
    return Finding(
        detector=detector.id,
        severity="info",
        title=(
            f"{plural(row['markers'], 'transaction marker')} of {words.partition_name(row)} without data, {first}"
            f"{at_offsets(offsets)}"
        ),
        explanation=(
            "A marker ends a transaction of its producer. The log contains no record of these transactions before their markers. "
            "Compaction removed the records, or the transaction wrote no records to this partition. This is normal."
        ),
        **located(row),
        entity="markers",
        evidence=offsets,
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="marker-without-data",
    title="Marker without data",
    find=query(LONE_MARKERS),
    describe=describe,
    headline=clause("{count} with transaction markers without data", "partition"),
    rows_of="transactions",
    scope="partition",
    needs=frozenset({"batches", "producers", "control"}),
)
