"""Coordinator epoch order: a marker whose coordinator epoch is lower than one before it, for the same producer.

Producers have coordinators of their own: epochs of different producers are not compared.
Page: docs/detectors/coordinator-epoch-order.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural

# One row per producer of a partition's copy.
GONE_BACK = f"""
    WITH ordered AS (
        SELECT {REPLICA_COLUMNS}, producer_id, marker_offset, coordinator_epoch,
            max(coordinator_epoch) OVER before AS newer_epoch,
            max(marker_offset) OVER before AS offset_before
        FROM transactions WHERE marker_offset IS NOT NULL AND coordinator_epoch >= 0
        WINDOW before AS (PARTITION BY {REPLICA_COLUMNS}, producer_id ORDER BY marker_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT {REPLICA_COLUMNS}, producer_id, count(*) AS markers, min(marker_offset) AS first_offset,
        max(marker_offset) AS last_offset, list(marker_offset ORDER BY marker_offset)[:{words.SOME}] AS offsets,
        arg_min(coordinator_epoch, marker_offset) AS coordinator_epoch, arg_min(newer_epoch, marker_offset) AS newer_epoch,
        arg_min(offset_before, marker_offset) AS offset_before
    FROM ordered WHERE coordinator_epoch < newer_epoch GROUP BY ALL
"""


def describe(row: Row) -> Finding:
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"A replaced coordinator ended a transaction of producer {marked.number(row['producer_id'])} in {words.partition_name(row)}: the "
            f"marker at offset {marked.offset(row['first_offset'])} has coordinator epoch {marked.number(row['coordinator_epoch'])} after {marked.number(row['newer_epoch'])}"
        ),
        explanation=(
            "A transaction marker contains the coordinator epoch of the coordinator that wrote it. Up to offset "
            f"{marked.offset(row['offset_before'])} it is {marked.number(row['newer_epoch'])} for this producer. After it, "
            f"{plural(row['markers'], 'marker has', 'markers have')} an older one: {at_offsets(row['offsets'])}. A broker must reject "
            "such markers. A coordinator that was already replaced still ended transactions. Its result can differ from the "
            "result of the new coordinator."
        ),
        **located(row),
        entity=f"producer:{row['producer_id']}",
        evidence=[row["offset_before"], *row["offsets"]],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="coordinator-epoch-order",
    title="Decreasing coordinator epoch",
    find=query(GONE_BACK),
    describe=describe,
    headline=clause(
        "{count} transactions that a replaced coordinator ended", "producer has", "producers have"
    ),
    rows_of="transactions",
    scope="partition",
    needs=frozenset({"batches", "producers", "control"}),
    befalls=("at_risk", "read_committed"),
)
