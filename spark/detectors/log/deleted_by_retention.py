"""Deleted by retention: the head of a log that retention or DeleteRecords removed, with what the service lost by it.

The broker's own start of the log tells it (proven), or a cleanup.policy with `delete` beside a head that is missing (likely).
Critical for journals that a service replays from the start, info for others. Innocent: a log that starts at 0, a capture that was
asked to begin later, an Apicurio Registry 3.x journal with a snapshot marker. Page: docs/detectors/deleted-by-retention.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors import _words as words
from spark.detectors.log._heads import (
    beginnings,
    capitalized,
    finding_of,
    has_retention,
    is_deleted,
    is_keyless,
    is_start_told,
    matters,
)
from spark.detectors.log._history_heads import DEBEZIUM, KSQLDB
from spark.detectors.log._lost_entities import LostEntity, lost_entities
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import listed, plural
from spark.terms.victims import partitions_of

NAMED_IN_TITLE, NAMED_IN_TEXT = 1, 10


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition whose head was deleted."""
    rows = [row for row in beginnings(tables) if is_deleted(row)]
    return [{**row, "lost": lost_entities(tables, row) if row["service"] else []} for row in rows]


def describe(row: Row) -> Finding:
    finding = finding_of(
        row,
        detector.id,
        "proven" if is_start_told(row) else "likely",
        title=title(row, row["head_offset"] - 1),
        explanation=explanation(row),
        remedy=remedy(row),
    )
    finding.effects = [Effect("lost", entity.entity_type, entity.id) for entity in row["lost"] if entity.id]
    return finding


def title(row: Row, last: int) -> str:
    """Who loses what, and by what."""
    offsets, partition = words.offsets(0, last), words.partition_name(row)
    if not row["service"]:
        return f"{partition} starts at offset {marked.offset(row['head_offset'])}: {deleter(row)} deleted {offsets}"
    lost = f"loses {some_lost(row['lost'])}" if row["lost"] else "cannot rebuild its full state"
    service = capitalized(row["service"])
    return f"{service} {lost}: {deleter(row)} deleted {offsets} of {partition}"


def some_lost(lost: list[LostEntity]) -> str:
    """`content 2`, `content 2 and 3 more`."""
    more = len(lost) - NAMED_IN_TITLE
    return lost[0].name if more < 1 else f"{lost[0].name} and {plural(more, 'more entity', 'more entities')}"


def deleter(row: Row) -> str:
    """What removed the records."""
    if has_retention(row):
        return "retention"
    return "DeleteRecords" if row["policy"] else "retention or DeleteRecords"


def explanation(row: Row) -> str:
    """What shows it, by what it was deleted, and what is lost."""
    lines = [f"{shown(row)} {by_what(row)}"]
    if not row["service"]:
        return f"{lines[0]} For a topic with retention this is normal."
    if row["lost"]:
        some = listed(entity.name for entity in row["lost"][:NAMED_IN_TEXT])
        more = len(row["lost"]) - NAMED_IN_TEXT
        lines.append(
            f"Later records need deleted entries: {some}{f' and {marked.number(more)} more' if more > 0 else ''}."
        )
    if row["kept_from"] is not None:
        offsets = words.offsets(row["kept_from"], row["head_offset"] - 1)
        lines.append(
            f"The segments in the input still contain records of {offsets}. The broker deletes them with their segment."
        )
    return "\n".join([*lines, MATTERS])


def shown(row: Row) -> str:
    """Where the log begins, and who says so."""
    if row["told_offset"] is not None:
        return f"The broker reported offset {marked.offset(row['told_offset'])} as the start of its log at the time of the capture."
    if row["printed_start"] is not None:
        return f"The log starts at offset {marked.offset(row['printed_start'])} according to {marked.quote(row['said_by'])}."
    if is_start_told(row):
        return f"The broker's log-start-offset-checkpoint contains offset {marked.offset(row['log_start_offset'])} as the start of the log."
    return (
        row["shown"]
        or f"The first segment is {words.file_name(row)}. Compaction keeps the name of the first segment."
    )


def by_what(row: Row) -> str:
    """The settings that allow it, or exclude it."""
    if has_retention(row):
        limits = (
            f"retention.ms {stated(row['retention_ms'])}, retention.bytes {stated(row['retention_bytes'])}"
        )
        return f"With cleanup.policy={marked.quote(row['policy'])}, the broker deletes the oldest segments by age or size ({limits}{by(row)})."
    if row["policy"]:
        return (
            f"With cleanup.policy={marked.quote(row['policy'])}, retention does not delete records{by(row)}. Possible causes: DeleteRecords, or an "
            "earlier policy."
        )
    return "Retention or DeleteRecords deleted the earlier records."


def by(row: Row) -> str:
    """The print that tells the settings."""
    return f", according to {marked.quote(row['policy_said_by'])}" if row["policy_said_by"] else ""


def stated(value: str | None) -> str:
    """A setting's value."""
    return marked.quote(value) if value is not None else "is the broker's default"


def headline(findings: list[Finding]) -> str:
    if len(findings) == 1:
        return findings[0].marked["title"]
    return f"services cannot rebuild their full state: retention or DeleteRecords deleted the first records of {partitions_of(findings)}"


MATTERS = matters("deleted")


def remedy(row: Row) -> str:
    """A journal is restored by the tools of its service."""
    if not row["service"]:
        return detector.remedy("Other topics")
    return detector.remedy(
        "Journal",
        topic=row["topic"],
        records_need_no_keys=is_keyless(row["service"]),
        debezium_wrote_it=row["service"] == DEBEZIUM,
        ksqldb_wrote_it=row["service"] == KSQLDB,
    )


detector = Detector(
    id="deleted-by-retention",
    title="Start of the log deleted by retention",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("files", "runs"),
    needs=frozenset({"offset"}),
    one_cause="topic",
    befalls=("missing", "service"),
)
