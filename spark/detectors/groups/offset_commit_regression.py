"""Offset commit regression: a group commits a lower offset for a partition than it had committed.

Innocent: nothing was committed in between (a tombstone); offsets of transactions that were not committed. One finding
per group. Page: docs/detectors/offset-commit-regression.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_entities
from spark.detectors.groups import _words as words
from spark.stages.prints.numbered import with_numbering
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

MAX_NAMED = 5
NO_EPOCH = -1

# One row per group.
# The interval before of the same entity, with no tombstone in between. Narrow: names come in for the few that go back.
REGRESSIONS = f"""
    WITH commits AS (
        SELECT {REPLICA_COLUMNS}, hash(entity_id) AS entity, valid_from_offset AS "offset", valid_to_offset,
            TRY_CAST(attributes->>'offset' AS BIGINT) AS committed
        FROM state WHERE entity_type = 'offset-commit' AND view = 'log' AND is_own
    ),
    stepped AS (
        SELECT {REPLICA_COLUMNS}, entity, "offset", committed, lag(committed) OVER by_entity AS committed_before,
            lag("offset") OVER by_entity AS offset_before, lag(valid_to_offset) OVER by_entity AS ended
        FROM commits WINDOW by_entity AS (PARTITION BY {REPLICA_COLUMNS}, entity ORDER BY "offset")
    ),
    back AS (SELECT * FROM stepped WHERE committed < committed_before AND ended = "offset"),
    named AS (
        SELECT b.*, s.entity_id, regexp_replace(s.entity_id, '/[^/]*/[^/]*$', '') AS group_id,
            TRY_CAST(s.attributes->>'leaderEpoch' AS INT) AS leader_epoch,
            TRY_CAST(s.attributes->>'commitTimestamp' AS BIGINT) AS commit_ms
        FROM back b JOIN state s ON ({", ".join(f"s.{name}" for name in REPLICA_COLUMNS.split(", "))}, s.valid_from_offset)
            = ({", ".join(f"b.{name}" for name in REPLICA_COLUMNS.split(", "))}, b."offset")
        WHERE s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own
    )
    SELECT {REPLICA_COLUMNS}, group_id, count(*) AS times, count(DISTINCT entity_id) AS partitions,
        min(offset_before) AS first_offset, max("offset") AS last_offset,
        sum(committed_before - committed)::BIGINT AS read_again,
        min(commit_ms) AS first_ms, max(commit_ms) AS last_ms, bool_and(leader_epoch = {NO_EPOCH}) AS without_epoch,
        list({{'entity_id': entity_id, 'before': committed_before, 'now': committed, 'offset_before': offset_before,
            'offset': "offset"}} ORDER BY "offset")[:{MAX_NAMED}] AS examples
    FROM named GROUP BY {REPLICA_COLUMNS}, group_id ORDER BY first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per group; `is_numbered`: of a print without offsets."""
    return with_numbering(tables, tables.rows(REGRESSIONS))


def describe(row: Row) -> Finding:
    first = row["examples"][0]
    change = f"its committed offset goes back from {marked.number(first['before'])} to {marked.number(first['now'])}"
    commit = (
        ""
        if row["is_numbered"]
        else f"offset {marked.offset(first['offset'])} of {words.partition_name(row)}"
    )
    more = f"the first of {marked.number(row['times'])} times" if row["times"] > 1 else ""
    which = ", ".join(filter(None, (commit, more)))
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("changed", "group", [row["group_id"]]),
        title=f"Group {marked.entity(row['group_id'], 'group')} can read records of {words.committed_for(first['entity_id'])} again: {change}{which and f' ({which})'}",
        explanation=explanation(row),
        **located(row),
        entity=f"group:{row['group_id']}",
        entities={f"group:{row['group_id']}"},
        evidence=[
            offset for example in row["examples"] for offset in (example["offset_before"], example["offset"])
        ],
        remedy=detector.remedy(group=row["group_id"]),
    )


def explanation(row: Row) -> str:
    """What happened, and which client it points to."""
    steps_back = some(
        [
            f"{words.committed_for(example['entity_id'])} {marked.number(example['before'])} to {marked.number(example['now'])}"
            for example in row["examples"]
        ]
    )
    when = moment(row["first_ms"]) + (
        f" to {moment(row['last_ms'])}" if row["last_ms"] != row["first_ms"] else ""
    )
    counted = "" if row["times"] <= MAX_NAMED else f" (the first {MAX_NAMED})"
    who = (
        "The commits contain no leader epoch. This points to a reset by an operator or to a seek, because consumers write the leader "
        "epoch of the records that they read."
        if row["without_epoch"]
        else "The commits contain a leader epoch. This points to a consumer that has read up to this offset."
    )
    return (
        f"{when}: group {marked.entity(row['group_id'], 'group')} committed lower offsets than before, {plural(row['times'], 'time')} in "
        f"{plural(row['partitions'], 'partition')}{counted}: {steps_back}. No commit was deleted in between. Members that start from "
        f"these offsets read up to {plural(row['read_again'], 'record')} again. {who} A reset by an operator looks the same as a fault, "
        "because the journal does not contain the name of the client."
    )


def headline(findings: list[Finding]) -> str:
    if len(findings) == 1:
        return f"group {marked.entity((findings[0].entity or '').removeprefix('group:'), 'group')} can read records again: it committed lower offsets than before"
    return (
        f"{plural(len(findings), 'group')} can read records again: they committed lower offsets than before"
    )


detector = Detector(
    id="offset-commit-regression",
    title="Decreasing committed offset",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="each",
)
