"""Open transaction: no marker yet, and still within its timeout; in data and in the coordinator's journal.

Normal while a producer is at work. Page: docs/detectors/open-transaction.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import LAST_STATES, YOUNG
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding

# One row per transactional id that is not at rest; of `YOUNG` one per open transaction of a partition.
PENDING = f"WITH {LAST_STATES} SELECT * FROM pending WHERE NOT overdue"


def describe(row: Row) -> Finding:
    return of_coordinator(row) if "entity_id" in row else of_data(row)


def of_data(row: Row) -> Finding:
    """Data without a marker."""
    name, span = words.partition_name(row), words.offsets(row["first_offset"], row["last_offset"])
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"The transaction of producer {marked.number(row['producer_id'])} in {name} is open ({span})",
        explanation=(
            f"The log ends {words.span_of_time(max(row['age_ms'], 0))} after the last record of the transaction and contains no marker for "
            f"it. The transaction timeout is {words.span_of_time(row['timeout_ms'])}. {cluster(row)}Until the transaction ends, "
            f"read_committed consumers stop at offset {marked.offset(row['stable_offset'])}. This is normal if the files were copied while a producer was "
            "writing."
        ),
        **located(row),
        evidence=list(dict.fromkeys([row["first_offset"], row["last_offset"]])),
        remedy=detector.remedy("Open in the log"),
        references=detector.references,
    )


def cluster(row: Row) -> str:
    """What the cluster knew of it when it was captured, as a sentence; nothing where it was not asked."""
    if row["is_known_live"]:
        return (
            f"At the time of the capture, its coordinator had transactional ID `{marked.name(row['transactional_id'])}` in state {marked.name(row['state'])} and "
            "listed this partition. It will end the transaction. "
        )
    if row["knows_producers"] and not row["is_open_live"]:
        return "On the broker the transaction had ended before the capture ended. Its marker comes after the captured records. "
    return ""


def of_coordinator(row: Row) -> Finding:
    """A transactional id whose newest state is not at rest."""
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"Transactional ID {marked.entity(row['entity_id'])} is in state {marked.name(row['state'])} at the end of {words.partition_name(row)}",
        explanation=(
            f"At the end of the input, its newest record (offset {marked.offset(row['offset'])}) is {words.span_of_time(max(row['age_ms'], 0))} old. The "
            f"transaction timeout is {words.span_of_time(row['timeout_ms'])}. The coordinator will end the transaction."
        ),
        **located(row, row["offset"]),
        key=row["entity_id"],
        evidence=[row["offset"]],
        remedy=detector.remedy("Open for its coordinator"),
        references=detector.references,
    )


detector = Detector(
    id="open-transaction",
    title="Open transaction",
    find=query(YOUNG, PENDING),
    describe=describe,
    headline=clause("{count} open", "transaction is", "transactions are"),
    rows_of=("transactions", "entries"),
    needs=frozenset({"batches", "producers", "control"}),
)
