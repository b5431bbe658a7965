"""Unfinished remote segment: its deletion or its copy started more than an hour before the newest event and has no end.

Brokers repeat a deletion until it works, so one without an end fails each time. A copy without an end is stuck if no later copy
of the partition started; else it failed, and can leave a part of a file in remote storage. Innocent: events of the last hour.
Page: docs/detectors/remote-segment-unfinished.md
"""

from __future__ import annotations

from spark.codecs.kafka_topics.remote_log_metadata import COPY_STARTED, DELETE_STARTED, SEGMENT
from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_partition
from spark.detectors._words import partition_name
from spark.detectors.tiered import _words as words
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, moment, plural

MAX_RUNNING_MS = 3_600_000  # a copy takes minutes; a deletion that fails is repeated every 30 s
MAX_OFFSETS = 20
TITLES = {
    "deletion": "Remote storage still contains {segments} of {partition}: the deletion has no end ({offsets})",
    "stuck": "Brokers stopped copying {partition} to remote storage: the copy of {segments} has no end ({offsets})",
    "failed": "Remote storage can contain incomplete files of {partition}: the copy of {segments} failed ({offsets})",
}
# One row per partition in remote storage and kind of event.
UNFINISHED = f"""
    WITH newest AS (
        SELECT {REPLICA_COLUMNS}, max(TRY_CAST(attributes->>'eventTimestampMs' AS BIGINT)) AS newest_ms
        FROM entries WHERE entry_type = '{SEGMENT}' GROUP BY ALL
    ),
    running AS (
        SELECT {REPLICA_COLUMNS}, origin_offset AS "offset", entity_id, attributes->>'state' AS segment_state,
            attributes->>'topic' AS of_topic, attributes->>'partition' AS of_partition, attributes->>'segmentId' AS segment,
            TRY_CAST(attributes->>'eventTimestampMs' AS BIGINT) AS since_ms,
            TRY_CAST(attributes->>'segmentSizeInBytes' AS BIGINT) AS size_bytes
        FROM state WHERE entity_type = '{SEGMENT}' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    starts AS (
        SELECT {REPLICA_COLUMNS}, attributes->>'topic' AS of_topic, attributes->>'partition' AS of_partition, max("offset") AS last_start
        FROM entries WHERE entry_type = '{SEGMENT}' AND entry_action = '{COPY_STARTED}' GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, of_topic, of_partition, segment_state, max("offset") = any_value(last_start) AS is_stuck, count(*) AS count, sum(size_bytes)::BIGINT AS size_bytes,
        list(segment ORDER BY segment) AS segments, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_OFFSETS}] AS offsets, min(since_ms) AS since_ms, any_value(newest_ms) AS newest_ms
    FROM running JOIN newest USING ({REPLICA_COLUMNS}) JOIN starts USING ({REPLICA_COLUMNS}, of_topic, of_partition)
    WHERE segment_state IN ('{COPY_STARTED}', '{DELETE_STARTED}') AND newest_ms - since_ms > {MAX_RUNNING_MS}
    GROUP BY {REPLICA_COLUMNS}, of_topic, of_partition, segment_state ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def describe(row: Row) -> Finding:
    way = way_of(row)
    return Finding(
        detector=detector.id,
        severity="low" if way == "failed" else "medium",
        effects=on_partition("stuck", row["of_topic"], row["of_partition"], "brokers"),
        title=TITLES[way].format(
            partition=words.stored_partition(row),
            segments=plural(row["count"], "remote segment"),
            offsets=f"{at_offsets(row['offsets'])} of {partition_name(row)}",
        ),
        explanation=f"{began(row)} {meaning(row, way)}",
        **located(row),
        entity=f"{row['segment_state']}:{row['of_topic']}/{row['of_partition']}",
        evidence=list(row["offsets"]),
        remedy=detector.remedy("Deletion" if way == "deletion" else "Copy"),
        references=detector.references,
    )


def way_of(row: Row) -> str:
    """A deletion, a copy that nothing followed, or one that failed."""
    if row["segment_state"] == DELETE_STARTED:
        return "deletion"
    return "stuck" if row["is_stuck"] else "failed"


def began(row: Row) -> str:
    """Which segments, and since when."""
    event = "deletion" if row["segment_state"] == DELETE_STARTED else "copy"
    age = span_of_time(row["newest_ms"] - row["since_ms"])
    return (
        f"{words.segment_ids(row)}: the {event} started at {moment(row['since_ms'])}, {age} before the newest event of the log. No record says "
        "that it is finished."
    )


def meaning(row: Row, way: str) -> str:
    """What it costs."""
    if way == "deletion":
        return (
            "Brokers repeat a deletion until it works, so it fails each time or no broker does it. The files occupy about "
            f"{marked.number(row['size_bytes'])} bytes. Consumers cannot read them."
        )
    if way == "stuck":
        return (
            "No later copy of this partition started. Brokers keep local segments until they are copied, so the partition's local disk "
            "space grows."
        )
    return (
        "Consumers do not read such a segment. No data is lost by the failed copy: the leader copies the same offsets again as another "
        "segment. Brokers before 3.8.1 count the failed copy for `retention.bytes` and can delete other segments too early (KAFKA-17062). "
        "Brokers before 3.9 can leave incomplete files in remote storage."
    )


detector = Detector(
    id="remote-segment-unfinished",
    title="Deletion or copy of a remote segment without an end",
    find=query(UNFINISHED),
    describe=describe,
    headline=clause(
        "remote storage contains files of unfinished deletions or copies of {count}", "partition"
    ),
    rows_of="state",
    scope="partition",
    dialects=("remote-log-metadata",),
    one_cause="topic",
)
