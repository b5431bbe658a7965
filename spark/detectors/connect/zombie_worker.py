"""Zombie worker: two workers report that they run one task, alternately, and neither releases it.

Innocent: workers of two clusters (connect-clusters-share-topics); a hand-over (the worker before reports anything but RUNNING, or a tombstone stands between); one takeover after
a worker died; a chain of takeovers that never comes back. Page: docs/detectors/zombie-worker.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors._effects import on_entities
from spark.detectors.connect._two_clusters import CLUSTERS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, listed, plural, some

TURNS = 3  # takeovers without a hand-over: A, B, A, B. Two may be two workers that died one after the other
# One row per group of workers and partition of the status topic.
# A worker that no longer runs the task may send a late UNASSIGNED: only what the one that runs it says is a hand-over. But a worker whose next
# report is UNASSIGNED has stopped the task, so its takeover does not count as a turn.
ZOMBIES = f"""
    WITH reports AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, "offset", entry_action AS state,
            json_extract_string(attributes, ['$.worker_id', '$.generation']) AS members
        FROM entries WHERE entry_type = 'task-status' AND decode_error IS NULL
    ),
    shared AS (
        SELECT {REPLICA_COLUMNS}, entity_id, row_number() OVER () AS task FROM (
            SELECT {REPLICA_COLUMNS}, entity_id FROM reports WHERE state = 'RUNNING'
            GROUP BY ALL HAVING min(members[1]) <> max(members[1])
        )
    ),
    statuses AS (
        SELECT task, "offset", state, members[1] AS worker, try_cast(members[2] AS BIGINT) AS generation,
            last_value(if(state = 'RUNNING', members[1], NULL) IGNORE NULLS) OVER (
                PARTITION BY task ORDER BY "offset" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS runner,
            lead(state) OVER (PARTITION BY task, members[1] ORDER BY "offset") AS next_of_worker
        FROM reports JOIN shared USING ({REPLICA_COLUMNS}, entity_id)
    ),
    steps AS (
        SELECT *, lag(state) OVER by_task AS state_before, lag(worker) OVER by_task AS worker_before,
            lag(generation) OVER by_task AS generation_before, lag("offset") OVER by_task AS offset_before,
            coalesce(lag(next_of_worker) OVER by_task, '') = 'UNASSIGNED' AS was_released
        FROM statuses WHERE state IN ('RUNNING', 'delete') OR worker = runner
        WINDOW by_task AS (PARTITION BY task ORDER BY "offset")
    ),
    firsts AS (
        SELECT task, worker, min("offset") AS first_of_worker FROM statuses WHERE state = 'RUNNING' GROUP BY ALL
    ),
    takeovers AS (
        SELECT *, first_of_worker < "offset" AND generation < generation_before AS is_stale
        FROM steps JOIN firsts USING (task, worker)
        WHERE state = 'RUNNING' AND state_before = 'RUNNING' AND worker <> worker_before
    ),
    zombies AS (
        SELECT task, list_sort(list_distinct(flatten(list([worker, worker_before])))) AS workers,
            list_sort(list_distinct(flatten(list([offset_before, "offset"])))) AS offsets, bool_or(is_stale) AS is_stale
        FROM takeovers GROUP BY ALL
        HAVING bool_or(is_stale) OR (count(*) FILTER (NOT was_released) >= {TURNS}
            AND count(*) FILTER (NOT was_released AND first_of_worker < "offset") >= {TURNS} - 1)
    )
    SELECT {REPLICA_COLUMNS}, workers, list(entity_id ORDER BY offsets[1]) AS tasks, list_sort(list_distinct(flatten(list(offsets)))) AS offsets,
        bool_or(is_stale) AS is_stale
    FROM zombies JOIN shared USING (task) GROUP BY {REPLICA_COLUMNS}, workers ORDER BY {REPLICA_COLUMNS}, workers
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per group of workers and partition that are not of two clusters."""
    zombies = tables.rows(ZOMBIES)
    clusters = tables.rows(CLUSTERS) if zombies else []
    return [row for row in zombies if not any(are_of(cluster, row) for cluster in clusters)]


def are_of(cluster: Row, row: Row) -> bool:
    """Whether these workers are of the two clusters that use this topic."""
    same_topic = (cluster["topic"], cluster["replica"]) == (row["topic"], row["replica"])
    return same_topic and set(row["workers"]) <= {*cluster["lower"], *cluster["higher"]}


def describe(row: Row) -> Finding:
    offsets = row["offsets"]
    is_one = len(row["tasks"]) == 1
    whose, it = (
        (f"Task {marked.entity(row['tasks'][0], 'task')}", "it")
        if is_one
        else (plural(len(row["tasks"]), "task"), "them")
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "task", row["tasks"]),
        confidence="proven" if row["is_stale"] else "likely",
        title=f"{whose} can write records twice: workers {listed(map(marked.name, row['workers']))} both run {it} since offset {marked.offset(offsets[0])}",
        explanation=explanation(row),
        **located(row, *offsets),
        entity=f"workers:{'/'.join(row['workers'])}",
        evidence=list(offsets[:50]),
        remedy=detector.remedy(workers=listed(map(marked.name, row["workers"]))),
        references=detector.references,
        entities={f"task:{name}" for name in row["tasks"]},
    )


def explanation(row: Row) -> str:
    """What shows it and what it does."""
    reports = (
        "One of them reported an older generation of the group than the other. It had lost the task without noticing it."
        if row["is_stale"]
        else "Neither reported that it released the task before the other one started it."
    )
    return (
        f"{some(['Task ' + marked.entity(name, 'task') for name in row['tasks']], 5)}: {listed(map(marked.name, row['workers']))} alternately report RUNNING at "
        f"{at_offsets(row['offsets'])}. {reports} While both run it, a source connector writes records twice. A sink connector writes them "
        "twice or commits conflicting offsets. The REST API shows the status of the worker that wrote last."
    )


detector = Detector(
    id="zombie-worker",
    title="Two workers run one task",
    find=find,
    describe=describe,
    headline=clause("records can be written twice: two workers run the same tasks ({count})", "case"),
    rows_of="entries",
    scope="partition",
    dialects=("connect",),
)
