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
from spark.terms.typed_wording import at_offsets, plural

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


def describe(row: Row) -> Finding:
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
        remedy=remedy(row),
        references=detector.references,
    )


def title(row: Row) -> str:
    """Victim, impact, cause."""
    dropped_at = f"{at_offsets(row['offsets'])} of {partition_name(row)}"
    segments = plural(row["count"], "remote segment")
    if row["is_unknown"]:
        return f"Consumers of {words.stored_partition(row)} cannot read {segments}: brokers reject the end of the copy at {dropped_at}"
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
        f"started.{start} A broker that reads the topic does not know the segment and rejects the record. Only the record of the start "
        "contains the segment's offsets, so they are unknown. If the brokers deleted the local segment after the copy, no consumer can "
        "read its records, although the file can still be in remote storage. A broker that read the start earlier knows the segment until "
        "its restart."
    )


def deleted(row: Row) -> str:
    """The end of a deletion without its start."""
    return (
        f"{words.segment_ids(row)}: the record says that the deletion from remote storage is finished. The segment was in state "
        f"{marked.name(COPY_FINISHED)}, and no record says that a deletion started. Brokers reject the record and still offer the segment "
        "to consumers. Its file is deleted, so reads of its offsets fail. Possible causes: a missing record, or another program that wrote "
        "to the topic."
    )


def remedy(row: Row) -> str:
    """The variant that fits."""
    if row["is_unknown"]:
        return detector.remedy("End of a copy without its start", topic=row["of_topic"])
    return detector.remedy("Deleted but listed", topic=row["of_topic"])


detector = Detector(
    id="remote-segment-dropped",
    title="Remote segment that brokers do not know",
    find=query(DROPPED),
    describe=describe,
    headline=clause(
        "consumers cannot read all remote segments of {count}: brokers reject their records", "partition"
    ),
    rows_of="refusals",
    scope="partition",
    dialects=("remote-log-metadata",),
    needs=frozenset({"offset"}),
    one_cause="topic",
)
