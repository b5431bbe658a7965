"""Dropped remote segment: a broker drops a segment's event, because the segment's state does not allow it.

Two ways: the end of a copy whose start is not in the log, so no broker knows the segment; the end of a deletion that never
started, so brokers still list a segment whose file was deleted. Innocent: updates of segments that were deleted before; dumps
that start after offset 0. Page: docs/detectors/remote-segment-dropped.md
"""

from __future__ import annotations

from spark.codecs.kafka_topics.remote_log_metadata import (
    COPY_FINISHED,
    COPY_STARTED,
    DELETE_FINISHED,
    SEGMENT,
)
from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_partition
from spark.detectors._words import partition_name
from spark.detectors.tiered import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.topic_commands import ALTER, BROKER, DESCRIBE, named
from spark.terms.typed_wording import at_offsets, plural, steps

MAX_OFFSETS = 20
# One row per partition in remote storage and way.
DROPPED = f"""
    WITH events AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action, attributes->>'topic' AS of_topic,
            attributes->>'partition' AS of_partition, attributes->>'segmentId' AS segment
        FROM entries WHERE entry_type = '{SEGMENT}' AND entry_action IS NOT NULL
    ),
    logs AS (SELECT {REPLICA_COLUMNS}, min(first_offset) AS log_start FROM runs GROUP BY ALL),
    folders AS (SELECT DISTINCT {REPLICA_COLUMNS} FROM files WHERE kind = 'segment'),
    starts AS (
        SELECT {REPLICA_COLUMNS}, entity_id, min("offset") AS started_at FROM events
        WHERE entry_action = '{COPY_STARTED}' GROUP BY ALL
    ),
    listed AS (
        SELECT {REPLICA_COLUMNS}, entity_id FROM state
        WHERE entity_type = '{SEGMENT}' AND view = 'log' AND is_own AND valid_to_offset IS NULL
            AND attributes->>'state' = '{COPY_FINISHED}'
    ),
    dropped AS (
        SELECT events.*, reason = 'segment-unknown' AS is_unknown
        FROM events JOIN refusals USING ({REPLICA_COLUMNS}, "offset")
        WHERE refusals.entity_type = '{SEGMENT}' AND view = 'log' AND is_own
    ),
    chosen AS (
        SELECT d.*, log_start FROM dropped d JOIN logs USING ({REPLICA_COLUMNS})
            LEFT JOIN starts USING ({REPLICA_COLUMNS}, entity_id)
            LEFT JOIN (SELECT *, true AS has_files FROM folders) USING ({REPLICA_COLUMNS})
            LEFT JOIN (SELECT *, true AS is_listed FROM listed) USING ({REPLICA_COLUMNS}, entity_id)
        WHERE (is_unknown AND entry_action = '{COPY_FINISHED}' AND coalesce(started_at > d."offset", true)
                AND (log_start = 0 OR has_files))
            OR (NOT is_unknown AND entry_action = '{DELETE_FINISHED}' AND is_listed)
    )
    SELECT {REPLICA_COLUMNS}, of_topic, of_partition, is_unknown, log_start, count(DISTINCT entity_id) AS count,
        list(DISTINCT segment ORDER BY segment) AS segments, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_OFFSETS}] AS offsets
    FROM chosen GROUP BY ALL ORDER BY {REPLICA_COLUMNS}, first_offset
"""
KEEP_ALL = "cleanup.policy=delete,retention.ms=-1,retention.bytes=-1"


def describe(row: Row) -> Finding:
    """In words."""
    way = "unknown" if row["is_unknown"] else "deleted"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_partition("unreadable", row["of_topic"], row["of_partition"], "consumers"),
        confidence="likely" if row["is_unknown"] and row["log_start"] > 0 else "proven",
        title=title(row),
        explanation=unknown(row) if row["is_unknown"] else deleted(row),
        **located(row),
        entity=f"{way}:{row['of_topic']}/{row['of_partition']}",
        evidence=list(row["offsets"]),
        remedy=steps([*(restore(row) if row["is_unknown"] else delete_again(row))]),
        references=[words.KIP_405],
    )


def title(row: Row) -> str:
    """Victim, impact, cause."""
    dropped_at = f"{at_offsets(row['offsets'])} of {partition_name(row)}"
    segments = plural(row["count"], "remote segment")
    if row["is_unknown"]:
        return f"Consumers of {words.stored_partition(row)} cannot read {segments}: brokers drop the end of the copy at {dropped_at}"
    return f"Consumers of {words.stored_partition(row)} get errors for {segments}: deleted, but brokers still list them ({dropped_at})"


def unknown(row: Row) -> str:
    """The end of a copy without its start."""
    start = (
        f" The log starts at offset {marked.offset(row['log_start'])}. Retention or DeleteRecords can have deleted the start of the copy."
        if row["log_start"] > 0
        else ""
    )
    return (
        f"{words.segment_ids(row)}: the record says that the copy to remote storage is finished. No earlier record says that it "
        f"started.{start} A broker that reads the topic does not know the segment and drops the record. Only the record of the start "
        "contains the segment's offsets, so they are unknown. If the brokers deleted the local segment after the copy, no consumer can "
        "read its records, although the file can still be in remote storage. A broker that read the start earlier knows the segment until "
        "its restart."
    )


def deleted(row: Row) -> str:
    """The end of a deletion without its start."""
    return (
        f"{words.segment_ids(row)}: the record says that the deletion from remote storage is finished. The segment was in state "
        f"{marked.name(COPY_FINISHED)}, and no record says that a deletion started. Brokers drop the record and still offer the segment "
        "to consumers. Its file is deleted, so reads of its offsets fail. Possible causes: a missing record, or another program that wrote "
        "to the topic."
    )


def restore(row: Row) -> list[str]:
    """Stop the loss, find what is not readable, bring it back."""
    topic = named(row["of_topic"])
    return [
        "Do not restart brokers that still serve these offsets, and do not delete files in remote storage.",
        f"Check the settings of the topic: `{DESCRIBE} {words.TOPIC}`. It must keep all records. If it does not: "
        f"`{ALTER} {words.TOPIC} --add-config {KEEP_ALL}`",
        f"Find the first offset that brokers store locally: `kafka-get-offsets.sh --bootstrap-server {BROKER} --topic {topic} --time -4`. "
        "Earlier offsets are only in remote storage. Read them with a consumer to find the missing ones.",
        "If offsets are missing, restore the records of `__remote_log_metadata` from another replica or a backup, or the data from its "
        "source.",
    ]


def delete_again(row: Row) -> list[str]:
    """Let the brokers delete it properly."""
    topic = named(row["of_topic"])
    return [
        "Check in remote storage whether the files of these segments exist. If they do, only the record is wrong: consumers can read them.",
        "If they do not, check the brokers' logs for the broker that deleted them, and the topic for programs that write to it.",
        "Set the start of the log after the segments, so that brokers delete them: `kafka-delete-records.sh --bootstrap-server "
        f"{BROKER} --offset-json-file FILE` for {topic}. Warning: all earlier records are deleted.",
    ]


detector = Detector(
    id="remote-segment-dropped",
    title="Remote segment that brokers do not know",
    find=query(DROPPED),
    describe=describe,
    headline=clause(
        "consumers cannot read all remote segments of {count}: brokers drop their records", "partition"
    ),
    rows_of="refusals",
    scope="partition",
    dialects=("remote-log-metadata",),
    needs=frozenset({"offset"}),
    one_cause="topic",
)
