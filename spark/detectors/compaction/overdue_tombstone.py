"""Overdue tombstone: a delete horizon passed long ago, a cleaning ran since, and what should be gone is still there.

Innocent: no cleaning since the horizon; a horizon that passed only lately; batches that the cleaner has emptied.
Page: docs/detectors/overdue-tombstone.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import OFFSETS_NAMED, at_offsets, plural, steps

LATE_MS = 24 * 3600 * 1000  # the default of delete.retention.ms; the cleaner needs no such time for a pass

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
    return "no cleaner-offset-checkpoint in the input, so nothing tells up to where the cleaner has worked"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy that holds such batches."""
    return tables.rows(OVERDUE)


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])
    where = f"{row['topic']}-{row['partition']}"
    days = (row["cleaned_after_ms"] - row["horizon_ms"]) // LATE_MS
    kind = "markers of transactions" if row["markers"] == row["batches"] else "tombstones"
    return Finding(
        detector=detector.id,
        severity="low",
        title=f"{plural(row['batches'], 'batch', 'batches')} of {where} with overdue {kind}, at {at_offsets(offsets)}",
        explanation=(
            "When the log cleaner meets a tombstone, or a marker whose data is gone, it writes into the batch from when "
            f"on it may be dropped. That time passed, and a cleaning ran {plural(days, 'day')} or more after it: the "
            "cleaned part holds newer records. The batches should have been emptied then."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity="overdue",
        evidence=offsets,
        remedy=steps(
            [
                "Look into the broker's log-cleaner.log for errors about this partition.",
                "Compare with another replica: where the batches are gone there, this copy was restored or copied.",
                "Check the clock of the broker: a horizon is a time of its clock.",
            ]
        ),
        references=[
            "KIP-534: Retain tombstones and transaction markers for approximately delete.retention.ms"
        ],
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return (
        f"{plural(len(findings), 'partition')} {'keeps' if len(findings) == 1 else 'keep'} overdue tombstones"
    )


detector = Detector(
    id="overdue-tombstone",
    title="Tombstone past its delete horizon",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="batches",
    needs=frozenset({"batches"}),
    absent=absent,
    wants="checkpoint",
)
