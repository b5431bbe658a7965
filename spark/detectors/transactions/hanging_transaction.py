"""Hanging transaction: data without a marker, older than the transaction's timeout when the log ends.

In `__consumer_offsets` it names the groups whose commits are pending (`_pending_commits`). Young ones are `open-transaction`. Of a captured log the cluster decides, as `kafka-transactions find-hanging` does.
Page: docs/detectors/hanging-transaction.md
"""

from __future__ import annotations

from spark.detectors import Detector, located
from spark.detectors.transactions import _pending_commits as pending_commits
from spark.detectors.transactions import _words as words
from spark.detectors.transactions.illegal_state_transition import overdue_id
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.marked import plain
from spark.terms.typed_wording import moment, plural
from spark.terms.victims import stuck


def describe(row: Row) -> Finding:
    name, producer = words.partition_name(row), row["producer_id"]
    is_first = row["first_stable_offset"] == row["stable_offset"]
    stop = "stop" if is_first else "will stop"
    of_offsets = bool(row["pending"])
    return Finding(
        detector=detector.id,
        severity="high",
        title=pending_commits.title(row)
        if of_offsets
        else f"read_committed consumers of {name} {stop} at offset {marked.offset(row['first_offset'])}{hidden(row) if is_first else ''}: the transaction of producer {marked.number(producer)} hangs",
        explanation=explanation(row, is_first),
        **located(row),
        evidence=list(dict.fromkeys([row["first_offset"], row["last_offset"]])),
        remedy=remedy(row),
        confidence="proven" if row["state"] or row["reported_as"] else "likely",
        references=[*detector.references, *(pending_commits.THREADS if of_offsets else [])],
        entity=f"producer:{producer}",
        entities={f"transaction:{producer}@{row['first_offset']}"},
        since_ms=row["last_timestamp_ms"],
        effects=pending_commits.effects(row)
        if of_offsets
        else [Effect("stuck", "partition", plain(name), whom="read_committed")],
        event=f"producer:{producer}:{row['producer_epoch']}",
        consequence_of=overdue_id(row) if row["is_known"] and row["is_overdue"] else None,
    )


def hidden(row: Row) -> str:
    """`, 74 records hidden`."""
    return f", {plural(row['hidden_records'], 'record')} hidden" if row["hidden_records"] else ""


def explanation(row: Row, is_first: bool) -> str:
    """What is there, for how long, what the coordinator knows, who is stopped."""
    lines = [written(row) + since(row), coordinator(row)]
    if row.get("pending"):
        lines.append(pending_commits.explanation(row))
    elif is_first:
        hidden = plural(row["hidden_records"] or 0, "record is", "records are")
        lines.append(
            f"The last stable offset (LSO) stays at {marked.offset(row['stable_offset'])}. Up to offset {marked.offset(row['log_end_offset'])}, {hidden} hidden "
            "from read_committed consumers, including records of completed transactions and of non-transactional producers. The "
            "log cleaner also stops at this offset."
        )
    else:
        lines.append(
            f"An older open transaction already keeps the last stable offset (LSO) at {marked.offset(row['stable_offset'])}."
        )
    return "\n".join(lines)


def written(row: Row) -> str:
    """What is there of it."""
    who = f"Producer {marked.number(row['producer_id'])} (producer epoch {marked.number(row['producer_epoch'])})"
    if not row["records"]:
        return (
            f"{who} has an open transaction since offset {marked.offset(row['first_offset'])}. The timestamp of its last batch is "
            f"{moment(row['last_timestamp_ms'])}. The capture does not contain its records."
        )
    return (
        f"{who} wrote {plural(row['records'], 'transactional record')} at "
        f"{words.offsets(row['first_offset'], row['last_offset'])}, the last at {moment(row['last_timestamp_ms'])}. No COMMIT or "
        "ABORT marker follows."
    )


def since(row: Row) -> str:
    """For how long."""
    age, timeout = words.span_of_time(row["age_ms"]), words.span_of_time(row["timeout_ms"])
    if row["is_open_live"]:
        return f" At the time of the capture, {age} later, the transaction was still open on the broker. Its timeout is {timeout}."
    return f" The newest record in the input is {age} newer. The transaction timeout is {timeout}."


def coordinator(row: Row) -> str:
    """What `__transaction_state`, the live cluster or the print of a tool says."""
    if row["printed_by"] and not row["state"]:
        return f"`kafka-transactions find-hanging` lists it, according to {marked.quote(row['printed_by'])}. No coordinator will end it."
    if row["reported_as"] and not row["state"]:
        return (
            "At the time of the capture, no coordinator of the cluster had a transactional ID of this producer. So no coordinator "
            "will end the transaction."
        )
    if row["is_open_live"] and not row["state"]:
        return "The state of the transaction at its coordinator is unknown, because the cluster could not be queried."
    if not row["state"]:
        return "The state of the transaction at its coordinator is unknown, because the input contains no `__transaction_state`."
    state = f"Its coordinator has transactional ID `{marked.name(row['transactional_id'])}` in state {marked.name(row['state'])}"
    if row["is_known"]:
        return f"{state} and lists this partition. It should have ended the transaction but did not."
    return f"{state} and does not list this partition, so it will never end the transaction."


def headline(findings: list[Finding]) -> str:
    """For the verdict: whom it stops, where, since when."""
    groups = {
        effect.entity_id
        for finding in findings
        for effect in finding.effects
        if effect.entity_type == "group"
    }
    if groups and all(effect.entity_type == "group" for finding in findings for effect in finding.effects):
        who = (
            f"group {marked.entity(min(groups), 'group')}"
            if len(groups) == 1
            else plural(len(groups), "group")
        )
        return f"{who} cannot start (UNSTABLE_OFFSET_COMMIT): {plural(len(findings), 'transaction hangs', 'transactions hang')}"
    return f"{stuck(findings)}: {plural(len(findings), 'transaction hangs', 'transactions hang')}"


def remedy(row: Row) -> str:
    """Kafka's own topics are not written to."""
    if row.get("pending"):
        return detector.remedy(
            "Committed offsets",
            topic=row["topic"],
            partition=row["partition"],
            first_offset=row["first_stable_offset"],
            group=pending_commits.groups_of(row)[0],
        )
    return detector.remedy("Records", **words.step_values(row, row["first_stable_offset"]))


detector = Detector(
    id="hanging-transaction",
    title="Hanging transaction",
    find=pending_commits.find,
    describe=describe,
    headline=headline,
    rows_of=("transactions", "captured_producers"),
    needs=frozenset({"batches", "producers", "control"}),
    follows=("late-transactional-write",),
    one_cause="each",
)
