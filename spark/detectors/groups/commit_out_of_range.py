"""Commit out of range: a committed offset beyond the end of its log, or before the log's start, when that topic is in the input.

The client asks the broker for that offset, gets OFFSET_OUT_OF_RANGE, and goes by `auto.offset.reset`.
Innocent: the commit is younger than the newest record of the partition (the log was copied first); markers may follow the last
record of a dump. Page: docs/detectors/commit-out-of-range.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.groups import _words as words
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import moment

MAX_MARKERS = 10  # control records that may follow the last record of a dump, which shows none

# One row per committed offset that its log does not have.
OUT_OF_RANGE = f"""
    WITH commits AS (
        SELECT s.topic, s.partition, s.replica, s.origin_offset AS commit_at, s.entity_id, r.timestamp_ms AS commit_ms,
            TRY_CAST(s.attributes->>'offset' AS BIGINT) AS committed,
            regexp_extract(s.entity_id, '^(.*)/([^/]+)/([0-9]+)$', 1) AS group_id,
            regexp_extract(s.entity_id, '^(.*)/([^/]+)/([0-9]+)$', 2) AS data_topic,
            TRY_CAST(regexp_extract(s.entity_id, '^(.*)/([^/]+)/([0-9]+)$', 3) AS INT) AS data_partition
        FROM state s JOIN records r ON (s.topic, s.partition, s.replica, s.origin_offset) = (r.topic, r.partition, r.replica, r."offset")
        WHERE s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own AND s.valid_to_offset IS NULL
    ),
    named AS (SELECT DISTINCT data_topic AS topic, data_partition AS partition FROM commits),
    ends AS (
        SELECT topic, partition, max("offset") + 1 AS end_offset, max(timestamp_ms) AS newest_ms
        FROM lifelines SEMI JOIN named USING (topic, partition) GROUP BY ALL
    ),
    batched AS (
        SELECT topic, partition, max(last_offset) + 1 AS end_offset FROM batches SEMI JOIN named USING (topic, partition) GROUP BY ALL
    ),
    starts AS (
        SELECT topic, partition, max("offset") AS start_offset FROM checkpoints SEMI JOIN named USING (topic, partition)
        WHERE kind = 'log_start' GROUP BY ALL
    )
    SELECT c.*, coalesce(b.end_offset, e.end_offset + {MAX_MARKERS}) AS bound, coalesce(b.end_offset, e.end_offset) AS end_offset,
        s.start_offset, committed > bound AS is_beyond
    FROM commits c JOIN ends e ON (c.data_topic, c.data_partition) = (e.topic, e.partition)
    LEFT JOIN batched b ON (c.data_topic, c.data_partition) = (b.topic, b.partition)
    LEFT JOIN starts s ON (c.data_topic, c.data_partition) = (s.topic, s.partition)
    WHERE (committed > bound AND commit_ms <= newest_ms) OR committed < start_offset
    ORDER BY commit_at
"""


def describe(row: Row) -> Finding:
    group, partition = row["group_id"], words.committed_for(row["entity_id"])
    committed = marked.number(row["committed"])
    beside = (
        f"beyond the end of the log (offset {marked.number(row['end_offset'])})"
        if row["is_beyond"]
        else f"before the start of the log (offset {marked.number(row['start_offset'])})"
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"Group {marked.entity(group, 'group')} cannot continue in {partition}: its committed offset {committed} is {beside}",
        explanation=(
            f"At {moment(row['commit_ms'])} the group committed offset {committed} for {partition} (offset "
            f"{marked.offset(row['commit_at'])} of {words.partition_name(row)}). {why(row)} The next member that starts there gets "
            "OFFSET_OUT_OF_RANGE and continues by `auto.offset.reset`: with latest it skips records, with earliest it reads the whole "
            "partition again, with none it fails."
        ),
        **located(row, row["commit_at"]),
        entity=f"offset-commit:{row['entity_id']}",
        entities={f"group:{group}"},
        evidence=[row["commit_at"]],
        effects=[Effect("stuck", "offset-commit", row["entity_id"])],
        remedy=detector.remedy(
            committed_partition=partition,
            group=group,
            data_topic=row["data_topic"],
            data_partition=row["data_partition"],
        ),
    )


def why(row: Row) -> str:
    """What can have happened to the log."""
    if row["is_beyond"]:
        return (
            "The log has newer records, but none at that offset. So the log became shorter or is another log: the topic was deleted and "
            "created again, an unclean leader election removed records, or the offset was copied from another cluster."
        )
    return "Retention or DeleteRecords deleted the records at that offset before the group read them."


detector = Detector(
    id="commit-out-of-range",
    title="Committed offset that the log does not have",
    find=query(OUT_OF_RANGE),
    describe=describe,
    headline=clause(
        "{count}",
        "committed offset is not in its log: the group skips or repeats records",
        "committed offsets are not in their logs: the groups skip or repeat records",
    ),
    rows_of="state",
    dialects=("consumer-offsets",),
    needs=frozenset({"offset"}),
    one_cause="topic",
)
