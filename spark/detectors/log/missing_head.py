"""Missing head: a log folder whose first segment is named above 0, or a dump whose entries need what lay before.

Compaction keeps the first segment's name; retention, DeleteRecords and an incomplete copy do not. Critical for journals that a
service replays from the start, info for others. Innocent: a first offset above 0 in a segment named 0, a capture that was asked to
begin later, an Apicurio Registry 3.x journal with a snapshot marker; where something tells that the head was deleted, it is
deleted-by-retention's. Page: docs/detectors/missing-head.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes import _words as words
from spark.detectors.log._heads import beginnings, is_deleted
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import ALTER, BROKER, named
from spark.terms.victims import partitions_of
from spark.terms.wording import steps


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition without its head, of which nothing tells that it was deleted."""
    return [row for row in beginnings(tables) if not is_deleted(row)]


def describe(row: Row) -> Finding:
    """In words."""
    last = row["head_offset"] - 1
    return Finding(
        detector=detector.id,
        severity="critical" if row["service"] else "info",
        title=title(row, last),
        explanation=explanation(row),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=0,
        last_offset=last,
        entity="head",
        evidence=[row["head_offset"], *row.get("evidence", ())],
        confidence=row.get("confidence", "proven"),
        remedy=remedy(row),
        references=["https://kafka.apache.org/documentation/#topicconfigs_cleanup.policy"],
        entities={"head"},
    )


MATTERS = (
    "A journal is replayed from its first record: whatever was written there and not again since is missing after the "
    "next start, although a running instance may still hold it in memory. A journal needs cleanup.policy=compact, or no "
    "retention at all."
)


def title(row: Row, last: int) -> str:
    """One sentence a ticket can quote."""
    missing = (
        f"{words.offsets(0, last)} of {words.partition_name(row)} {'is' if last == 0 else 'are'} missing"
    )
    if row["service"]:
        return f"{row['service']} cannot rebuild its full state: {missing}"
    return f"{words.partition_name(row)} begins at offset {row['head_offset']}: its segments with {words.offsets(0, last)} are missing"


def explanation(row: Row) -> str:
    """What shows it and what took them."""
    if row["shown"]:
        return f"{row['shown']} Retention, DeleteRecords or a dump that starts too late took what lay before. {MATTERS}"
    shown = (
        f"The first segment is {words.file_name(row)}. Compaction keeps the name of the first segment, so it was not "
        "compaction that took what lay before."
    )
    if row["index_offset"] is not None and row["index_offset"] < row["head_offset"]:
        cause = (
            f"An index of the segment at offset {row['index_offset']} is still there: the segment was there when the "
            "folder was copied, or was removed by hand."
        )
    elif row["printed_start"] is not None:
        cause = (
            f"The log starts at offset {row['printed_start']}, by {row['said_by']}: the copy of the folder is incomplete, and "
            "the broker has what is missing here."
        )
    else:
        cause = "Retention, DeleteRecords or an incomplete copy did."
    if row["service"]:
        return f"{shown} {cause} {MATTERS}"
    return f"{shown} {cause} For a topic with retention this is normal."


def remedy(row: Row) -> str:
    """A journal: save what is in memory, stop the loss, restore."""
    if not row["service"]:
        return "None needed where retention or DeleteRecords is meant. Otherwise copy the folder again."
    return steps(
        [
            "Do not restart the service. Export everything that a running instance still serves.",
            "If this is a copy or a dump, compare its first offset with the broker's: `kafka-get-offsets.sh "
            f"--bootstrap-server {BROKER} --topic {named(row['topic'])} --time -2`",
            f"Stop the loss. If the journal may be compacted: `{ALTER} {named(row['topic'])} --add-config "
            f"cleanup.policy=compact,retention.ms=-1,retention.bytes=-1`. If it must not be compacted: `{ALTER} "
            f"{named(row['topic'])} --add-config cleanup.policy=delete,retention.ms=-1,retention.bytes=-1`.",
            "Restore the topic from a backup or another cluster, or write the exported state to a new journal.",
        ]
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    last = max(finding.last_offset or 0 for finding in findings)
    gone, pronoun = ("offset 0", "it") if last == 0 else (f"offsets 0 to {last}", "them")
    if len({(finding.topic, finding.partition) for finding in findings}) > 1:
        gone, pronoun = "the first offsets", "them"
    verb = "is" if pronoun == "it" else "are"
    return f"{gone} of {partitions_of(findings)} {verb} missing, and the service needs {pronoun}"


detector = Detector(
    id="missing-head",
    title="Log without its beginning",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="files",
    needs=frozenset({"offset"}),
)
