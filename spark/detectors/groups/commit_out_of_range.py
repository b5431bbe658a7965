"""Commit out of range: a committed offset beyond the end of its log, or before the log's start, when that topic is in the input.

The output of a tool that shows both offsets is judged, too, also without a record (`_printed_commits`).

The client asks the broker for that offset, gets OFFSET_OUT_OF_RANGE, and goes by `auto.offset.reset`. It says which cause fits: the topic
was created again, the log was truncated, or retention was faster.
Innocent: the commit is younger than the newest record of the partition (the log was copied first); markers may follow the last
record of a dump. Page: docs/detectors/commit-out-of-range.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors._committed_offsets import names_of
from spark.detectors.groups import _words as words
from spark.detectors.groups._printed_commits import (
    IDS,
    beyond_the_end,
    explanation,
    is_of_old_consumer,
    title,
)
from spark.stages.prints.numbered import numbered_replicas
from spark.tables.replica import Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import moment

MAX_MARKERS = 10  # control records that may follow the last record of a dump, which shows none

# One row per committed offset that its log does not have.
OUT_OF_RANGE = f"""
    WITH commits AS (
        SELECT s.topic, s.partition, s.replica, s.origin_offset AS commit_at, s.entity_id,
            -- A formatter's print has no times of records.
            coalesce(r.timestamp_ms, TRY_CAST(s.attributes->>'commitTimestamp' AS BIGINT)) AS commit_ms,
            TRY_CAST(s.attributes->>'offset' AS BIGINT) AS committed, TRY_CAST(s.attributes->>'leaderEpoch' AS INT) AS commit_epoch,
            s.attributes->>'topicId' AS commit_topic_id,
            {names_of("s.entity_id")}
        FROM state s JOIN records r ON (s.topic, s.partition, s.replica, s.origin_offset) = (r.topic, r.partition, r.replica, r."offset")
        WHERE s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own AND s.valid_to_offset IS NULL
    ),
    named AS (SELECT DISTINCT data_topic AS topic, data_partition AS partition FROM commits),
    ends AS (
        SELECT topic, partition, max("offset") + 1 AS end_offset, max(timestamp_ms) AS newest_ms, min("offset") AS first_offset,
            arg_min(timestamp_ms, "offset") AS first_ms
        FROM lifelines SEMI JOIN named USING (topic, partition) GROUP BY ALL
    ),
    batched AS (
        SELECT topic, partition, max(last_offset) + 1 AS end_offset FROM batches SEMI JOIN named USING (topic, partition) GROUP BY ALL
    ),
    leaders AS (
        SELECT topic, partition, leader_epoch, min(base_offset) AS epoch_start FROM batches SEMI JOIN named USING (topic, partition)
        WHERE leader_epoch >= 0 GROUP BY ALL
    ),
    newest_leaders AS (SELECT topic, partition, max(leader_epoch) AS log_epoch FROM leaders GROUP BY ALL),
    topic_ids AS (SELECT topic, any_value(value) AS topic_id FROM properties WHERE name = 'topic_id' GROUP BY topic),
    bounds AS (
        SELECT topic, partition, "offset" AS start_offset, true AS is_told FROM checkpoints WHERE kind = 'log_start'
        UNION ALL SELECT topic, partition, "offset", true FROM printed WHERE kind = 'log_start'
        UNION ALL SELECT topic, partition, log_start_offset, true FROM captures WHERE log_start_offset IS NOT NULL
        UNION ALL SELECT topic, partition, min(base_offset), false FROM files WHERE kind = 'segment' GROUP BY ALL
    ),
    starts AS (
        SELECT topic, partition, coalesce(max(start_offset) FILTER (WHERE is_told), max(start_offset)) AS start_offset, bool_or(is_told) AS is_told
        FROM bounds SEMI JOIN named USING (topic, partition) GROUP BY ALL
    )
    SELECT c.*, coalesce(b.end_offset, e.end_offset + {MAX_MARKERS}) AS bound, coalesce(b.end_offset, e.end_offset) AS end_offset,
        s.start_offset, s.is_told, committed > bound AS is_beyond, e.first_offset AS log_first_offset, e.first_ms, log_epoch,
        topic_id, (SELECT min(l.leader_epoch) FROM leaders l WHERE (l.topic, l.partition) = (c.data_topic, c.data_partition)
            AND l.leader_epoch > c.commit_epoch AND c.commit_epoch >= 0 AND l.epoch_start < c.committed) AS cut_epoch
    FROM commits c JOIN ends e ON (c.data_topic, c.data_partition) = (e.topic, e.partition)
    LEFT JOIN batched b ON (c.data_topic, c.data_partition) = (b.topic, b.partition)
    LEFT JOIN newest_leaders n ON (c.data_topic, c.data_partition) = (n.topic, n.partition)
    LEFT JOIN topic_ids t ON c.data_topic = t.topic
    LEFT JOIN starts s ON (c.data_topic, c.data_partition) = (s.topic, s.partition)
    WHERE (committed > bound AND commit_ms <= newest_ms) OR (committed < start_offset AND (is_told OR commit_ms < first_ms))
    ORDER BY commit_at
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per committed offset, of logs whose rows have offsets; a print of a formatter has commits without offsets of their own."""
    rows = tables.rows(OUT_OF_RANGE)
    numbered = numbered_replicas(tables) if rows else set()
    logs = {(topic, partition) for topic, partition, _ in numbered}
    for row in rows:
        if (row["data_topic"], row["data_partition"]) not in logs:
            yield {**row, "is_numbered": replica_of(row) in numbered}
    yield from beyond_the_end(
        tables, {(row["group_id"], row["data_topic"], row["data_partition"]) for row in rows}
    )


def describe_printed(row: Row) -> Finding:
    """Of the output of a tool, which has no record."""
    entity = f"{row['group_id'] or 'GROUP'}/{row['topic']}/{row['partition']}"
    return Finding(
        detector=detector.id,
        severity="low" if row["is_active"] else "medium",
        confidence="likely",
        title=title(row),
        explanation=explanation(row),
        **located(row, None),
        entity=f"offset-commit:{entity}",
        entities={f"group:{row['group_id']}", f"committed:{entity}"},
        effects=[Effect("at_risk", "offset-commit", entity, whom="consumers")],
        remedy=detector.remedy(
            the_topic_was_created_again=False,
            the_log_was_truncated=False,
            the_start_of_the_log_moved=False,
            a_tool_printed_it=True,
            zookeeper_can_have_the_offset=is_of_old_consumer(row),
            committed_partition=words.partition_name(row),
            group=row["group_id"] or "GROUP",
            data_topic=row["topic"],
            data_partition=row["partition"],
        ),
    )


def describe(row: Row) -> Finding:
    if "tool" in row:
        return describe_printed(row)
    group, partition = row["group_id"], words.committed_for(row["entity_id"])
    committed, cause = marked.number(row["committed"]), cause_of(row)
    where_it_stands = (
        ""
        if row["is_numbered"]
        else f" (offset {marked.offset(row['commit_at'])} of {words.partition_name(row)})"
    )
    beside = (
        f"beyond the end of the log (offset {marked.number(row['end_offset'])})"
        if row["is_beyond"]
        else f"before the start of the log (offset {marked.number(row['start_offset'])})"
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="proven" if row["is_told"] or row["is_beyond"] else "likely",
        title=f"Group {marked.entity(group, 'group')} cannot continue where it stopped in {partition}: its committed offset {committed} is {beside}",
        explanation=(
            f"At {moment(row['commit_ms'])} the group committed offset {committed} for {partition}{where_it_stands}. {why(row)} The next member that starts there gets "
            "OFFSET_OUT_OF_RANGE and continues by `auto.offset.reset`: with latest it skips records, with earliest it reads the whole "
            "partition again, with none it fails."
        ),
        **located(row, row["commit_at"]),
        entity=f"offset-commit:{row['entity_id']}",
        entities={f"group:{group}", f"committed:{row['entity_id']}"},
        evidence=[row["commit_at"]],
        effects=[Effect("at_risk", "offset-commit", row["entity_id"], whom="consumers")],
        remedy=detector.remedy(
            the_topic_was_created_again=cause == RECREATED,
            the_log_was_truncated=cause == TRUNCATED,
            the_start_of_the_log_moved=cause == RETENTION,
            a_tool_printed_it=False,
            zookeeper_can_have_the_offset=False,
            committed_partition=partition,
            group=group,
            data_topic=row["data_topic"],
            data_partition=row["data_partition"],
        ),
    )


RECREATED, TRUNCATED, RETENTION, UNKNOWN = "created again", "truncated", "retention", "unknown"


def cause_of(row: Row) -> str:
    """Which of the causes the input shows."""
    if not row["is_beyond"]:
        return RETENTION
    other_id = row["topic_id"] and row["commit_topic_id"] and row["topic_id"] != row["commit_topic_id"]
    starts_anew = row["log_first_offset"] == 0 and (
        (row["first_ms"] or 0) > (row["commit_ms"] or 0)
        or (row["log_epoch"] is not None and row["log_epoch"] < (row["commit_epoch"] or 0))
    )
    if other_id or starts_anew:
        return RECREATED
    return TRUNCATED if row["cut_epoch"] is not None else UNKNOWN


def why(row: Row) -> str:
    """What happened to the log, and what shows it."""
    cause = cause_of(row)
    if cause == RETENTION:
        return "Retention or DeleteRecords deleted the records at that offset before the group read them."
    if cause == RECREATED:
        shows = (
            f"the commit names topic ID {marked.name(row['commit_topic_id'])}, and the log has {marked.name(row['topic_id'])}"
            if row["topic_id"] and row["commit_topic_id"] and row["topic_id"] != row["commit_topic_id"]
            else f"its log starts at offset 0 with a record of {moment(row['first_ms'])}, after the commit"
            if (row["first_ms"] or 0) > (row["commit_ms"] or 0)
            else f"its log starts at offset 0 and knows leader epochs up to {marked.number(row['log_epoch'])}, the commit names "
            f"{marked.number(row['commit_epoch'])}"
        )
        return f"So the topic was deleted and created again: {shows}. The committed offset belongs to the topic before."
    if cause == TRUNCATED:
        return (
            f"So the log was truncated: leader epoch {marked.number(row['cut_epoch'])} starts below the committed offset, and the commit names leader epoch "
            f"{marked.number(row['commit_epoch'])}. A replica without the newest records became leader (unclean leader election, or loss of unflushed "
            "data). Records that the group had read are lost, and their offsets have other records now."
        )
    return (
        "The log has newer records, but none at that offset, and its first record is older than the commit. So the log became shorter (unclean "
        "leader election, a restored disk), or the offset was copied from another cluster. The leader epochs of its batches or another replica "
        "show which."
    )


IN_A_LOG = clause(
    "{count}",
    "committed offset is not in its log: the group skips or repeats records, or fails",
    "committed offsets are not in their logs: consumers skip or repeat records, or fail",
)
IN_AN_OUTPUT = clause(
    "{count}",
    "committed offset is beyond the reported end of its log: the group can skip or repeat records, or fail",
    "committed offsets are beyond the reported ends of their logs: consumers can skip or repeat records, or fail",
)


def headline(findings: list[Finding]) -> str:
    """An output of a tool shows one moment."""
    is_printed = not any(finding.evidence for finding in findings)
    words = IN_AN_OUTPUT if is_printed else IN_A_LOG
    return words(findings)


detector = Detector(
    id="commit-out-of-range",
    title="Committed offset that the log does not have",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("state", "printed"),
    dialects=("consumer-offsets",),
    prints=IDS,
    follows=("checkpoint-untranslated",),
    one_cause="topic",
)
