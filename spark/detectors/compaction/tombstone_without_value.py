"""Tombstone for a key that has no value before it in the dump: one note per partition.

Always innocent: the value was compacted away, or the dump starts after it. Records that are null by design (a
registry's restarts) are none, and neither are those without a key, as a print without keys has them. Page: docs/detectors/tombstone-without-value.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural

# One row per partition that has such tombstones.
LONE_TOMBSTONES = f"""
    SELECT topic, partition, replica, count(*) AS tombstones, min("offset") AS first_offset,
        max("offset") AS last_offset, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM lifelines WHERE kind = 'tombstone' AND previous_offset IS NULL AND NOT (key_size_bytes = 0 AND key_hash_1 = 0 AND key_hash_2 = 0)
    GROUP BY ALL
"""


def describe(row: Row) -> Finding:
    count = row["tombstones"]
    offsets = list(row["offsets"])
    more = f", the first at {at_offsets(offsets)}" if count > len(offsets) else f", at {at_offsets(offsets)}"
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{plural(count, 'tombstone')} in {marked.partition(row['topic'], row['partition'])} without an earlier value{more}",
        explanation=(
            "A tombstone deletes the value of its key. The dump contains no earlier record of this key: compaction has already "
            "removed the value, the dump starts after it, or the service deletes keys that it never wrote. This is normal."
        ),
        **located(row),
        entity="tombstones",
        evidence=offsets,
        remedy=detector.remedy(),
    )


detector = Detector(
    id="tombstone-without-value",
    title="Tombstone without an earlier value",
    find=query(LONE_TOMBSTONES),
    describe=describe,
    headline=clause("{count} tombstones without an earlier value", "partition has", "partitions have"),
    needs=frozenset({"key"}),
    rows_of="lifelines",
    scope="partition",
)
