"""Missing head: a log folder whose first segment is named above 0, or a dump whose entries need what lay before.

Compaction keeps the first segment's name; retention, DeleteRecords and an incomplete copy do not. Of a captured log the
broker has told where it begins. Critical for journals that a service replays from the start, info for others. Innocent: a
first offset above 0 in a segment named 0, a capture that was asked to begin later, and an Apicurio Registry 3.x journal
with a snapshot marker. Page: docs/detectors/missing-head.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes import _words as words
from spark.detectors.log._needed_head import late_starts
from spark.log.captured_settings import NEWEST_CAPTURES
from spark.log.printed_settings import PRINTED_STARTS
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import ALTER, BROKER, named
from spark.terms.victims import partitions_of
from spark.terms.wording import steps

# Topics by the names their services give them; a service may be told another name, then its entries tell.
JOURNALS = (
    (re.compile(r"(^|[.-])_schemas"), "schema registry"),
    (re.compile(r"kafkasql-journal"), "Apicurio Registry"),
    (re.compile(r"connect.*[_.-](configs?|offsets?|status(es)?)$"), "Kafka Connect worker"),
    (re.compile(r"_command_topic$"), "ksqlDB server"),
    (re.compile(r"schema[_.-]?(changes|history)|db[_.-]?history"), "Debezium connector"),
)
SNAPSHOT_MARKER = "CreateSnapshot1Message"  # class name in the header `mt`

# The companions tell whether the segments before were there when the folder was copied. A capture's files are named by
# what was asked for: the broker's own word counts.
HEADS = f"""
    WITH {NEWEST_CAPTURES}, {PRINTED_STARTS},
    named AS (
        SELECT {REPLICA_COLUMNS}, name, base_offset, regexp_matches(name, '[0-9]{{20}}[.]log$') AS is_segment
        FROM files
        WHERE topic <> '?' AND base_offset IS NOT NULL AND regexp_matches(name, '[0-9]{{20}}[.](log|index|timeindex|txnindex)$')
    ),
    heads AS (
        SELECT {REPLICA_COLUMNS}, min(base_offset) FILTER (is_segment) AS head_offset,
            arg_min(name, base_offset) FILTER (is_segment) AS name, count_if(is_segment) AS segments,
            min(base_offset) FILTER (NOT is_segment) AS index_offset
        FROM named GROUP BY ALL HAVING head_offset > 0
    ),
    moved_starts AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS log_start_offset FROM checkpoints WHERE kind = 'log_start' GROUP BY ALL
    ),
    told AS (
        SELECT {REPLICA_COLUMNS}, c.log_start_offset AS told_offset, cleanup_policy FROM newest_captures c
        WHERE c.log_start_offset IS NOT NULL
    )
    SELECT heads.* REPLACE (coalesce(told_offset, head_offset) AS head_offset), log_start_offset, told_offset, cleanup_policy,
        printed_start, said_by
    FROM heads LEFT JOIN moved_starts USING ({REPLICA_COLUMNS}) LEFT JOIN told USING ({REPLICA_COLUMNS})
    LEFT JOIN printed_starts USING (topic, partition)
    WHERE coalesce(told_offset, head_offset) > 0 ORDER BY {REPLICA_COLUMNS}
"""
# What a service tells others, and what several may write, is not read back from the start.
INTERPRETED = """
    SELECT DISTINCT topic FROM entries
    WHERE decode_error IS NULL AND entry_type NOT IN ('Event', 'Snapshot', 'heartbeat', 'checkpoint', 'offset-sync')
"""
SEGMENTED = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM files WHERE regexp_matches(name, '[0-9]{{20}}[.]log$')
"""
SNAPSHOTS = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM records
    WHERE topic = %s AND list_contains([header.value FOR header IN headers], '{SNAPSHOT_MARKER}'::BLOB)
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition without its head."""
    found = [
        *unnamed_segments(tables),
        *late_starts(tables, {replica_of(row) for row in tables.rows(SEGMENTED)}),
    ]
    whole_again = restored(tables, {row["topic"] for row in found if row["service"]})
    return [row for row in found if replica_of(row) not in whole_again]


def unnamed_segments(tables: ResultTables) -> list[Row]:
    """Folders whose first segment is named above 0."""
    heads = tables.rows(HEADS)
    if not heads:
        return []
    interpreted = {row["topic"] for row in tables.rows(INTERPRETED)}
    return [{**head, "service": service(head["topic"], interpreted)} for head in heads]


def service(topic: str, interpreted: set[str]) -> str | None:
    """Who replays this topic from its start; null: nobody that is known of."""
    for pattern, name in JOURNALS:
        if pattern.search(topic.lower()):
            return name
    return "the service of this topic" if topic in interpreted and not topic.startswith("__") else None


def restored(tables: ResultTables, topics: set[str]) -> set[tuple[str, int, str]]:
    """Partitions that hold a snapshot marker: what lay before it is in the snapshot."""
    return {replica_of(row) for topic in sorted(topics) for row in tables.rows(SNAPSHOTS % quoted(topic))}


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
    "A service replays its journal from the first record. After the next start, the service lacks every entry that was written "
    "only in the missing offsets. A running instance may still have them in memory. A journal needs cleanup.policy=compact, or no "
    "retention."
)


def title(row: Row, last: int) -> str:
    """One sentence a ticket can quote."""
    missing = (
        f"{words.offsets(0, last)} of {words.partition_name(row)} {'is' if last == 0 else 'are'} missing"
    )
    if row["service"]:
        return f"{capitalized(row['service'])} cannot rebuild its full state: {missing}"
    return f"{words.partition_name(row)} starts at offset {row['head_offset']}: its segments with {words.offsets(0, last)} are missing"


def capitalized(name: str) -> str:
    """A service's name at the start of a sentence."""
    return f"{name[:1].upper()}{name[1:]}"


def explanation(row: Row) -> str:
    """What shows it and what removed them."""
    if "shown" in row:
        return f"{row['shown']} Possible causes: retention, DeleteRecords, or a dump that starts too late. {MATTERS}"
    if row["told_offset"] is not None:
        return captured(row)
    shown = (
        f"The first segment is {words.file_name(row)}. Compaction keeps the name of the first segment, so it did not remove the "
        "earlier records."
    )
    if row["index_offset"] is not None and row["index_offset"] < row["head_offset"]:
        cause = (
            f"The folder still contains an index of the segment at offset {row['index_offset']}. So the segment existed when the "
            "folder was copied, or someone deleted it manually."
        )
    elif row["printed_start"] is not None and row["printed_start"] >= row["head_offset"]:
        cause = (
            f"The log starts at offset {row['printed_start']} according to {row['said_by']}. Retention or DeleteRecords removed the "
            "earlier records."
        )
    elif row["printed_start"] is not None:
        cause = (
            f"The log starts at offset {row['printed_start']} according to {row['said_by']}. So the copy of the folder is incomplete, "
            "and the broker still has the missing records."
        )
    elif row["log_start_offset"] is not None:
        cause = (
            f"The broker's checkpoint contains offset {row['log_start_offset']} as the start of the log. Retention or DeleteRecords "
            "removed the earlier records."
        )
    else:
        cause = "Possible causes: retention, DeleteRecords, or an incomplete copy."
    if row["service"]:
        return f"{shown} {cause} {MATTERS}"
    return f"{shown} {cause} For a topic with retention this is normal."


def captured(row: Row) -> str:
    """The same of a captured log."""
    shown = (
        f"The broker reported offset {row['told_offset']} as the start of its log at the time of the capture."
    )
    policy = row["cleanup_policy"]
    if policy is None:
        cause = "Retention or DeleteRecords removed the earlier records."
    elif "delete" in policy:
        cause = f"With cleanup.policy={policy}, retention deletes the oldest segments."
    else:
        cause = f"With cleanup.policy={policy}, retention does not delete records. Possible causes: DeleteRecords, or an earlier policy."
    return f"{shown} {cause} {MATTERS if row['service'] else 'For a topic with retention this is normal.'}"


def remedy(row: Row) -> str:
    """A journal: save what is in memory, stop the loss, restore."""
    if not row["service"]:
        return "If retention or DeleteRecords removed these records on purpose, no action is needed. Otherwise copy the folder again."
    return steps(
        [
            "Do not restart the service. Export everything that a running instance still serves.",
            "If the input is a copy or a dump, compare its first offset with the broker's log start offset: `kafka-get-offsets.sh "
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
    missing = f"{words.offsets(0, last)} of {partitions_of(findings)} {'is' if last == 0 else 'are'} missing"
    if len({(finding.topic, finding.partition) for finding in findings}) > 1:
        missing = f"the first offsets of {partitions_of(findings)} are missing"
    return f"the service cannot rebuild its full state: {missing}"


detector = Detector(
    id="missing-head",
    title="Start of the log missing",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="files",
    needs=frozenset({"offset"}),
    follows=("retention-policy",),
    one_cause="topic",
)
