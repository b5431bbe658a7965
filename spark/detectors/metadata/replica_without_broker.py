"""Replica without broker: a partition has a replica on a broker that was unregistered, or that was never registered.

Innocent: a fenced broker (registered, it may come back); a replica that is being removed; a broker that registered again; a log without its
start or snapshot, for "never". Page: docs/detectors/replica-without-broker.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors._words import partition_name
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

NO_LEADER = -1
MAX_NAMED = 5

# One row per broker and copy of the log. Of a snapshot nothing is said where the log itself is there.
REPLICAS = f"""
    WITH assigned AS (
        SELECT {REPLICA_COLUMNS}, entity_id, origin_offset, CAST(attributes->'replicas' AS INT[]) AS replicas,
            TRY_CAST(attributes->'isr' AS INT[]) AS isr, TRY_CAST(attributes->'removingReplicas' AS INT[]) AS removing,
            TRY_CAST(attributes->>'leader' AS INT) AS leader
        FROM state WHERE entity_type = 'partition' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    on_broker AS (SELECT *, unnest(replicas) AS broker FROM assigned),
    registered AS (
        SELECT {REPLICA_COLUMNS}, TRY_CAST(entity_id AS INT) AS broker FROM state
        WHERE entity_type = 'broker' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    unregistered AS (
        SELECT {REPLICA_COLUMNS}, TRY_CAST(attributes->>'brokerId' AS INT) AS broker, max("offset") AS unregistered_at
        FROM entries WHERE entry_type = 'UnregisterBroker' GROUP BY ALL
    ),
    whole AS (
        SELECT {REPLICA_COLUMNS}, min("offset") = 0 OR (SELECT count(*) FROM files WHERE contains(topic, '{SNAPSHOT}')) > 0 AS is_whole
        FROM entries SEMI JOIN assigned USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS}
    ),
    has_log AS (SELECT count(*) FILTER (WHERE NOT contains(topic, '{SNAPSHOT}')) > 0 AS has_log FROM assigned),
    times AS (
        SELECT {REPLICA_COLUMNS}, "offset" AS unregistered_at, timestamp_ms AS unregistered_ms FROM records
        SEMI JOIN (SELECT {REPLICA_COLUMNS}, unregistered_at AS "offset" FROM unregistered) USING ({REPLICA_COLUMNS}, "offset")
    )
    SELECT {REPLICA_COLUMNS}, broker, any_value(unregistered_at) AS unregistered_at, any_value(unregistered_ms) AS unregistered_ms,
        count(*) AS partitions, count(*) FILTER (WHERE leader = {NO_LEADER}) AS without_leader,
        count(*) FILTER (WHERE len(replicas) = 1) AS only_replicas,
        list(entity_id ORDER BY leader <> {NO_LEADER}, entity_id) AS names,
        list(entity_id ORDER BY entity_id) FILTER (WHERE leader = {NO_LEADER}) AS leaderless,
        list(DISTINCT origin_offset ORDER BY origin_offset)[:{MAX_NAMED}] AS offsets,
        min(origin_offset) AS first_offset, max(origin_offset) AS last_offset
    FROM on_broker ANTI JOIN registered USING ({REPLICA_COLUMNS}, broker)
    LEFT JOIN unregistered USING ({REPLICA_COLUMNS}, broker) LEFT JOIN times USING ({REPLICA_COLUMNS}, unregistered_at)
    JOIN whole USING ({REPLICA_COLUMNS}), has_log
    WHERE NOT coalesce(list_contains(removing, broker), false) AND (unregistered_at IS NOT NULL OR (is_whole AND ({REPLICA_COLUMNS}) IN (SELECT ({REPLICA_COLUMNS}) FROM registered)))
        AND (NOT has_log OR NOT contains(topic, '{SNAPSHOT}'))
    GROUP BY {REPLICA_COLUMNS}, broker ORDER BY {REPLICA_COLUMNS}, broker
"""
ANY_REPLICA = """
    SELECT 1 FROM state WHERE entity_type = 'partition' AND view = 'log' AND valid_to_offset IS NULL LIMIT 1
"""


def describe(row: Row) -> Finding:
    broker, has_down = marked.number(row["broker"]), bool(row["without_leader"])
    was = "was unregistered" if row["unregistered_at"] is not None else "was never registered"
    down = (
        f", {plural(row['without_leader'], 'of them has no leader', 'of them have no leader')}"
        if has_down
        else ""
    )
    consequence = (
        f"Partition {named(row['leaderless'][0])} is offline"
        if row["without_leader"] == 1
        else f"{plural(row['without_leader'], 'partition')} are offline"
        if has_down
        else f"{plural(row['partitions'], 'partition has', 'partitions have')} a replica that no broker serves"
    )
    last = row["unregistered_at"] if row["unregistered_at"] is not None else row["last_offset"]
    return Finding(
        detector=detector.id,
        severity="high" if has_down else "medium",
        effects=on_entities(
            "stuck" if has_down else "at_risk",
            "partition",
            (row["leaderless"] if has_down else row["names"]),
            whom="consumers",
        ),
        title=f"{consequence}: broker {broker} {was} and still has replicas of {plural(row['partitions'], 'partition')}",
        explanation=(
            registration(row)
            + f" At the end of {partition_name(row)}, {plural(row['partitions'], 'partition')} still list it as a replica{down}: "
            f"{some([named(name) for name in row['names']], MAX_NAMED)}. "
            + (
                "A partition without a leader accepts no records and serves none. If the broker has the only replica, its disk has the only copy "
                "of the records. "
                if has_down
                else ""
            )
            + f"Partitions with a leader stay under-replicated: the controllers wait for broker {broker} and choose no other. If another of their "
            "brokers fails, they can go offline or lose records."
        ),
        **located(row, min(row["first_offset"], last), max(row["last_offset"], last)),
        entity=f"broker:{row['broker']}",
        entities={f"broker:{row['broker']}"},
        evidence=[*([row["unregistered_at"]] if row["unregistered_at"] is not None else []), *row["offsets"]],
        remedy=detector.remedy(broker=row["broker"]),
        references=detector.references,
    )


def named(entity_id: str) -> str:
    """`orders-3` of `orders/3`."""
    topic, _, number = entity_id.rpartition("/")
    return marked.partition(topic, int(number)) if number.isdecimal() else marked.name(entity_id)


def registration(row: Row) -> str:
    """What became of the broker."""
    if row["unregistered_at"] is None:
        return f"No record of the log registers broker {marked.number(row['broker'])}."
    return (
        f"Broker {marked.number(row['broker'])} was unregistered at offset {marked.offset(row['unregistered_at'])} "
        f"({moment(row['unregistered_ms'])}) and did not register again."
    )


detector = Detector(
    id="replica-without-broker",
    title="Replica on a broker that is not registered",
    find=query(REPLICAS, if_any=ANY_REPLICA),
    describe=describe,
    headline=clause(
        "partitions have replicas on {count}",
        "broker that is not registered",
        "brokers that are not registered",
    ),
    rows_of="state",
    dialects=("cluster-metadata",),
    needs=frozenset({"offset"}),
    one_cause="each",
)
