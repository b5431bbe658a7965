"""Connector incomplete: task configs and the commit that counts them do not belong together.

Innocent: what a deleted connector left over; task numbers above the count; a whole set later.
Page: docs/detectors/connector-incomplete.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Confidence, Effect, Finding
from spark.terms.typed_wording import at_offsets, moment, plural, some

MAY_BE_COMING_MS = 60_000  # a worker commits within a second; a copy may be taken in just that second
LACKING = ("uncommitted", "incomplete", "connector-later")

# One row per connector whose tasks and commit do not fit.
INCOMPLETE = f"""
    WITH refused AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, reason, needs, available_from_offset,
            if(entity_type = 'task', regexp_replace(entity_id, '/[0-9]+$', ''), entity_id) AS connector
        FROM refusals
        WHERE view = 'log' AND is_own AND entity_type IN ('connector', 'task') AND reason IN {LACKING}
    ),
    wanting AS (
        SELECT {REPLICA_COLUMNS}, connector,
            list("offset" ORDER BY "offset") FILTER (reason = 'uncommitted') AS uncommitted,
            list(entity_id ORDER BY "offset") FILTER (reason = 'uncommitted') AS uncommitted_tasks,
            max("offset") FILTER (reason <> 'uncommitted') AS refused_commit,
            arg_max(reason, "offset") FILTER (reason <> 'uncommitted') AS reason,
            arg_max(needs, "offset") FILTER (reason <> 'uncommitted') AS needs,
            arg_max(available_from_offset, "offset") FILTER (reason <> 'uncommitted') AS available_from_offset
        FROM refused GROUP BY ALL
    ),
    commits AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS connector, max("offset") AS last_commit,
            arg_max(TRY_CAST(attributes->>'tasks' AS BIGINT), "offset") AS task_count
        FROM entries
        WHERE entry_type = 'commit' AND entry_action = 'commit'
            AND ({REPLICA_COLUMNS}, entity_id) IN (SELECT ({REPLICA_COLUMNS}, connector) FROM wanting)
        GROUP BY ALL
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[0-9]+$', '') AS connector, list(DISTINCT entity_id) AS tasks
        FROM state WHERE entity_type = 'task' AND is_own GROUP BY ALL
    ),
    times AS (SELECT {REPLICA_COLUMNS}, "offset" AS last_written, timestamp_ms FROM lifelines)
    SELECT wanting.*, last_commit, task_count, held.tasks, timestamp_ms AS written_ms,
        (SELECT max(timestamp_ms) FROM lifelines) AS now_ms
    FROM wanting LEFT JOIN commits USING ({REPLICA_COLUMNS}, connector) LEFT JOIN held USING ({REPLICA_COLUMNS}, connector)
        LEFT JOIN times ON (wanting.topic, wanting.partition, wanting.replica, coalesce(uncommitted[-1], refused_commit))
            = (times.topic, times.partition, times.replica, last_written)
    ORDER BY {REPLICA_COLUMNS}, connector
"""


def describe(row: Row) -> Finding:
    waiting, commit = row["uncommitted"] or [], row["refused_commit"]
    offsets = sorted({*waiting, *([] if commit is None else [commit])})
    return Finding(
        detector=detector.id,
        severity="high",
        confidence=confidence(row),
        title=title(row),
        explanation=" ".join([*about_commit(row), *about_waiting(row)]),
        **located(row, *offsets),
        entity=f"connector:{row['connector']}",
        evidence=sorted({*offsets, *(commit for commit in (row["last_commit"],) if commit is not None)}),
        remedy=detector.remedy(connector=row["connector"], topic=row["topic"]),
        references=detector.references,
        effects=[Effect("stuck", "connector", str(row["connector"]))],
        entities={
            f"connector:{row['connector']}",
            *(f"task:{name}" for name in [*(row["tasks"] or []), *(row["uncommitted_tasks"] or [])]),
            *([row["needs"]] if row["needs"] else []),
        },
    )


def confidence(row: Row) -> Confidence:
    """Proven by the bytes, unless the rest may just not have been written yet, or older workers read it otherwise."""
    if row["reason"] == "incomplete":
        return "proven"
    if row["reason"] == "connector-later" or row["written_ms"] is None:
        return "likely"
    return "proven" if row["now_ms"] - row["written_ms"] > MAY_BE_COMING_MS else "likely"


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    name, commit = row["connector"], row["refused_commit"]
    if row["reason"] == "incomplete":
        lacking = marked.name(row["needs"].rpartition("/")[2])
        return f"Connector {marked.entity(name, 'connector')} starts without tasks: the commit at offset {marked.offset(commit)} includes task {lacking}, but no earlier record contains its config"
    if row["reason"] == "connector-later":
        return f"Connector {marked.entity(name, 'connector')} starts without tasks: its commit at offset {marked.offset(commit)} precedes its only config"
    waiting = row["uncommitted"]
    return (
        f"Connector {marked.entity(name, 'connector')} can lose its tasks at compaction: {plural(len(waiting), 'task config')} at {at_offsets(waiting)} "
        f"{'has' if len(waiting) == 1 else 'have'} no commit"
    )


def about_commit(row: Row) -> list[str]:
    """The commit that workers do not follow, and what they do."""
    name, commit = row["connector"], row["refused_commit"]
    if row["reason"] == "connector-later":
        return [
            f"The commit of {marked.entity(name, 'connector')} at offset {marked.offset(commit)} precedes the only config record of the connector, at offset "
            f"{marked.offset(row['available_from_offset'])}. The config was written again later, and compaction removed the older record. Workers from 3.9 "
            "treat such a commit as the commit of a deleted connector and ignore it and its tasks. Earlier workers accept it."
        ]
    if row["reason"] != "incomplete":
        return []
    later = row["available_from_offset"]
    later_config = (
        f" The config comes only after the commit, at offset {marked.offset(later)}."
        if later is not None
        else ""
    )
    return [
        f"According to the commit at offset {marked.offset(commit)}, {marked.entity(name, 'connector')} has {plural(row['task_count'] or 0, 'task')}. No earlier record contains the "
        f"config of task {marked.name(row['needs'].rpartition('/')[2])}.{later_config} A worker that reads the topic treats the set as incomplete and starts the "
        "connector without tasks. The worker logs this at debug level only."
    ]


def about_waiting(row: Row) -> list[str]:
    """The task configs after the last commit, and what the cleaner makes of them."""
    waiting = row["uncommitted"] or []
    if not waiting:
        return []
    before = (
        f" Workers still run the {plural(row['task_count'] or 0, 'task')} of the commit at offset {marked.offset(row['last_commit'])}."
        if row["last_commit"] is not None and row["reason"] is None
        else ""
    )
    return [
        f"The configs of {some(['task ' + marked.entity(name, 'task') for name in row['uncommitted_tasks']], 5)} at {at_offsets(waiting)} (last: "
        f"{moment(row['written_ms'])}) have no commit after them. The worker stopped while it wrote a new set.{before} If a compaction runs "
        "before a worker has written the whole set, it keeps these configs and removes the older configs of the same tasks. The last "
        "commit then includes tasks without an earlier config, and the connector starts without tasks."
    ]


detector = Detector(
    id="connector-incomplete",
    title="Incomplete set of task configs",
    find=query(INCOMPLETE),
    describe=describe,
    headline=clause(
        "{count} tasks: incomplete set of task configs",
        "connector can start without its",
        "connectors can start without their",
    ),
    rows_of="refusals",
    scope="partition",
    dialects=("connect",),
    one_cause="each",
)
