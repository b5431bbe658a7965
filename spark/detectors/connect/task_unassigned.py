"""Task unassigned: a worker released a task or connector, and no worker has taken it since, although the cluster goes on.

Innocent: a rebalance under way (workers wait for one that left); a stopped cluster, which reports nothing after it; a late report of a
worker that had lost the task, which Connect ignores (KAFKA-12525); a connector that is paused, stopped or deleted.
Page: docs/detectors/task-unassigned.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors._effects import on_entities
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

MIN_MS = (
    10 * 60 * 1000
)  # twice the time for which workers wait for one that left (scheduled.rebalance.max.delay.ms)
MAX_NAMED = 5

ANY_UNASSIGNED = """
    SELECT 1 FROM entries WHERE entry_type IN ('task-status', 'connector-status') AND entry_action = 'UNASSIGNED' LIMIT 1
"""
# One row per connector and copy of a partition.
UNASSIGNED = f"""
    WITH reports AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, "offset", entry_action AS state, attributes->>'worker_id' AS worker,
            TRY_CAST(attributes->>'generation' AS BIGINT) AS generation
        FROM entries WHERE entry_type IN ('task-status', 'connector-status') AND decode_error IS NULL
    ),
    steps AS (
        SELECT *, lag(state) OVER one AS state_before, lag(worker) OVER one AS worker_before, lag(generation) OVER one AS generation_before
        FROM reports WINDOW one AS (PARTITION BY {REPLICA_COLUMNS}, entry_type, entity_id ORDER BY "offset")
    ),
    released AS (
        SELECT * FROM steps
        QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entry_type, entity_id ORDER BY "offset" DESC) = 1 AND state = 'UNASSIGNED'
            AND NOT coalesce(state_before = 'RUNNING' AND worker_before <> worker AND generation_before >= generation, false)
    ),
    times AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM lifelines SEMI JOIN (SELECT DISTINCT {REPLICA_COLUMNS} FROM reports) USING ({REPLICA_COLUMNS})
    ),
    alive AS (
        SELECT topic, replica, max(timestamp_ms) AS alive_ms, arg_max(entity_id, timestamp_ms) AS alive_name
        FROM reports JOIN times USING ({REPLICA_COLUMNS}, "offset") WHERE state = 'RUNNING' GROUP BY ALL
    ),
    named AS (
        SELECT r.*, timestamp_ms AS released_ms, alive_ms, alive_name,
            if(entry_type = 'task-status', regexp_replace(entity_id, '/[0-9]+$', ''), entity_id) AS connector
        FROM released r JOIN times USING ({REPLICA_COLUMNS}, "offset") JOIN alive USING (topic, replica)
        WHERE alive_ms - timestamp_ms >= {MIN_MS}
    ),
    settings AS (
        SELECT entity_id AS connector, entry_type, arg_max(entry_action, "offset") AS last_action,
            arg_max(coalesce(attributes->>'state.v2', attributes->>'state'), "offset") AS target
        FROM entries WHERE entry_type IN ('connector', 'target-state') AND decode_error IS NULL GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, connector, list(entity_id ORDER BY entity_id) FILTER (entry_type = 'task-status') AS tasks,
        bool_or(entry_type = 'connector-status') AS is_connector, list("offset" ORDER BY "offset") AS offsets, min("offset") AS first_offset,
        max("offset") AS last_offset, min(released_ms) AS released_ms, any_value(alive_ms) AS alive_ms, any_value(alive_name) AS alive_name,
        arg_min(worker, "offset") AS worker
    FROM named n WHERE NOT EXISTS (FROM settings s WHERE s.connector = n.connector
        AND (s.last_action = 'delete' AND s.entry_type = 'connector' OR s.last_action <> 'delete' AND s.target IN ('PAUSED', 'STOPPED')))
    GROUP BY {REPLICA_COLUMNS}, connector ORDER BY {REPLICA_COLUMNS}, connector
"""


def describe(row: Row) -> Finding:
    tasks, connector = row["tasks"] or [], marked.entity(row["connector"], "connector")
    subject = (
        f"Connector {connector}"
        if not tasks
        else f"Task {marked.entity(tasks[0], 'task')}"
        if len(tasks) == 1
        else f"{plural(len(tasks), 'task')} of connector {connector}"
    )
    does = "does" if len(tasks) < 2 else "do"
    since = span_of_time(row["alive_ms"] - row["released_ms"])
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("stuck", "task", tasks) or on_entities("stuck", "connector", [row["connector"]]),
        title=f"{subject} {does} not run: no worker has taken {'it' if len(tasks) < 2 else 'them'} for {since}",
        explanation=(
            f"Worker {marked.name(row['worker'] or 'without an ID')} reported UNASSIGNED at {moment(row['released_ms'])} (offset "
            f"{marked.offset(row['first_offset'])} of {words.partition_name(row)}): it released "
            f"{some(['task ' + marked.entity(name, 'task') for name in tasks], MAX_NAMED) if tasks else 'the connector'}. No worker has reported since that it runs "
            f"{'it' if len(tasks) < 2 else 'them'}. The cluster continues: {marked.entity(row['alive_name'])} was started at {moment(row['alive_ms'])}, "
            f"{since} later. After a worker left, the others wait 5 minutes by default (`scheduled.rebalance.max.delay.ms`). This is longer. "
            "The REST API shows the connector as RUNNING while tasks are missing."
        ),
        **located(row),
        entity=f"connector:{row['connector']}",
        entities={f"connector:{row['connector']}", *(f"task:{name}" for name in tasks)},
        evidence=row["offsets"][:50],
        remedy=detector.remedy(connector=row["connector"]),
        references=detector.references,
    )


detector = Detector(
    id="task-unassigned",
    title="Task that no worker runs",
    find=query(UNASSIGNED, if_any=ANY_UNASSIGNED),
    describe=describe,
    headline=clause("tasks of {count} do not run: no worker has them", "connector"),
    rows_of="entries",
    needs=frozenset({"timestamps"}),
    dialects=("connect",),
    one_cause="topic",
)
