"""Broker restart loop: a broker registers again and again within an hour, each time as a new process.

Innocent: the same process that registers again (its incarnation stays); a few restarts, as a deployment makes; restarts that are hours
apart. Page: docs/detectors/broker-restart-loop.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors._words import partition_name
from spark.detectors.transactions._words import span_of_time
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural, some

MIN_STARTS = 5  # a rolling restart for a new version and its settings, and one that is repeated, stay below
WINDOW_MS = 3600 * 1000
MAX_NAMED = 3

SEVERAL = f"""
    SELECT 1 FROM entries WHERE entry_type = 'RegisterBroker' GROUP BY {REPLICA_COLUMNS}, entity_id HAVING count(*) >= {MIN_STARTS} LIMIT 1
"""
# One row per broker: all starts within an hour that has enough of them.
LOOPS = f"""
    WITH registrations AS (
        SELECT {REPLICA_COLUMNS}, "offset", TRY_CAST(attributes->>'brokerId' AS INT) AS broker, attributes->>'incarnationId' AS incarnation,
            list_sort(list_distinct(attributes->>'$.endPoints[*].host')) AS hosts
        FROM entries WHERE entry_type = 'RegisterBroker' AND decode_error IS NULL AND NOT contains(topic, '{SNAPSHOT}')
    ),
    starts AS (
        SELECT g.*, timestamp_ms FROM registrations g JOIN records r USING ({REPLICA_COLUMNS}, "offset")
        QUALIFY incarnation IS DISTINCT FROM lag(incarnation) OVER (PARTITION BY {REPLICA_COLUMNS}, broker ORDER BY "offset")
    ),
    dense AS (
        SELECT *, count(*) OVER (PARTITION BY {REPLICA_COLUMNS}, broker ORDER BY timestamp_ms RANGE BETWEEN {WINDOW_MS} PRECEDING AND CURRENT ROW) AS before
        FROM starts
    ),
    loops AS (
        SELECT s.* FROM starts s WHERE EXISTS (FROM dense d WHERE d.before >= {MIN_STARTS} AND d.timestamp_ms BETWEEN s.timestamp_ms AND s.timestamp_ms + {WINDOW_MS}
            AND (d.topic, d.partition, d.replica, d.broker) = (s.topic, s.partition, s.replica, s.broker))
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN starts USING ({REPLICA_COLUMNS}) GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, broker, count(*) AS starts, min("offset") AS first_offset, max("offset") AS last_offset, min(timestamp_ms) AS first_ms,
        max(timestamp_ms) AS last_ms, any_value(end_ms) AS end_ms, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets,
        list(DISTINCT array_to_string(hosts, ', ')) FILTER (len(hosts) > 0) AS hosts
    FROM loops JOIN ends USING ({REPLICA_COLUMNS})
    GROUP BY {REPLICA_COLUMNS}, broker ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    broker, hosts = marked.number(row["broker"]), sorted(row["hosts"] or [])
    whole = span_of_time(row["last_ms"] - row["first_ms"])
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "broker", [row["broker"]], whom="brokers"),
        title=f"Broker {broker} starts again and again: {plural(row['starts'], 'start')} in {whole}",
        explanation=(
            f"{partition_name(row)} contains {plural(row['starts'], 'registration')} of broker {broker} from {moment(row['first_ms'])} to "
            f"{moment(row['last_ms'])}, each of another process (incarnation ID). The log ends at {moment(row['end_ms'])}. "
            + (
                f"They name {plural(len(hosts), 'host')}: {some([marked.name(host) for host in hosts], MAX_NAMED)}. If these are not addresses of one "
                "machine, two brokers can have the same node ID and replace each other. "
                if len(hosts) > 1
                else ""
            )
            + "Each start moves the leaders of its partitions away and back, and its replicas leave the ISR and must catch up. Partitions without another "
            "in-sync replica are offline meanwhile."
        ),
        **located(row),
        entity=f"broker:{row['broker']}",
        entities={f"broker:{row['broker']}"},
        evidence=row["offsets"],
        remedy=detector.remedy(broker=row["broker"], hosts_differ=len(hosts) > 1),
        references=detector.references,
    )


detector = Detector(
    id="broker-restart-loop",
    title="Broker that starts again and again",
    find=query(LOOPS, if_any=SEVERAL),
    describe=describe,
    headline=clause("{count} again and again", "broker starts", "brokers start"),
    rows_of="entries",
    dialects=("cluster-metadata",),
    needs=frozenset({"offset", "timestamps"}),
    one_cause="each",
)
