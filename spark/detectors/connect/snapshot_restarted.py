"""Snapshot restarted: a Debezium connector begins its snapshot again and again, and does not complete one.

The position at which a snapshot begins is in each of its offsets, so another position is another snapshot. Innocent: a snapshot that was
completed after all; one restart; offsets that were deleted between; snapshots that were asked for, each completed before the next.
Page: docs/detectors/snapshot-restarted.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors._effects import on_entities
from spark.detectors.transactions._words import span_of_time
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

MIN_SNAPSHOTS = 3  # the first one and two restarts: one restart is a deployment

IN_PROGRESS = "coalesce(attributes->>'snapshot', 'false') NOT IN ('false', 'last') AND coalesce(attributes->>'snapshot_completed', 'false') = 'false'"
# Where the snapshot begins: MySQL and MariaDB, SQL Server, Oracle, PostgreSQL.
START = """
    coalesce(attributes->>'file' || ' ' || (attributes->>'pos'), attributes->>'commit_lsn', attributes->>'snapshot_scn', attributes->>'scn', attributes->>'lsn')
"""
ANY_SNAPSHOT = f"SELECT 1 FROM entries WHERE entry_type = 'connector-offset' AND {IN_PROGRESS} LIMIT 1"
# One row per source partition of a connector. A run of snapshots ends at any other offset, and at a tombstone.
RESTARTED = f"""
    WITH offsets AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action <> 'delete' AND {IN_PROGRESS} AS in_progress, {START} AS start
        FROM entries WHERE entry_type = 'connector-offset' AND decode_error IS NULL
    ),
    runs AS (
        SELECT *, count(*) FILTER (NOT in_progress) OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset" ROWS UNBOUNDED PRECEDING) AS run
        FROM offsets
    ),
    last_runs AS (
        SELECT * FROM runs QUALIFY run = max(run) OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id)
    ),
    begun AS (
        SELECT {REPLICA_COLUMNS}, entity_id, start, min("offset") AS "offset" FROM last_runs WHERE in_progress AND start IS NOT NULL GROUP BY ALL
    ),
    timed AS (
        SELECT b.*, timestamp_ms FROM begun b LEFT JOIN lifelines l ON (l.topic, l.partition, l.replica, l."offset") = (b.topic, b.partition, b.replica, b."offset")
    )
    SELECT {REPLICA_COLUMNS}, entity_id, count(*) AS snapshots, list("offset" ORDER BY "offset") AS offsets, min("offset") AS first_offset,
        max("offset") AS last_offset, min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, list(start ORDER BY "offset") AS starts
    FROM timed GROUP BY {REPLICA_COLUMNS}, entity_id HAVING count(*) >= {MIN_SNAPSHOTS} ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    name, _, _ = row["entity_id"].partition("/{")
    connector = marked.entity(name, "connector")
    period = (
        f" in {span_of_time(row['last_ms'] - row['first_ms'])}"
        if row["first_ms"] is not None and row["last_ms"] is not None
        else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("stuck", "connector", [name]),
        title=f"Connector {connector} began its snapshot {plural(row['snapshots'], 'time')}{period} and completed none of them",
        explanation=(
            f"A snapshot that is interrupted begins again: Debezium cannot continue it. {words.partition_name(row)} contains offsets of "
            f"{plural(row['snapshots'], 'snapshot')}, the first from {moment(row['first_ms'])} (start {marked.quote(row['starts'][0])}), the last from "
            f"{moment(row['last_ms'])} (start {marked.quote(row['starts'][-1])}). No offset says that one is complete. Each snapshot reads all tables and writes "
            "all rows to the topics again. Changes are streamed only after a complete snapshot. Possible causes: the task fails or is restarted "
            "during each snapshot, or it is rebalanced. Or nothing changes in the database after the snapshot: without heartbeats, no offset is written "
            "that says that the snapshot is complete, so a restart begins it again."
        ),
        **located(row),
        entity=f"connector:{name}",
        entities={f"connector:{name}"},
        evidence=row["offsets"][:OFFSETS_NAMED],
        remedy=detector.remedy(connector=name),
        references=detector.references,
    )


detector = Detector(
    id="snapshot-restarted",
    title="Snapshot that begins again and again",
    find=query(RESTARTED, if_any=ANY_SNAPSHOT),
    describe=describe,
    headline=clause("snapshots of {count} begin again and again", "connector"),
    rows_of="entries",
    dialects=("connect",),
    one_cause="each",
)
