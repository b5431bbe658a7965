"""Task failed: the last that is known of a connector or task is that it failed.

Innocent: it runs, is paused or was given away again after it failed. One finding per connector. Of values alone
(`_keyless.py`) nobody knows whose they are: one finding per first line of a trace.
Page: docs/detectors/task-failed.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_entities
from spark.detectors.connect import _keyless as keyless
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, moment, plural, some

# A tombstone ends a life of the task; only its last life counts, and tombstones behind that say that it was deleted.
FAILED = f"""
    WITH failing AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, entry_type, entity_id FROM entries
        WHERE entry_type IN ('connector-status', 'task-status') AND entry_action = 'FAILED'
    ),
    statuses AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, "offset", entry_action AS state, count(*) FILTER (entry_action = 'delete') OVER (
            PARTITION BY {REPLICA_COLUMNS}, entry_type, entity_id ORDER BY "offset" ROWS UNBOUNDED PRECEDING
        ) AS life
        FROM entries SEMI JOIN failing USING ({REPLICA_COLUMNS}, entry_type, entity_id)
        WHERE decode_error IS NULL
    ),
    lives AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, life,
            arg_max(state, "offset") AS last_state, max("offset") AS last_offset,
            list("offset" ORDER BY "offset") FILTER (state = 'FAILED') AS offsets
        FROM statuses WHERE state <> 'delete' GROUP BY ALL
    ),
    last_lives AS (
        SELECT *, (
            SELECT min("offset") FROM statuses AS s WHERE state = 'delete' AND s."offset" > lives.last_offset
                AND (s.topic, s.partition, s.replica, s.entry_type, s.entity_id)
                    = (lives.topic, lives.partition, lives.replica, lives.entry_type, lives.entity_id)
        ) AS deleted_offset
        FROM lives
        QUALIFY life = max(life) OVER (PARTITION BY {REPLICA_COLUMNS}, entry_type, entity_id) AND last_state = 'FAILED'
    ),
    failures AS (
        SELECT last_lives.*, coalesce(attributes->>'worker_id', 'an unknown worker') AS worker,
            trim(split_part(coalesce(attributes->>'trace', ''), chr(10), 1)) AS trace, timestamp_ms
        FROM last_lives JOIN entries ON (entries.topic, entries.partition, entries.replica, entries."offset")
                = (last_lives.topic, last_lives.partition, last_lives.replica, last_lives.last_offset)
            LEFT JOIN lifelines ON (lifelines.topic, lifelines.partition, lifelines.replica, lifelines."offset")
                = (last_lives.topic, last_lives.partition, last_lives.replica, last_lives.last_offset)
    ),
    named AS (
        SELECT *, if(entry_type = 'task-status', regexp_replace(entity_id, '/[0-9]+$', ''), entity_id) AS connector FROM failures
    )
    SELECT {REPLICA_COLUMNS}, connector, bool_or(entry_type = 'connector-status') AS is_connector,
        list(entity_id ORDER BY "last_offset") FILTER (entry_type = 'task-status') AS tasks,
        list_sort(flatten(list(offsets))) AS offsets, first(trace ORDER BY entry_type, last_offset) AS trace,
        count(DISTINCT trace) AS traces, first(worker ORDER BY entry_type, last_offset) AS worker,
        max(timestamp_ms) AS timestamp_ms, max(deleted_offset) AS deleted_offset, count(deleted_offset) AS deleted, count(*) AS failed,
        min(partition) OVER (PARTITION BY topic, replica, connector) AS first_partition
    FROM named GROUP BY {REPLICA_COLUMNS}, connector ORDER BY topic, replica, partition, connector
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per connector and partition of the status topic that has failures of it; of values alone, per trace."""
    return [*tables.rows(FAILED), *keyless.find(tables)]


def describe(row: Row) -> Finding:
    """In words. Of several partitions the first one speaks, the others follow from it."""
    if "values" in row:
        return keyless.describe(row, detector.id)
    finding = finding_of(row)
    if row["first_partition"] != row["partition"]:
        finding.consequence_of = finding_of({**row, "partition": row["first_partition"]}).id
    return finding


def finding_of(row: Row) -> Finding:
    """The finding, wherever it belongs."""
    offsets = row["offsets"]
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities(
            "stuck", "task" if row["tasks"] else "connector", row["tasks"] or [row["connector"]]
        ),
        title=f"{who(row)} failed: {keyless.reason(row)}",
        explanation=explanation(row),
        **located(row, *offsets),
        entity=f"failed:{row['connector']}",
        evidence=list(offsets[:50]),
        remedy=remedy(row),
        references=detector.references,
        entities={
            f"connector:{row['connector']}",
            *(f"task:{name}" for name in row["tasks"] or []),
        },
    )


def who(row: Row) -> str:
    """`Task 0 of connector a`, `Tasks 0 and 1 of connector a`, `Connector a`."""
    numbers = [marked.name(name.rpartition("/")[2]) for name in row["tasks"] or []]
    if not numbers:
        return f"Connector {marked.entity(row['connector'], 'connector')}"
    word = "Task" if len(numbers) == 1 else "Tasks"
    of = f"{word} {some(numbers)} of connector {marked.entity(row['connector'], 'connector')}"
    return (
        f"Connector {marked.entity(row['connector'], 'connector')} and {of[0].lower()}{of[1:]}"
        if row["is_connector"]
        else of
    )


def explanation(row: Row) -> str:
    """What happened, in order."""
    offsets = row["offsets"]
    others = (
        f" The traces have {marked.number(row['traces'])} different first lines. This is one of them."
        if row["traces"] > 1
        else ""
    )
    gone = (
        f" A tombstone deleted its status at offset {marked.offset(row['deleted_offset'])}. The connector or its tasks were deleted before the failure was "
        "corrected."
        if row["deleted"] == row["failed"]
        else " The topic contains no later status. A failed task does not restart automatically."
    )
    return (
        f"{who(row)} reported FAILED at {at_offsets(offsets)}, the last time at {moment(row['timestamp_ms'])} from worker "
        f"{marked.name(row['worker'])}. {keyless.trace_starts(row)}{others}{gone}"
    )


def remedy(row: Row) -> str:
    """A deleted connector is not restarted."""
    if row["deleted"] == row["failed"]:
        return detector.remedy("Deleted connector")
    return detector.remedy(
        "Failed tasks",
        offset=row["offsets"][-1],
        partition=(row["topic"], row["partition"]),
        connector=row["connector"],
    )


def headline(findings: list[Finding]) -> str:
    if any((finding.entity or "").startswith(keyless.ENTITY) for finding in findings):
        return plural(len(findings), "connector or task has failed", "connectors or tasks have failed")
    if len(findings) == 1:
        return f"connector {marked.entity((findings[0].entity or '').removeprefix('failed:'), 'connector')} has failed"
    return plural(len(findings), "connector has failed", "connectors have failed")


detector = Detector(
    id="task-failed",
    title="Failed connector or task",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("entries", "records"),
    dialects=("connect", "plain"),
    one_cause="each",
)
