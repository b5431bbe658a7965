"""Unfinished remote segment: its deletion or its copy started more than an hour before the newest event and has no end.

Brokers repeat a deletion until it works, so one without an end fails each time. A copy without an end can leave a part of a
file in remote storage. Innocent: events of the last hour. Page: docs/detectors/remote-segment-unfinished.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.bytes._words import partition_name
from spark.detectors.tiered import _words as words
from spark.detectors.transactions._words import place, span_of_time
from spark.dialects.remote_log_metadata.tables import COPY_STARTED, DELETE_STARTED, SEGMENT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, moment, plural, steps

MAX_RUNNING_MS = 3_600_000  # a copy takes minutes; a deletion that fails is repeated every 30 s
MAX_OFFSETS = 20
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
    )
    SELECT {REPLICA_COLUMNS}, of_topic, of_partition, segment_state, count(*) AS count, sum(size_bytes)::BIGINT AS size_bytes,
        list(segment ORDER BY segment) AS segments, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{MAX_OFFSETS}] AS offsets, min(since_ms) AS since_ms, any_value(newest_ms) AS newest_ms
    FROM running JOIN newest USING ({REPLICA_COLUMNS})
    WHERE segment_state IN ('{COPY_STARTED}', '{DELETE_STARTED}') AND newest_ms - since_ms > {MAX_RUNNING_MS}
    GROUP BY {REPLICA_COLUMNS}, of_topic, of_partition, segment_state ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition in remote storage and kind of event."""
    return tables.rows(UNFINISHED)


def describe(row: Row) -> Finding:
    """In words."""
    is_deletion = row["segment_state"] == DELETE_STARTED
    return Finding(
        detector=detector.id,
        severity="medium" if is_deletion else "low",
        title=title(row, is_deletion),
        explanation=explanation(row, is_deletion),
        **place(row),
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity=f"{row['segment_state']}:{row['of_topic']}/{row['of_partition']}",
        evidence=list(row["offsets"]),
        remedy=steps(finish_deletion() if is_deletion else check_copy()),
        references=[words.KIP_405],
    )


def title(row: Row, is_deletion: bool) -> str:
    """Victim, impact, cause."""
    segments, started_at = (
        plural(row["count"], "remote segment"),
        f"{at_offsets(row['offsets'])} of {partition_name(row)}",
    )
    if is_deletion:
        return f"Remote storage still contains {segments} of {words.stored_partition(row)}: the deletion has no end ({started_at})"
    return f"Remote storage can contain incomplete files of {words.stored_partition(row)}: the copy of {segments} has no end ({started_at})"


def explanation(row: Row, is_deletion: bool) -> str:
    """Since when, and what it costs."""
    age = span_of_time(row["newest_ms"] - row["since_ms"])
    began = f"{words.segment_ids(row)}: the {'deletion' if is_deletion else 'copy'} started at {moment(row['since_ms'])}, {age} before the newest event of the log. "
    if is_deletion:
        return (
            f"{began}No record says that it is finished. Brokers repeat a deletion until it works, so it fails each time or no broker does "
            f"it. The files occupy about {marked.number(row['size_bytes'])} bytes. Consumers cannot read them."
        )
    return (
        f"{began}No record says that it is finished. Consumers do not read such a segment. No data is lost: a leader copies the same "
        "offsets again as another segment. Brokers before 3.9 leave what the failed copy wrote in remote storage until the retention of the "
        "topic ends."
    )


def finish_deletion() -> list[str]:
    """Why brokers cannot delete."""
    return [
        "Check the log of the leader of the partition for errors of `RemoteLogManager` and of the plugin for remote storage.",
        "Check that brokers have permission to delete files in remote storage, and that the storage accepts requests.",
        "After the correction, brokers repeat the deletion. Inspect the topic again: the finding must not be present any longer.",
    ]


def check_copy() -> list[str]:
    """Why the copy failed."""
    return [
        "Check the log of the broker that started the copy for errors of `RemoteLogManager` at that time.",
        "Check in remote storage whether files of these segments exist.",
        "If copies fail often, check the network and the limits of remote storage. Upgrade brokers before 3.9.",
    ]


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"remote storage contains files of unfinished deletions or copies of {plural(len(findings), 'partition')}"


detector = Detector(
    id="remote-segment-unfinished",
    title="Deletion or copy of a remote segment without an end",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="state",
    dialects=("remote-log-metadata",),
    one_cause="topic",
)
