"""Transaction timed out: the coordinator aborted transactions that were open longer than their timeout, and fenced their producers.

The record of the abort has start, timeout and time, and a higher producer epoch: a producer that aborts keeps its epoch. Innocent: an
abort within the timeout, by the producer itself or by a new one that fenced it. One alone is low. Page: docs/detectors/transaction-timed-out.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural, some

VERSION_2 = (
    2  # each end raises the epoch by one, so that a fence shows in a second step only (until KAFKA-19367)
)

ANY_ABORT = """
    SELECT 1 FROM entries WHERE entry_type = 'transaction' AND entry_action = 'PrepareAbort'
        AND TRY_CAST(attributes->>'lastUpdateTimestamp' AS BIGINT) - TRY_CAST(attributes->>'startTimestamp' AS BIGINT)
            > TRY_CAST(attributes->>'timeoutMs' AS BIGINT) LIMIT 1
"""
# One row per copy of a partition of `__transaction_state`; `all_transactions`: of all its partitions.
TIMED_OUT = f"""
    WITH states AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action AS state, TRY_CAST(attributes->>'producerId' AS BIGINT) AS producer_id,
            TRY_CAST(attributes->>'producerEpoch' AS INT) AS epoch, TRY_CAST(attributes->>'timeoutMs' AS BIGINT) AS timeout_ms,
            TRY_CAST(attributes->>'startTimestamp' AS BIGINT) AS start_ms, TRY_CAST(attributes->>'lastUpdateTimestamp' AS BIGINT) AS update_ms,
            coalesce(TRY_CAST(attributes->>'clientTransactionVersion' AS INT), 0) AS version,
            TRY_CAST(attributes->'partitions' AS VARCHAR[]) AS partitions
        FROM entries WHERE entry_type = 'transaction' AND decode_error IS NULL
    ),
    steps AS (
        SELECT *, lag(state) OVER by_id AS state_before, lag(producer_id) OVER by_id AS producer_before, lag(epoch) OVER by_id AS epoch_before,
            lag("offset") OVER by_id AS offset_before
        FROM states WINDOW by_id AS (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset")
    ),
    ended AS (
        SELECT *, update_ms - start_ms AS open_ms, epoch - epoch_before > if(version >= {VERSION_2}, 1, 0) AS is_fenced FROM steps
        WHERE state = 'PrepareAbort' AND state_before = 'Ongoing' AND producer_id = producer_before AND epoch > epoch_before
            AND start_ms >= 0 AND update_ms - start_ms > timeout_ms
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS transactions, (sum(count(*)) OVER (PARTITION BY topic, replica))::BIGINT AS all_transactions, list(DISTINCT entity_id ORDER BY entity_id) AS ids, bool_and(is_fenced) AS is_fenced,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, min(offset_before) AS first_offset, max("offset") AS last_offset,
        min(update_ms) AS first_ms, max(update_ms) AS last_ms, arg_min(open_ms, "offset") AS open_ms, arg_min(timeout_ms, "offset") AS timeout_ms,
        arg_min(start_ms, "offset") AS start_ms, arg_min(entity_id, "offset") AS first_id, arg_min(producer_id, "offset") AS producer_id,
        list_sort(list_distinct(flatten(list(coalesce(partitions, []))))) AS partitions
    FROM ended GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    ids, timeout = row["ids"], words.span_of_time(row["timeout_ms"])
    whose = (
        f"Transactional ID {marked.entity(ids[0], 'transaction')}"
        if len(ids) == 1
        else plural(len(ids), "transactional ID")
    )
    lost = "its transaction" if row["transactions"] == 1 else plural(row["transactions"], "transaction")
    return Finding(
        detector=detector.id,
        severity="medium" if row["all_transactions"] > 1 else "low",
        confidence="proven" if row["is_fenced"] else "likely",
        effects=on_entities("lost", "transaction", ids, whom="read_committed"),
        title=(
            f"{whose} lost {lost}: the coordinator aborted {'it' if row['transactions'] == 1 else 'them'} after the timeout of {timeout} "
            f"(offset {marked.offset(row['offsets'][0])} of {words.partition_name(row)})"
        ),
        explanation=(
            f"The transaction of transactional ID {marked.entity(row['first_id'], 'transaction')} (producer {marked.number(row['producer_id'])}) "
            f"started at {moment(row['start_ms'])}. Its timeout is {timeout}. After {words.span_of_time(row['open_ms'])} the coordinator aborted it "
            f"and raised the producer epoch, so that the producer is fenced. {several(row)}read_committed consumers never get the records of an aborted "
            f"transaction. It wrote to: {some([marked.name(name) for name in row['partitions']]) if row['partitions'] else 'no partition'}. "
            "A producer that is fenced gets InvalidProducerEpochException or ProducerFencedException. If it sends the records again in a new "
            "transaction, nothing is missing. Flink cannot send them again: what a checkpoint has pre-committed is lost with its transaction."
        ),
        **located(row),
        entity="timed-out",
        entities={f"transactional-id:{name}" for name in ids},
        evidence=row["offsets"],
        remedy=detector.remedy(timeout=timeout, transactional_id=row["first_id"]),
        references=detector.references,
    )


def several(row: Row) -> str:
    """How many there are, if not one."""
    if row["transactions"] == 1:
        return ""
    return (
        f"{plural(row['transactions'], 'transaction')} ended so, from {moment(row['first_ms'])} to {moment(row['last_ms'])}, of "
        f"{some([marked.name(name) for name in row['ids']])}. "
    )


detector = Detector(
    id="transaction-timed-out",
    title="Transaction aborted after its timeout",
    find=query(TIMED_OUT, if_any=ANY_ABORT),
    describe=describe,
    headline=clause("coordinators aborted transactions after their timeout ({count})", "partition"),
    rows_of="entries",
    dialects=("transaction-state",),
    one_cause="topic",
)
