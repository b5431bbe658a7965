"""Illegal state transition: a step in `__transaction_state` that Kafka forbids, or a transaction past its timeout.

Innocent: steps between which the log lacks offsets (compaction took the states in between).
Page: docs/detectors/illegal-state-transition.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import ABORT_DELAY_MS, LAST_STATES
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment

AT_REST = ("Empty", "CompleteCommit", "CompleteAbort")
# What may come before each state; a tombstone (`delete`) forgets the id, so that anything may follow it.
MAY_FOLLOW = {
    "Empty": AT_REST,
    "Ongoing": ("Ongoing", *AT_REST),
    "PrepareCommit": ("Ongoing",),
    "PrepareAbort": ("Ongoing", "PrepareEpochFence", *AT_REST),  # at rest: an empty abort, KIP-890
    "CompleteCommit": ("PrepareCommit",),
    "CompleteAbort": ("PrepareAbort",),
    "Dead": AT_REST,
    "PrepareEpochFence": ("Ongoing",),
    "delete": ("Dead", "delete", *AT_REST),
}
ALLOWED = ", ".join(f"('{before}', '{after}')" for after, names in MAY_FOLLOW.items() for before in names)

# One row per forbidden step. Whether the log lacks offsets between two records shows when they are counted and numbered by offset.
STEPS = f"""
    WITH state_topics AS (SELECT DISTINCT {REPLICA_COLUMNS} FROM entries WHERE entry_type = 'transaction'),
    counted AS (
        SELECT {REPLICA_COLUMNS}, "offset", "offset" - row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset") AS run
        FROM records JOIN state_topics USING ({REPLICA_COLUMNS})
    ),
    states AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action AS state, run,
            TRY_CAST(attributes->>'producerId' AS BIGINT) AS producer_id, TRY_CAST(attributes->>'producerEpoch' AS INT) AS producer_epoch
        FROM entries JOIN counted USING ({REPLICA_COLUMNS}, "offset")
        WHERE entry_type = 'transaction' AND decode_error IS NULL AND entry_action IS NOT NULL AND entity_id IS NOT NULL
    ),
    taken AS (
        SELECT *, lag(state) OVER by_id AS state_before, lag("offset") OVER by_id AS offset_before,
            lag(run) OVER by_id AS run_before, lag(producer_epoch) OVER by_id AS epoch_before,
            lag(producer_id) OVER by_id AS producer_before
        FROM states WINDOW by_id AS (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset")
    )
    SELECT * FROM taken WHERE run = run_before AND state_before <> 'delete' AND (
        (state_before, state) NOT IN ({ALLOWED})
        OR (producer_id = producer_before AND producer_epoch < epoch_before)
    ) ORDER BY "offset"
"""
# One row per transactional id that is overdue at the end.
OVERDUE = f"WITH {LAST_STATES} SELECT * FROM pending WHERE overdue"


def describe(row: Row) -> Finding:
    return forbidden(row) if "state_before" in row else overdue(row)


def forbidden(row: Row) -> Finding:
    """A step that Kafka's coordinator never takes."""
    went_back = row["producer_id"] == row["producer_before"] and (row["producer_epoch"] or 0) < (
        row["epoch_before"] or 0
    )
    state = "a tombstone" if row["state"] == "delete" else marked.name(row["state"])
    step = f"{marked.name(row['state_before'])} to {state}"
    states = (
        f"back from producer epoch {marked.number(row['epoch_before'])} to {marked.number(row['producer_epoch'])}"
        if went_back
        else f"from {step}"
    )
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("at_risk", "transaction", [row["entity_id"]], whom="brokers"),
        title=f"Transactional ID {marked.entity(row['entity_id'])} changes {states} at offset {marked.offset(row['offset'])} of {words.partition_name(row)}: forbidden",
        explanation=(
            f"At offset {marked.offset(row['offset_before'])} the ID is in state {marked.name(row['state_before'])}. Its next record, at offset {marked.offset(row['offset'])}, is "
            f"{state}. Kafka forbids this change. No offset is missing between them, so compaction did not remove a "
            "state. Possible causes: two coordinators wrote at the same time, or another program wrote or restored the topic."
        ),
        **located(row, row["offset_before"], row["offset"]),
        entity=f"{row['entity_id']}@{row['offset']}",
        evidence=[row["offset_before"], row["offset"]],
        remedy=detector.remedy("Illegal transition", transactional_id=marked.entity(row["entity_id"])),
        references=detector.references,
    )


def overdue(row: Row) -> Finding:
    """A transaction that its coordinator should have ended."""
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("stuck", "transaction", [row["entity_id"]], whom="read_committed"),
        title=f"The transaction of transactional ID {marked.entity(row['entity_id'])} is past its timeout: it stays in state {marked.name(row['state'])}",
        explanation=(
            f"Its newest record, at offset {marked.offset(row['offset'])} of {words.partition_name(row)}, was written at "
            f"{moment(row['update_ms'])}. At the end of the input, its transaction is {words.span_of_time(row['age_ms'])} old. Its "
            f"timeout is {words.span_of_time(row['timeout_ms'])}. A coordinator ends such a transaction within "
            f"{words.span_of_time(ABORT_DELAY_MS)} after the timeout. This coordinator did not."
        ),
        **located(row, row["offset"]),
        key=row["entity_id"],
        entities={f"transactional-id:{row['entity_id']}"},
        evidence=[row["offset"]],
        remedy=detector.remedy(
            "Overdue transaction",
            partitions=", ".join(map(marked.name, row["partitions"])) if row["partitions"] else "none listed",
        ),
        references=detector.references,
    )


def overdue_id(row: Row) -> str:
    """The id of the finding about the transactional id of a hanging transaction."""
    of = {
        "entity_id": row["transactional_id"],
        "offset": 0,
        "state": "",
        "update_ms": 0,
        "age_ms": 0,
        "partitions": [],
    }
    return overdue({**of, **row["state_place"], "timeout_ms": 0}).id


detector = Detector(
    id="illegal-state-transition",
    title="Forbidden transaction state",
    find=query(STEPS, OVERDUE),
    describe=describe,
    headline=clause(
        "{count}", "transactional ID has a forbidden state", "transactional IDs have forbidden states"
    ),
    rows_of="entries",
    dialects=("transaction-state",),
    needs=frozenset({"offset"}),
    follows=("producer-epoch-exhausted",),
    one_cause="each",
)
