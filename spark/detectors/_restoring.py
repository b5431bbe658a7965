"""What a remedy says about records that must be restored: which other replicas the partition has, and who can write the records again.

The replica set is that of a print (kafka-topics --describe) or, without one, that of the controllers' journal. Who writes a topic is known
by its entries; for an empty log by the names that Kafka, Kafka Streams and Kafka Connect give to their topics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from spark.detectors.apicurio._journals import SCHEMAS, V2, V3
from spark.detectors.compaction import _kept_journals as kept
from spark.log.cluster_settings import LAYOUTS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.topic_rules import kafkas_own, written_again
from spark.terms.typed_wording import listed

Find = Callable[[ResultTables], Iterable[Row]]
METADATA, GROUPS = "cluster-metadata", "consumer-offsets"

# One row for each partition whose replicas are told. A partition that the input has several times has several replicas, whatever is told.
REPLICA_SETS = f"""
    WITH controllers AS (
        SELECT {REPLICA_COLUMNS} FROM state
        WHERE entity_type = 'partition' AND view = 'log' AND is_own AND valid_to_offset IS NULL AND attributes->>'replicas' IS NOT NULL
        GROUP BY {REPLICA_COLUMNS} ORDER BY contains(topic, ' snapshot '), max(origin_offset) DESC, {REPLICA_COLUMNS} LIMIT 1
    ),
    by_controllers AS (
        SELECT regexp_extract(entity_id, '^(.*)/[0-9]+$', 1) AS topic, TRY_CAST(regexp_extract(entity_id, '[0-9]+$') AS INT) AS partition,
            TRY_CAST(attributes->'replicas' AS INT[]) AS brokers, '__cluster_metadata' AS layout_title, NULL AS name
        FROM state SEMI JOIN controllers USING ({REPLICA_COLUMNS})
        WHERE entity_type = 'partition' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    ),
    by_prints AS (
        SELECT properties.topic, properties.partition, TRY_CAST('[' || value || ']' AS INT[]) AS brokers, layout_title, files.name
        FROM properties JOIN files USING (file) WHERE properties.name = 'replicas' AND layout IN ({LAYOUTS})
        QUALIFY row_number() OVER (PARTITION BY properties.topic, properties.partition ORDER BY file DESC) = 1
    ),
    several AS (SELECT topic, partition FROM files WHERE kind = 'segment' GROUP BY ALL HAVING count(DISTINCT replica) > 1)
    SELECT * FROM (FROM by_prints UNION ALL FROM by_controllers ANTI JOIN by_prints USING (topic, partition)) told
    ANTI JOIN several USING (topic, partition) WHERE len(brokers) > 0
"""
BROKERS = """
    SELECT replica, max(TRY_CAST(value AS INT)) AS broker FROM properties WHERE name IN ('broker.id', 'node.id') GROUP BY ALL
"""

PRODUCER = "ask the owner of the producer to send them again."
STREAMS = "streams"
AGAIN = {
    SCHEMAS: "register the schemas again with their IDs, in mode IMPORT.",
    V2: "import an export of the registry, or create the artifacts again through its API.",
    V3: "import an export of the registry, or create the artifacts again through its API.",
    kept.CONFIGS: "send the configs of the connectors again through the REST API of Kafka Connect.",
    kept.OFFSETS: "check where each source connector continues. A source connector without an offset starts from the beginning.",
    kept.STATUS: "restart the workers of Kafka Connect. They write the status of their connectors and tasks again.",
    kept.DEBEZIUM: "check whether the tables have changed since the last committed offset. If not, let the Debezium connector write the history again "
    "(snapshot.mode=recovery or schema_only_recovery).",
    kept.KSQLDB: "restore the backup of the ksqlDB command topic, or create the streams, tables and queries again.",
    kept.MIRROR: "let MirrorMaker run. It writes new heartbeats, checkpoints and offset syncs.",
    STREAMS: "the application (Kafka Streams or ksqlDB) must build its state again. Warning: after a reset, it reads its input topics from "
    "the beginning and writes its results again. Reset the application.",
}
NAMES = {
    STREAMS: re.compile(r".+-.+-(changelog|repartition)"),
    kept.CONFIGS: re.compile(r"(.*[-_.])?connect([-_.].*)?[-_.]configs"),
    kept.OFFSETS: re.compile(r"(.*[-_.])?connect([-_.].*)?[-_.]offsets"),
    kept.STATUS: re.compile(r"(.*[-_.])?connect([-_.].*)?[-_.]status"),
    SCHEMAS: re.compile(r"_schemas"),
}
GROUPS_LOST = (
    "they are lost. A group without a commit starts at auto.offset.reset. Check the committed offsets before consumers restart: "
    "`kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --all-groups`. "
)


def with_replicas(find: Find) -> Find:
    """A `find` whose rows also have what the input knows of the partition's replicas and of its writer."""

    def find_with_replicas(tables: ResultTables) -> Iterable[Row]:
        rows = list(find(tables))
        if not rows:
            return rows
        sets = {(row["topic"], row["partition"]): row for row in tables.rows(REPLICA_SETS)}
        brokers = {row["replica"]: row["broker"] for row in tables.rows(BROKERS)}
        journals = {row["topic"]: row["journal"] for row in tables.rows(kept.KEPT)}
        return [
            {
                **row,
                "replica_set": sets.get((row["topic"], row.get("partition"))),
                "broker": brokers.get(row.get("replica")),
                "journal": journals.get(row["topic"]),
            }
            for row in rows
        ]

    return find_with_replicas


def values(row: Row, lost: str = "") -> dict[str, Any]:
    """Values of the steps that restore records, and of the one for records that nothing restores."""
    return {**repair(row, lost), "ask_who_wrote_them": again(row)}


def repair(row: Row, lost: str = "") -> dict[str, Any]:
    """Values of the steps that restore records; `lost`: their offsets, without which the whole partition is restored."""
    name = marked.partition(row["topic"], row["partition"])
    is_controllers = kafkas_own(row["topic"]) == METADATA
    return {
        "lost_records": f"{lost} of {name}" if lost else name,
        "the_controllers_write_it": is_controllers,
        "no_other_replica": not is_controllers and bool(row.get("replica_set")) and not others(row),
        "the_source": source(row),
        "the_replicas": replicas(row),
    }


def others(row: Row) -> list[int]:
    """The brokers of the other replicas; of all replicas, if the input does not show which broker this copy is of."""
    brokers = row["replica_set"]["brokers"] if row.get("replica_set") else []
    own = row.get("broker")
    if own is None:
        return brokers if len(brokers) > 1 else []
    return [broker for broker in brokers if broker != own]


def source(row: Row) -> str:
    """Who told the replica set."""
    replica_set = row.get("replica_set")
    if not replica_set:
        return ""
    title, name = replica_set["layout_title"], replica_set["name"]
    return f"{title} ({marked.file(name)})" if name else title


def replicas(row: Row) -> str:
    """The replicas to look at, with their brokers if these are told."""
    brokers = others(row)
    if not brokers:
        return "the replicas of the partition"
    numbers = listed([marked.number(broker) for broker in brokers])
    word = "the replica on broker" if len(brokers) == 1 else "the replicas on brokers"
    return f"{word} {numbers} (according to {source(row)})"


def again(row: Row) -> str:
    """What remains for records that no replica and no backup has."""
    topic = row["topic"]
    if instead := written_again(topic):
        return f"{GROUPS_LOST if kafkas_own(topic) == GROUPS else 'they are lost. '}{instead}"
    by_name = next((journal for journal, names in NAMES.items() if names.fullmatch(topic)), None)
    journal = STREAMS if by_name == STREAMS else row.get("journal") or by_name
    return AGAIN.get(journal or "", PRODUCER)


def is_replaceable(topic: str) -> bool:
    """Whether another topic can take the place of this one: Kafka and Kafka Streams use theirs by name."""
    return not kafkas_own(topic) and not NAMES[STREAMS].fullmatch(topic)
