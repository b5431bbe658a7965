"""Missing head: a log folder whose first segment is named above 0, or a dump whose entries need what lay before.

Compaction keeps the first segment's name; retention, DeleteRecords and an incomplete copy do not. Critical for journals that a
service replays from the start, info for others. Innocent: a first offset above 0 in a segment named 0, a capture that was asked to
begin later, an Apicurio Registry 3.x journal with a snapshot marker; where something tells that the head was deleted, it is
deleted-by-retention's. Page: docs/detectors/missing-head.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors import _words as words
from spark.detectors.log._heads import (
    beginnings,
    capitalized,
    finding_of,
    is_deleted,
    is_keyless,
    matters,
)
from spark.detectors.log._history_heads import DEBEZIUM, KSQLDB
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.victims import partitions_of


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition without its head, of which nothing tells that it was deleted."""
    return [row for row in beginnings(tables) if not is_deleted(row)]


def describe(row: Row) -> Finding:
    return finding_of(
        row,
        detector.id,
        row.get("confidence", "proven"),
        title=title(row, row["head_offset"] - 1),
        explanation=explanation(row),
        remedy=remedy(row),
    )


MATTERS = matters("missing")


def title(row: Row, last: int) -> str:
    """One sentence a ticket can quote."""
    missing = (
        f"{words.offsets(0, last)} of {words.partition_name(row)} {'is' if last == 0 else 'are'} missing"
    )
    if row["service"]:
        return f"{capitalized(row['service'])} cannot rebuild its full state: {missing}"
    return f"{words.partition_name(row)} starts at offset {marked.offset(row['head_offset'])}: its segments with {words.offsets(0, last)} are missing"


def explanation(row: Row) -> str:
    """What shows it and what removed them."""
    if row["shown"]:
        return f"{row['shown']} Possible causes: retention, DeleteRecords, or a dump that starts too late. {MATTERS}"
    start = (
        f"The first segment is {words.file_name(row)}. Compaction keeps the name of the first segment, so it did not remove the "
        "earlier records."
    )
    if row["index_offset"] is not None and row["index_offset"] < row["head_offset"]:
        cause = (
            f"The folder still contains an index of the segment at offset {marked.offset(row['index_offset'])}. So the segment existed when the "
            "folder was copied, or someone deleted it manually."
        )
    elif row["printed_start"] is not None:
        cause = (
            f"The log starts at offset {marked.offset(row['printed_start'])} according to {marked.quote(row['said_by'])}. So the copy of the folder is incomplete, "
            "and the broker still has the missing records."
        )
    else:
        cause = "Possible causes: retention, DeleteRecords, or an incomplete copy."
    if row["service"]:
        return f"{start} {cause} {MATTERS}"
    return f"{start} {cause} For a topic with retention this is normal."


def headline(findings: list[Finding]) -> str:
    last = max(finding.last_offset or 0 for finding in findings)
    missing = f"{words.offsets(0, last)} of {partitions_of(findings)} {'is' if last == 0 else 'are'} missing"
    if len({(finding.topic, finding.partition) for finding in findings}) > 1:
        missing = f"the first offsets of {partitions_of(findings)} are missing"
    return f"the service cannot rebuild its full state: {missing}"


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
    id="missing-head",
    title="Start of the log missing",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="files",
    needs=frozenset({"offset"}),
    one_cause="topic",
    befalls=("missing", "service"),
)
