"""Commit after group deleted: a group's tombstone, and soon after it an offset is committed for that group.

Innocent: the group was made again before the commit; the commit comes long after; groups that were offsets only.
Page: docs/detectors/commit-after-group-deleted.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment

# A member that did not hear of the deletion commits within minutes; an hour is generous.
JUST_BEFORE_MS = 60 * 60 * 1000

# One row per deletion that a commit followed.
# The replay makes a group of offsets only (`isSimple`) of a commit for a group that is not there.
COMMITS = f"""
    WITH groups AS (
        SELECT {REPLICA_COLUMNS}, entity_id, valid_from_offset, valid_to_offset,
            coalesce((attributes->>'isSimple')::BOOLEAN, false) AS is_simple
        FROM state WHERE entity_type = 'group' AND view = 'log' AND is_own
    ),
    stepped AS (
        SELECT *, lag(valid_to_offset) OVER by_group AS deleted_at, lag(is_simple) OVER by_group AS was_simple
        FROM groups WINDOW by_group AS (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY valid_from_offset)
    ),
    again AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS group_id, deleted_at, valid_from_offset AS commit_at FROM stepped
        WHERE is_simple AND NOT was_simple AND deleted_at < valid_from_offset
    ),
    times AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM records SEMI JOIN (
            SELECT {REPLICA_COLUMNS}, deleted_at AS "offset" FROM again UNION SELECT {REPLICA_COLUMNS}, commit_at FROM again
        ) USING ({REPLICA_COLUMNS}, "offset")
    ),
    timed AS (
        SELECT a.*, d.timestamp_ms AS deleted_ms, c.timestamp_ms AS commit_ms
        FROM again a
        LEFT JOIN times d ON ({{a}}, a.deleted_at) = ({{d}}, d."offset")
        LEFT JOIN times c ON ({{a}}, a.commit_at) = ({{c}}, c."offset")
    )
    SELECT t.*, s.entity_id, TRY_CAST(s.attributes->>'offset' AS BIGINT) AS committed
    FROM timed t JOIN state s ON ({{t}}, t.commit_at) = ({{s}}, s.valid_from_offset)
    WHERE s.entity_type = 'offset-commit' AND s.view = 'log' AND s.is_own
        AND coalesce(commit_ms - deleted_ms, 0) <= {JUST_BEFORE_MS}
    ORDER BY commit_at
""".format(
    **{alias: ", ".join(f"{alias}.{name}" for name in REPLICA_COLUMNS.split(", ")) for alias in "acdst"}
)


def describe(row: Row) -> Finding:
    group, partition = row["group_id"], words.committed_for(row["entity_id"])
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("revived", "group", [group]),
        title=f"Deleted group {marked.entity(group, 'group')} exists again without members: offset {marked.offset(row['commit_at'])} of {words.partition_name(row)} is a commit after "
        f"its deletion at offset {marked.offset(row['deleted_at'])}",
        explanation=(
            f"The group's tombstone has timestamp {moment(row['deleted_ms'])}. At {moment(row['commit_ms'])} a client committed offset "
            f"{marked.number(row['committed'])} for {partition}, but no member joined the group. The group exists again, with offsets but without members. "
            "The client that commits did not notice the deletion and is still running. The other offsets of the group are deleted. "
            "Partitions without a committed offset start at the position of `auto.offset.reset`. A manual reset of offsets after a "
            "deletion looks the same."
        ),
        **located(row, row["deleted_at"], row["commit_at"]),
        entity=f"group:{group}@{row['deleted_at']}",
        entities={f"group:{group}"},
        evidence=[row["deleted_at"], row["commit_at"]],
        remedy=detector.remedy(group=group),
    )


detector = Detector(
    id="commit-after-group-deleted",
    title="Offset committed for a deleted group",
    find=query(COMMITS),
    describe=describe,
    headline=clause(
        "{count}",
        "deleted group exists again without members: a client still commits offsets",
        "deleted groups exist again without members: clients still commit offsets",
    ),
    rows_of="state",
    scope="partition",
    dialects=("consumer-offsets",),
    one_cause="topic",
)
