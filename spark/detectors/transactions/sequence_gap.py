"""Sequence gap: the sequences of one producer epoch skip or repeat although no offset between the batches is missing.

Innocent: missing offsets in between (cleaned, damaged or lost stretches have findings of their own), the step from
2^31-1 to 0, a new epoch, the group coordinator's batches (each begins at 0, so a topic without a name may be its
own), a producer the broker had forgotten.
Page: docs/detectors/sequence-gap.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.transactions import _words as words
from spark.log.transaction_events import LOG
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

PRODUCER_EXPIRES_MS = 24 * 60 * 60 * 1000  # producer.id.expiration.ms of a broker
GROUP_COORDINATORS_TOPIC = "__consumer_offsets"  # each batch there begins at sequence 0

BROKEN = f"""
    SELECT *, (sequence_before + last_before - base_before + 1) %% {1 << 31} AS expected FROM (
        SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, base_sequence, base_offset, last_offset, max_timestamp_ms,
            lag(base_sequence) OVER by_epoch AS sequence_before, lag(base_offset) OVER by_epoch AS base_before,
            lag(last_offset) OVER by_epoch AS last_before, lag(max_timestamp_ms) OVER by_epoch AS time_before
        FROM %s WHERE NOT is_control AND producer_id >= 0 AND base_sequence >= 0 AND topic <> '{GROUP_COORDINATORS_TOPIC}'
        WINDOW by_epoch AS (PARTITION BY {REPLICA_COLUMNS}, producer_id, producer_epoch ORDER BY base_offset)
    )
    WHERE base_sequence <> expected AND NOT (topic = '{UNKNOWN_TOPIC}' AND base_sequence = 0 AND sequence_before = 0)
        AND NOT (base_sequence = 0 AND max_timestamp_ms::HUGEINT - time_before >= {PRODUCER_EXPIRES_MS})
"""
ANYTHING_ODD = BROKEN % "batches" + " LIMIT 1"
# One row per producer epoch of a partition's copy.
GAPS = f"""
    WITH {LOG}, broken AS ({BROKEN % "kept"}),
    unexplained AS (
        SELECT b.* FROM broken b
        ASOF LEFT JOIN holes h ON b.topic = h.topic AND b.partition = h.partition AND b.replica = h.replica
            AND b.last_before < h.first_offset
        WHERE coalesce(h.first_offset >= b.base_offset, true)
            AND NOT EXISTS (FROM torn t WHERE (t.topic, t.partition, t.replica) = (b.topic, b.partition, b.replica)
                AND t.first_offset <= b.last_offset AND t.last_offset >= b.base_before)
    )
    SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, count(*) AS breaks, min(base_offset) AS first_offset,
        max(base_offset) AS last_offset, arg_min(base_sequence, base_offset) AS base_sequence,
        arg_min(expected, base_offset) AS expected, arg_min(base_before, base_offset) AS base_before,
        list(base_offset ORDER BY base_offset)[:{words.SOME}] AS offsets
    FROM unexplained GROUP BY ALL ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    skips = row["base_sequence"] > row["expected"]
    more = f", and {plural(row['breaks'] - 1, 'more time')}" if row["breaks"] > 1 else ""
    return Finding(
        detector=detector.id,
        severity="medium",
        title=(
            f"{words.partition_name(row)} {'lacks' if skips else 'may contain duplicate'} records of producer {marked.number(row['producer_id'])}: its "
            f"sequence numbers {'skip' if skips else 'repeat'} at offset {marked.offset(row['first_offset'])}{more}"
        ),
        explanation=(
            "An idempotent producer numbers its records, so that a broker rejects a batch that arrives twice or too early. After the "
            f"batch at offset {marked.offset(row['base_before'])}, the expected sequence number of producer epoch {marked.number(row['producer_epoch'])} is "
            f"{marked.number(row['expected'])}. The batch at offset {marked.offset(row['first_offset'])} starts with {marked.number(row['base_sequence'])}. No offset is missing between "
            "them. "
            + (
                "So some records were never written here."
                if skips
                else "So some records may have been written twice."
            )
        ),
        **located(row),
        entity=f"producer:{row['producer_id']}/{row['producer_epoch']}",
        evidence=[row["base_before"], *row["offsets"]],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="sequence-gap",
    title="Gap in a producer's sequence numbers",
    find=query(GAPS, if_any=ANYTHING_ODD),
    describe=describe,
    headline=clause(
        "{count}",
        "producer has missing or duplicate records: gap in its sequence numbers",
        "producers have missing or duplicate records: gaps in their sequence numbers",
    ),
    rows_of="batches",
    scope="partition",
    needs=frozenset({"batches", "producers"}),
    one_cause="each",
    befalls=("at_risk", "consumers"),
)
