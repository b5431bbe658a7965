"""Open transaction: no marker yet, and still within its timeout; in data and in the coordinator's journal.

Normal while a producer is at work. Page: docs/detectors/open-transaction.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import LAST_STATES, YOUNG
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural

PENDING = f"WITH {LAST_STATES} SELECT * FROM pending WHERE NOT overdue"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per open transaction of a partition, and per transactional id that is not at rest."""
    return [*tables.rows(YOUNG), *tables.rows(PENDING)]


def describe(row: Row) -> Finding:
    """In words."""
    return of_coordinator(row) if "entity_id" in row else of_data(row)


def of_data(row: Row) -> Finding:
    """Data without a marker."""
    name, span = words.partition_name(row), words.offsets(row["first_offset"], row["last_offset"])
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"A transaction of producer {row['producer_id']} in {name} is open at {span}",
        explanation=(
            f"When the log ends, {words.span_of_time(max(row['age_ms'], 0))} after its last record, no marker has ended it; its "
            f"timeout is {words.span_of_time(row['timeout_ms'])}. {cluster(row)}Until then consumers that read committed data "
            f"stop at offset {row['stable_offset']}. This is normal where files were copied while a producer was at work."
        ),
        **words.place(row),
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=list(dict.fromkeys([row["first_offset"], row["last_offset"]])),
        remedy="Nothing to do. If it is still open in a later copy, inspect that one.",
        references=[words.KIP_98],
    )


def cluster(row: Row) -> str:
    """What the cluster knew of it when it was captured, as a sentence; nothing where it was not asked."""
    if row["is_known_live"]:
        return (
            f"Its coordinator had it in state {row['state']}, as transactional id `{row['transactional_id']}`, this "
            "partition included: it will end it. "
        )
    if row["knows_producers"] and not row["is_open_live"]:
        return "The broker had ended it when it was asked: the marker lies behind what was captured. "
    return ""


def of_coordinator(row: Row) -> Finding:
    """A transactional id whose newest state is not at rest."""
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"Transactional id {row['entity_id']} is in state {row['state']} when {words.partition_name(row)} ends",
        explanation=(
            f"Its newest record, at offset {row['offset']}, is {words.span_of_time(max(row['age_ms'], 0))} old at the end "
            f"of the input; its timeout is {words.span_of_time(row['timeout_ms'])}. The coordinator will end it."
        ),
        **words.place(row),
        first_offset=row["offset"],
        last_offset=row["offset"],
        key=row["entity_id"],
        evidence=[row["offset"]],
        remedy="Nothing to do.",
        references=[words.KIP_98],
    )


def headline(findings: list[Finding]) -> str:
    """Never part of a verdict; worded all the same."""
    return plural(len(findings), "transaction is open", "transactions are open")


detector = Detector(
    id="open-transaction",
    title="Open transaction",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("transactions", "entries"),
    needs=frozenset({"batches", "producers", "control"}),
)
