"""Hanging transaction: data without a marker, older than the transaction's timeout when the log ends.

Young ones are `open-transaction`. Of a captured log the cluster decides, as `kafka-transactions find-hanging` does.
Page: docs/detectors/hanging-transaction.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import HANGING
from spark.detectors.transactions.illegal_state_transition import overdue_id
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import BROKER, named
from spark.terms.victims import stuck
from spark.terms.wording import moment, plural, steps


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per hanging transaction."""
    return tables.rows(HANGING)


def describe(row: Row) -> Finding:
    """In words."""
    name, producer = words.partition_name(row), row["producer_id"]
    is_first = row["first_stable_offset"] == row["stable_offset"]
    effect = "read_committed consumers stop there" if is_first else "it will block read_committed consumers"
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"The transaction of producer {producer} in {name} hangs since offset {row['first_offset']}: {effect}",
        explanation=explanation(row, is_first),
        **words.place(row),
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=list(dict.fromkeys([row["first_offset"], row["last_offset"]])),
        remedy=remedy(row),
        confidence="proven" if row["state"] or row["told"] else "likely",
        references=[words.KIP_664, words.KIP_890],
        entity=f"producer:{producer}",
        entities={f"transaction:{producer}@{row['first_offset']}"},
        since_ms=row["last_timestamp_ms"],
        event=f"producer:{producer}:{row['producer_epoch']}",
        consequence_of=overdue_id(row) if row["is_known"] and row["is_overdue"] else None,
    )


def explanation(row: Row, is_first: bool) -> str:
    """What is there, for how long, what the coordinator knows, who is stopped."""
    told = [
        written(row) + since(row),
        coordinator(row),
    ]
    if is_first:
        told.append(
            f"The last stable offset stays at {row['stable_offset']}: of the data up to offset {row['log_end_offset']}, "
            f"consumers that read committed data do not get {plural(row['hidden_records'] or 0, 'record')}, those of "
            "ended transactions and of plain producers included. The log cleaner does not pass this offset either."
        )
    else:
        told.append(
            f"An older open transaction holds the last stable offset at {row['stable_offset']} already."
        )
    return "\n".join(told)


def written(row: Row) -> str:
    """What is there of it."""
    who = f"Producer {row['producer_id']} (epoch {row['producer_epoch']})"
    if not row["records"]:
        return (
            f"{who} has a transaction open since offset {row['first_offset']}; its last batch is of "
            f"{moment(row['last_timestamp_ms'])}. Its records are not in the capture."
        )
    return (
        f"{who} wrote {plural(row['records'], 'record')} of a transaction at "
        f"{words.offsets(row['first_offset'], row['last_offset'])}, the last on {moment(row['last_timestamp_ms'])}. "
        "No COMMIT and no ABORT of it follows"
    )


def since(row: Row) -> str:
    """For how long."""
    age, timeout = words.span_of_time(row["age_ms"]), words.span_of_time(row["timeout_ms"])
    if row["is_open_live"]:
        begins = ", and when it" if row["records"] else " When it"
        return f"{begins} was captured, {age} later, the broker still had it open; the timeout is {timeout}."
    return f", and the newest record of the input is {age} younger; its timeout is {timeout}."


def coordinator(row: Row) -> str:
    """What `__transaction_state`, the live cluster or the print of a tool says."""
    if row["printed_by"] and not row["state"]:
        return (
            f"`kafka-transactions find-hanging` names it, by {row['printed_by']}: no coordinator will end it."
        )
    if row["told"] and not row["state"]:
        return (
            "No coordinator of the cluster had a transactional id of this producer when it was captured: nobody will "
            "ever end it."
        )
    if row["is_open_live"] and not row["state"]:
        return "The cluster could not be asked what the transaction's coordinator knows of it."
    if not row["state"]:
        return "The input does not tell what the transaction's coordinator knows of it (no `__transaction_state`)."
    known = f"Its coordinator has transactional id `{row['transactional_id']}` in state {row['state']}"
    if row["is_known"]:
        return f"{known}, this partition included: it has not ended what it should have ended."
    return f"{known} and knows of no transaction in this partition: nobody will ever end it."


def remedy(row: Row) -> str:
    """How to end it."""
    return steps(
        [
            f"Check that the transaction still hangs: `kafka-transactions.sh --bootstrap-server {BROKER} find-hanging --topic "
            f"{named(row['topic'])} --partition {row['partition']}`.",
            "Warning: after the abort, read_committed consumers never get the records of the transaction. Save those that are "
            f"still needed. Abort the transaction: `kafka-transactions.sh --bootstrap-server {BROKER} abort --topic "
            f"{named(row['topic'])} --partition {row['partition']} --start-offset {row['first_stable_offset']}`.",
            "Produce the saved records again.",
            "Upgrade the brokers and the clients to 4.0 or later. Brokers from 4.0 on reject transactional data that the "
            "coordinator does not know.",
        ]
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict: whom it stops, where, since when."""
    return f"{stuck(findings)}: {plural(len(findings), 'transaction hangs', 'transactions hang')}"


detector = Detector(
    id="hanging-transaction",
    title="Hanging transaction",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("transactions", "captured_producers"),
    needs=frozenset({"batches", "producers", "control"}),
    follows=("late-transactional-write",),
    one_cause="each",
)
