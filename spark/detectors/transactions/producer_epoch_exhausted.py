"""Producer epoch exhausted: a transactional id reached the last producer epoch and its transaction stays Ongoing.

Only of transactions version 2: its coordinators raise the epoch with every transaction. Innocent: 32767 followed by PrepareAbort or
CompleteAbort (the coordinator fenced and takes a new producer id), version 1, a transaction within its timeout.
Page: docs/detectors/producer-epoch-exhausted.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import LAST_STATES
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, some

LAST_EPOCH = 32_766  # Short.MaxValue - 1: the coordinator must take a new producer id here
VERSION_2 = 2

NEAR_THE_END = f"""
    SELECT 1 FROM entries WHERE entry_type = 'transaction' AND entry_action = 'Ongoing'
        AND TRY_CAST(attributes->>'producerEpoch' AS INT) >= {LAST_EPOCH} LIMIT 1
"""
# One row per transactional id. Prints of dump-log have no version: only version 2 raises the epoch when it commits.
EXHAUSTED = f"""
    WITH {LAST_STATES},
    steps AS (
        SELECT topic, partition, replica, entity_id, entry_action, TRY_CAST(attributes->>'producerId' AS BIGINT) AS producer,
            TRY_CAST(attributes->>'producerEpoch' AS INT) AS epoch, lag(entry_action) OVER by_id AS action_before,
            lag(producer) OVER by_id AS producer_before, lag(epoch) OVER by_id AS epoch_before
        FROM entries WHERE entry_type = 'transaction'
        WINDOW by_id AS (PARTITION BY topic, partition, replica, entity_id ORDER BY "offset")
    ),
    raised AS (
        SELECT DISTINCT topic, partition, replica, entity_id, true AS is_raised FROM steps
        WHERE (entry_action, action_before) = ('PrepareCommit', 'Ongoing') AND producer = producer_before AND epoch = epoch_before + 1
    )
    SELECT p.*, TRY_CAST(attributes->>'producerEpoch' AS INT) AS producer_epoch,
        TRY_CAST(attributes->>'clientTransactionVersion' AS INT) AS transaction_version
    FROM pending p JOIN entries e USING (topic, partition, replica, "offset", entity_id)
    LEFT JOIN raised r USING (topic, partition, replica, entity_id)
    WHERE p.state = 'Ongoing' AND overdue AND producer_epoch >= {LAST_EPOCH}
        AND (transaction_version >= {VERSION_2} OR (transaction_version IS NULL AND is_raised)) ORDER BY ALL
"""


def describe(row: Row) -> Finding:
    name = marked.entity(row["entity_id"], "transaction")
    epoch, partitions = marked.number(row["producer_epoch"]), row["partitions"] or []
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("stuck", "transaction", [row["entity_id"]], whom="read_committed"),
        title=(
            f"Transactional ID {name} cannot end its transaction: its producer epoch {epoch} is the last one (offset "
            f"{marked.offset(row['offset'])} of {words.partition_name(row)})"
        ),
        explanation=(
            f"The transaction of producer {marked.number(row['producer_id'])} started at {moment(row['start_ms'])} and is still Ongoing "
            f"{words.span_of_time(row['age_ms'])} later. Its timeout is {words.span_of_time(row['timeout_ms'])}. Producer epochs end at 32767. With "
            "transactions version 2, the coordinator raises the epoch when it ends a transaction, and twice when it also fences the producer. "
            "Versions with the faults KAFKA-19367 (4.0.0) and KAFKA-20090 do not take a new producer ID here. The abort fails at each try, and the "
            "transaction stays open. read_committed consumers stop in: "
            f"{some([marked.name(partition) for partition in partitions]) if partitions else 'no partition yet'}."
        ),
        **located(row, row["offset"]),
        entity=f"transaction:{row['entity_id']}",
        entities={f"transactional-id:{row['entity_id']}"},
        evidence=[row["offset"]],
        event=f"producer:{row['producer_id']}:{row['producer_epoch']}",
        since_ms=row["start_ms"],
        remedy=detector.remedy(transaction=row["entity_id"]),
        references=detector.references,
    )


detector = Detector(
    id="producer-epoch-exhausted",
    title="Exhausted producer epoch",
    find=query(EXHAUSTED, if_any=NEAR_THE_END),
    describe=describe,
    headline=clause(
        "{count} end the open transaction: the producer epoch is exhausted",
        "transactional ID cannot",
        "transactional IDs cannot",
    ),
    rows_of="entries",
    dialects=("transaction-state",),
    one_cause="each",
)
