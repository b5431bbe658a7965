"""Overdue tombstone: a delete horizon passed long ago, a cleaning ran since, and what should be gone is still there.

Innocent: no cleaning since the horizon; a horizon that passed only lately; batches that the cleaner has emptied.
Page: docs/detectors/overdue-tombstone.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.compaction._checkpoint import checkpoint_unknown
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural

LATE_MS = 24 * 3600 * 1000  # the default of delete.retention.ms; the cleaner needs no such time for a pass

# One row per partition's copy that holds such batches.
# What lies below the first dirty offset was there when the last cleaning ran: its newest timestamp is before that.
OVERDUE = f"""
    WITH passes AS (
        SELECT topic, partition, replica, first_dirty_offset, max(max_timestamp_ms) AS cleaned_after_ms
        FROM batches JOIN cleanings USING (topic, partition, replica)
        WHERE last_offset < first_dirty_offset AND dirty_from = 'checkpoint' AND crc_ok GROUP BY ALL
    )
    SELECT topic, partition, replica, any_value(cleaned_after_ms) AS cleaned_after_ms, count(*) AS batches,
        count(*) FILTER (is_control) AS markers, min(delete_horizon_ms) AS horizon_ms,
        min(base_offset) AS first_offset, max(last_offset) AS last_offset,
        list(base_offset ORDER BY base_offset)[:{OFFSETS_NAMED}] AS offsets
    FROM batches JOIN passes USING (topic, partition, replica)
    WHERE delete_horizon_ms + {LATE_MS} <= cleaned_after_ms AND last_offset < first_dirty_offset
        AND record_count > 0 AND crc_ok
    GROUP BY topic, partition, replica ORDER BY topic, partition, replica
"""


def absent(tables: ResultTables) -> str | None:
    """Only a checkpoint tells that a cleaning ran."""
    if tables.rows("SELECT 1 AS one FROM cleanings WHERE dirty_from = 'checkpoint' LIMIT 1"):
        return None
    return checkpoint_unknown(tables)


def describe(row: Row) -> Finding:
    offsets = list(row["offsets"])
    name = marked.partition(row["topic"], row["partition"])
    days = (row["cleaned_after_ms"] - row["horizon_ms"]) // LATE_MS
    kind = "transaction markers" if row["markers"] == row["batches"] else "tombstones"
    return Finding(
        detector=detector.id,
        severity="low",
        title=f"{name} contains {plural(row['batches'], 'batch', 'batches')} with {kind} past their delete horizon, at {at_offsets(offsets)}",
        explanation=(
            "When the log cleaner first reads a tombstone, or a transaction marker without data, it writes a delete horizon into "
            f"the batch. After that time it may remove the record. A compaction ran {plural(days, 'day')} or more after that time: "
            "the clean section contains newer records. That compaction did not remove the records."
        ),
        **located(row),
        entity="overdue",
        evidence=offsets,
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="overdue-tombstone",
    title="Tombstone past its delete horizon",
    find=query(OVERDUE),
    describe=describe,
    headline=clause(
        "{count} tombstones past their delete horizon", "partition contains", "partitions contain"
    ),
    rows_of="batches",
    scope="partition",
    needs=frozenset({"batches"}),
    absent=absent,
    wants="checkpoint",
)
