"""Group stuck: a committed offset does not move although its partition has records from there on and the group is alive.

Needs the partition's log beside `__consumer_offsets`. Innocent: commit = end of the log; only markers, aborted records or missing offsets
behind it; the record was written after the group's last sign of life (Empty, stopped); no member subscribes to the topic; one poll's time;
a topic that MirrorMaker writes, as the times of its records are those of the originals.
A finding stands at the record that the group does not pass. Page: docs/detectors/group-stuck.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, located
from spark.detectors._effects import on_entities
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.detectors.groups._standing import REPEATS, standing
from spark.detectors.transactions._words import span_of_time
from spark.stages.prints.numbered import with_numbering
from spark.tables.replica import PartitionReplica, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.marked import partition_name
from spark.terms.typed_wording import moment, plural

LONG_MS = 60 * 60 * 1000  # a partition that stands so long: its consumer stands still
MAX_ALONE = 3  # partitions: a group that stands in more has one cause, and it is no record
OTHERS = "SELECT DISTINCT topic FROM runs WHERE topic <> '__consumer_offsets'"


def journal_of(row: Row) -> PartitionReplica:
    """The partition of `__consumer_offsets` that has the commit."""
    return PartitionReplica(row["journal"], row["journal_partition"], row["journal_replica"])


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per group and partition; of a group that stands in many, one row with the partition that stands longest."""
    by_group: dict[tuple[str, int, str, str], list[Row]] = {}
    for row in with_numbering(tables, standing(tables), journal_of):
        by_group.setdefault((*journal_of(row), row["group_id"]), []).append(row)
    for rows in by_group.values():
        if len(rows) > MAX_ALONE:
            yield {**max(rows, key=lambda row: row["stood_ms"]), "elsewhere": len(rows) - 1}
        else:
            yield from ({**row, "elsewhere": 0} for row in rows)


def describe(row: Row) -> Finding:
    group, partition = marked.entity(row["group_id"], "group"), words.partition_name(row)
    offset = row["record_offset"]
    data_partition = partition_name(row["topic"], row["partition"])
    return Finding(
        detector=detector.id,
        severity="high" if row["stood_ms"] >= LONG_MS and is_certainly_read(row) else "medium",
        confidence="likely",
        effects=on_entities(
            "stuck",
            "offset-commit",
            [f"{row['group_id']}/{row['topic']}/{row['partition']}"],
            whom="consumers",
        ),
        title=(
            f"Group {group} does not pass offset {marked.offset(offset)} of {partition}: its committed offset "
            f"{marked.number(row['committed'])} does not advance, up to {plural(row['last_record'] - offset + 1, 'record')} wait{elsewhere(row)}"
        ),
        explanation=explanation(row),
        **located(row, offset, row["last_record"]),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}", f"record:{offset}", *open_transaction(row)},
        evidence=[offset],
        remedy=detector.remedy(
            group=row["group_id"],
            topic=row["topic"],
            partition=row["partition"],
            offset=offset,
            next_offset=offset + 1,
        ),
        since_ms=row["since_ms"],
        event=f"group:{row['group_id']}" if row["elsewhere"] else f"poison:{data_partition}:{offset}",
        references=detector.references,
    )


def elsewhere(row: Row) -> str:
    """That it is the group and not one record."""
    count = row["elsewhere"]
    return f", and in {plural(count, 'other partition')} likewise" if count else ""


def open_transaction(row: Row) -> set[str]:
    """The transaction that hides the record from read_committed consumers, as the detectors of transactions name it."""
    transaction = row["open_transaction"]
    return {f"transaction:{transaction['producer']}@{transaction['at']}"} if transaction else set()


def explanation(row: Row) -> str:
    """Since when, what shows that the group is alive, what may be the cause."""
    alive = []
    if row["repeats"] >= REPEATS:
        alive.append(
            f"it committed the same offset {plural(row['repeats'], 'time')} while the record was there, last at {moment(row['last_repeat_ms'])}"
        )
    if row["advances"]:
        alive.append(
            f"it committed higher offsets for {plural(row['advances'], 'other partition')}, last at {moment(row['last_advance_ms'])}"
        )
    if row["generations"]:
        alive.append(f"its members joined in {plural(row['generations'], 'generation')}")
    owner = row["owner"]
    who = (
        f" The partition belongs to {behaviour.client_named(owner['client_id'], owner['host'])}."
        if owner
        else ""
    )
    commit = (
        ""
        if row["is_numbered"]
        else f" The committed offset {marked.number(row['committed'])} is at offset {marked.offset(row['commit_at'])} of "
        f"{marked.partition(row['journal'], row['journal_partition'])}."
    )
    return (
        f"The record at offset {marked.offset(row['record_offset'])} has timestamp {moment(row['record_ms'])}.{commit} For {span_of_time(row['stood_ms'])} after {moment(row['since_ms'])} the "
        f"group is alive: {', and '.join(alive)}.{who} {cause(row)}"
    )


def is_certainly_read(row: Row) -> bool:
    """Whether a consumer has the partition: by its members, or by commits of it. Consumers that use `assign` may have left it."""
    return bool(row["members"]) or row["repeats"] >= REPEATS


def cause(row: Row) -> str:
    """The causes that fit, and what would decide."""
    if row["open_transaction"]:
        return (
            f"An open transaction begins at offset {marked.offset(row['open_transaction']['at'])}. read_committed consumers do not get records from "
            "there on."
        )
    absent_members = (
        ""
        if is_certainly_read(row)
        else " The input has no member of the group. If its consumers choose their partitions themselves (`assign`), no consumer may read this one any longer."
    )
    return (
        "Possible causes: the application fails at this record (a poison pill), its processing takes longer than `max.poll.interval.ms`, the "
        "consumer paused the partition (a retry topic with a delay does so on purpose), or the client stopped to fetch it. The log of the "
        f"application at this offset shows which.{absent_members}"
    )


def absent(tables: ResultTables) -> str | None:
    """It compares two topics."""
    if not tables.rows(OTHERS):
        return DoesNotApply("the input contains committed offsets, but no topic whose records a group reads")
    return None


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    groups = {finding.entity for finding in findings}
    if len(groups) == 1:
        group = marked.entity((findings[0].entity or "").removeprefix("group:"), "group")
        return f"group {group} does not advance in {plural(len(findings), 'partition')}"
    return f"{plural(len(groups), 'group')} do not advance"


detector = Detector(
    id="group-stuck",
    title="Committed offset that does not advance",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="state",
    dialects=("consumer-offsets",),
    needs=frozenset({"offset"}),
    follows=("hanging-transaction", "unframed-value", "partition-unassigned", "type-header-renamed"),
    absent=absent,
    one_cause="partition",
    family="poison-pill",
)
