"""Commit from an earlier topic: a committed offset that was reached in a topic of the same name that was deleted and created again.

It lies within the new log, so the group continues there and never reads the records before it. Shown by the topic ID or leader epoch of the
commit, or by records below it that are younger than the commit. Innocent: an offset beyond the log (commit-out-of-range); a producer whose
clock is ahead by less than a day; a copy of the log that is older than the commit. Page: docs/detectors/commit-from-earlier-topic.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._committed_offsets import names_of
from spark.detectors.groups import _behaviour as behaviour
from spark.detectors.groups import _words as words
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import moment, plural

BROKER_CLOCKS_MS = 60_000  # two brokers' clocks: of the commit, and of records with LogAppendTime
PRODUCER_CLOCKS_MS = 24 * 3600 * 1000  # a producer's clock or time zone

ANY_COMMIT = f"SELECT 1 FROM state WHERE {behaviour.IN_FORCE} LIMIT 1"
# One row per committed offset. `below_ms`: the oldest record below the committed offset.
EARLIER = f"""
    WITH commits AS (
        SELECT s.topic, s.partition, s.replica, s.origin_offset AS commit_at, s.entity_id, r.timestamp_ms AS commit_ms,
            TRY_CAST(s.attributes->>'offset' AS BIGINT) AS committed, TRY_CAST(s.attributes->>'leaderEpoch' AS INT) AS commit_epoch,
            s.attributes->>'topicId' AS commit_topic_id, {names_of("s.entity_id")}
        FROM state s JOIN records r ON (s.topic, s.partition, s.replica, s.origin_offset) = (r.topic, r.partition, r.replica, r."offset")
        WHERE {behaviour.IN_FORCE.replace("entity_type", "s.entity_type")} AND committed > 0
    ),
    named AS (SELECT DISTINCT data_topic AS topic, data_partition AS partition FROM commits),
    epochs_of AS (
        SELECT topic, partition, max(leader_epoch) AS log_epoch, max(max_timestamp_ms) AS newest_ms,
            bool_and(timestamp_type = 'log_append') FILTER (NOT is_control) AS is_brokers_time
        FROM batches SEMI JOIN named USING (topic, partition) WHERE crc_ok GROUP BY ALL
    ),
    topic_ids AS (SELECT topic, any_value(value) AS topic_id FROM properties WHERE name = 'topic_id' GROUP BY topic HAVING count(DISTINCT value) = 1),
    logs AS (
        SELECT topic, partition, "offset", timestamp_ms FROM lifelines SEMI JOIN named USING (topic, partition) WHERE kind <> 'control'
    ),
    below AS (
        SELECT c.entity_id, c.commit_at, min(l.timestamp_ms) AS below_ms, count(DISTINCT l."offset") AS skipped, min(l."offset") AS first_skipped
        FROM commits c JOIN logs l ON (l.topic, l.partition) = (c.data_topic, c.data_partition) AND l."offset" < c.committed GROUP BY ALL
    ),
    ends AS (SELECT topic, partition, max("offset") + 1 AS log_end FROM logs GROUP BY ALL)
    SELECT c.*, below_ms, skipped, first_skipped, log_epoch, topic_id,
        coalesce(commit_topic_id <> topic_id, false) AS is_other_id,
        coalesce(commit_epoch > log_epoch AND log_epoch >= 0 AND newest_ms > commit_ms, false) AS is_other_epoch
    FROM commits c JOIN below USING (entity_id, commit_at) JOIN ends e ON (e.topic, e.partition) = (c.data_topic, c.data_partition)
    LEFT JOIN epochs_of b ON (b.topic, b.partition) = (c.data_topic, c.data_partition) LEFT JOIN topic_ids t ON t.topic = c.data_topic
    WHERE committed <= log_end AND (is_other_id OR is_other_epoch
        OR below_ms > commit_ms + if(coalesce(is_brokers_time, false), {BROKER_CLOCKS_MS}, {PRODUCER_CLOCKS_MS}))
    ORDER BY commit_at
"""


def describe(row: Row) -> Finding:
    group, partition = marked.entity(row["group_id"], "group"), words.committed_for(row["entity_id"])
    committed = marked.number(row["committed"])
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="proven" if row["is_other_id"] or row["is_other_epoch"] else "likely",
        title=f"Group {group} skips {plural(row['skipped'], 'record')} of {partition}: its committed offset {committed} belongs to an earlier topic of this name",
        explanation=(
            f"At {moment(row['commit_ms'])} the group committed offset {committed} for {partition} (offset {marked.offset(row['commit_at'])} of "
            f"{words.partition_name(row)}). {evidence(row)} So the topic was deleted and created again, and the offset belongs to the topic before. It lies "
            f"within the new log: the group continues there without an error and does not read the {plural(row['skipped'], 'record')} from offset "
            f"{marked.number(row['first_skipped'])} on. Brokers delete the offsets of a deleted topic. A consumer that still runs then commits its old position "
            "again, and with OffsetCommit before version 10 the new topic gets it."
        ),
        **located(row, row["commit_at"]),
        entity=f"offset-commit:{row['entity_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=[row["commit_at"]],
        effects=[Effect("at_risk", "offset-commit", row["entity_id"], whom="consumers")],
        remedy=detector.remedy(
            group=row["group_id"],
            data_topic=row["data_topic"],
            data_partition=row["data_partition"],
            first=row["first_skipped"],
        ),
        references=detector.references,
    )


def evidence(row: Row) -> str:
    """What shows that the topic is another one."""
    if row["is_other_id"]:
        return f"The commit names topic ID {marked.name(row['commit_topic_id'])}, and the log has {marked.name(row['topic_id'])}."
    if row["is_other_epoch"]:
        return (
            f"The commit names leader epoch {marked.number(row['commit_epoch'])}, and the log, whose newest record is younger, knows leader epochs up to "
            f"{marked.number(row['log_epoch'])}. Leader epochs of a topic only rise."
        )
    return f"The oldest record below this offset was written at {moment(row['below_ms'])}, after the commit."


detector = Detector(
    id="commit-from-earlier-topic",
    title="Committed offset of an earlier topic",
    find=query(EARLIER, if_any=ANY_COMMIT),
    describe=describe,
    headline=clause(
        "{count} to an earlier topic: the group skips records",
        "committed offset belongs",
        "committed offsets belong",
    ),
    rows_of="state",
    dialects=("consumer-offsets",),
    needs=frozenset({"offset", "timestamps"}),
    one_cause="topic",
)
