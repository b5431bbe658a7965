"""ZooKeeper migration unfinished: the controllers still migrate, and the log continues for long.

    1  MIGRATION       metadata is in KRaft, and also written to ZooKeeper until all brokers are restarted and the migration is finalised
    2  PRE_MIGRATION   the controllers wait for the brokers of ZooKeeper

Innocent: a migration of a few days; POST_MIGRATION and NONE. Source: Kafka `ZkMigrationState` (3.5 to 3.9; 3.4 wrote 1 for PRE_MIGRATION).
Page: docs/detectors/zk-migration-unfinished.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_partition
from spark.detectors._words import partition_name
from spark.detectors.transactions._words import span_of_time
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment

MIGRATION, PRE_MIGRATION = 1, 2
DAY_MS = 24 * 3600 * 1000
MIGRATION_MS = 7 * DAY_MS  # time to test before it is finalised
PRE_MIGRATION_MS = DAY_MS  # brokers are to be restarted soon after the controllers

ANY_STATE = "SELECT 1 FROM entries WHERE entry_type = 'ZkMigrationState' LIMIT 1"
# One row per copy of the log whose last state is unfinished; since the first record of this state in a row.
UNFINISHED = f"""
    WITH states AS (
        SELECT {REPLICA_COLUMNS}, "offset", TRY_CAST(attributes->>'zkMigrationState' AS INT) AS state FROM entries
        WHERE entry_type = 'ZkMigrationState' AND decode_error IS NULL AND NOT contains(topic, '{SNAPSHOT}')
    ),
    steps AS (
        SELECT *, count(*) FILTER (is_change) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset" ROWS UNBOUNDED PRECEDING) AS run FROM (
            SELECT *, state IS DISTINCT FROM lag(state) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset") AS is_change FROM states
        )
    ),
    last_run AS (SELECT * FROM steps QUALIFY run = max(run) OVER (PARTITION BY {REPLICA_COLUMNS})),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN states USING ({REPLICA_COLUMNS}) GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, state, min("offset") AS first_offset, min("offset") AS last_offset, arg_min(timestamp_ms, "offset") AS since_ms,
        any_value(end_ms) AS end_ms
    FROM last_run JOIN records USING ({REPLICA_COLUMNS}, "offset") JOIN ends USING ({REPLICA_COLUMNS})
    GROUP BY {REPLICA_COLUMNS}, state
    HAVING end_ms - since_ms >= CASE state WHEN {MIGRATION} THEN {MIGRATION_MS} WHEN {PRE_MIGRATION} THEN {PRE_MIGRATION_MS} END
    ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    whole, is_waiting = span_of_time(row["end_ms"] - row["since_ms"]), row["state"] == PRE_MIGRATION
    state = marked.name("PRE_MIGRATION" if is_waiting else "MIGRATION")
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_partition("stuck", row["topic"], row["partition"], whom="brokers"),
        title=f"The migration from ZooKeeper is unfinished for {whole}: the controllers are in state {state}",
        explanation=(
            f"The record at offset {marked.offset(row['first_offset'])} of {partition_name(row)} ({moment(row['since_ms'])}) is the last change of the state. The log "
            f"ends at {moment(row['end_ms'])}. "
            + (
                "In this state the controllers wait for all brokers of ZooKeeper to register with them. The cluster still works with ZooKeeper, and the log "
                "has none of its topics. "
                if is_waiting
                else "In this state the controllers write each change to ZooKeeper, too. It ends when the controllers are restarted without migration, "
                "after all brokers. ZooKeeper must stay, and a failure of it disturbs the controllers. "
            )
            + "Controllers of 4.0 and later do not start with such a log."
        ),
        **located(row),
        entity="zk-migration",
        evidence=[row["first_offset"]],
        remedy=detector.remedy("Waiting" if is_waiting else "Migrated"),
        references=detector.references,
    )


detector = Detector(
    id="zk-migration-unfinished",
    title="Unfinished migration from ZooKeeper",
    find=query(UNFINISHED, if_any=ANY_STATE),
    describe=describe,
    headline=clause("the migration from ZooKeeper is unfinished"),
    rows_of="entries",
    dialects=("cluster-metadata",),
    needs=frozenset({"offset", "timestamps"}),
    one_cause="topic",
)
