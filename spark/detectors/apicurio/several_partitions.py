"""Several partitions: records of one journal lie in more than one partition, so nothing says which came first.

Innocent: all of them in one partition, whichever it is (Apicurio Registry 3.1.3 and later lets Kafka's partitioner
choose it), but for a schema history of Debezium, which writes to partition 0; a second partition that is empty.
Page: docs/detectors/several-partitions.md

Source: Debezium `KafkaSchemaHistory.storeRecord`, `recoverRecords` (3.x).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from spark.detectors import Detector, clause, located
from spark.detectors.apicurio._journals import SERVICES, V2, V3, of_type
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, grouped, listed, plural

DEBEZIUM = "Debezium"
# Types that several services write; the topic's other entries tell whose they are.
SHARED = ("Bootstrap", "Group")

# Replicas hold copies of the same records: the longest speaks for its partition.
SPREAD = f"""
    WITH services AS ({SERVICES}),
    copies AS (
        SELECT topic, partition, replica, sum(entries) AS entries, min(first_offset) AS first_offset,
            max(last_offset) AS last_offset
        FROM (
            SELECT topic, partition, replica, entry_type, count(*) AS entries, min("offset") AS first_offset,
                max("offset") AS last_offset
            FROM entries GROUP BY ALL
        ) AS here SEMI JOIN services
            ON services.topic = here.topic AND (services.service = {of_type()} OR entry_type IN {SHARED})
        GROUP BY ALL
    )
    SELECT topic, service, partition, max(entries) AS entries, min(first_offset) AS first_offset,
        max(last_offset) AS last_offset
    FROM copies JOIN services USING (topic)
    GROUP BY ALL ORDER BY topic, partition
"""
# Of schema histories, which Debezium writes to partition 0: how many records elsewhere are in partition 0, too, and whose servers only.
HISTORIES = f"""
    WITH strays AS (
        SELECT DISTINCT topic FROM entries WHERE entry_type = 'schema-change' AND partition > 0
            AND decode_error IS NULL AND entry_action <> 'ignored'
    ),
    changes AS (
        SELECT topic, partition, replica, "offset", attributes, attributes ->> '$.source.server' AS server FROM entries SEMI JOIN strays USING (topic)
        WHERE entry_type = 'schema-change' AND decode_error IS NULL AND entry_action <> 'ignored'
    ),
    own AS (SELECT DISTINCT topic, attributes FROM changes WHERE partition = 0),
    copies AS (
        SELECT topic, partition, replica, count(*) AS entries, min("offset") AS first_offset, max("offset") AS last_offset,
            count_if((topic, attributes) IN (SELECT (topic, attributes) FROM own)) AS repeated,
            list_sort(list(DISTINCT server)) AS servers
        FROM changes GROUP BY ALL
    )
    SELECT topic, '{DEBEZIUM}' AS service, partition, max(entries) AS entries, min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        arg_max(repeated, entries) AS repeated, arg_max(servers, entries) AS servers
    FROM copies GROUP BY ALL ORDER BY topic, partition
"""
ELSEWHERE = "topic:elsewhere"  # what a record needs and its partition does not hold may lie in another one
READS = {
    V2: "Apicurio Registry 2.x writes every record to partition 0. Another program wrote the others, or a tool copied the "
    "topic by key.",
    V3: "Apicurio Registry up to 3.1.2 writes to partition 0. Version 3.1.3 or later writes to the partition that Kafka's "
    "partitioner selects for a fixed key. On a topic with three or more partitions, an upgrade moves the journal to another "
    "partition.",
}
READS_HISTORY = (
    "At its start, the connector reads all partitions as one sequence. It skips each record whose offset is not above the highest offset "
    "that it has read, and stops at the end of partition 0. So it skips changes of tables, and which ones differs at each start."
)
OTHERWISE = "The service reads its topic as one sequence and supports one partition only."


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per topic whose journal is spread over partitions, and per history with records outside of partition 0."""
    for topic, rows in groupby(tables.rows(SPREAD), lambda row: row["topic"]):
        partitions = list(rows)
        if len(partitions) > 1:
            yield {
                "topic": topic,
                "replica": "",
                "service": partitions[0]["service"],
                "partitions": partitions,
                **astray(partitions),
            }
    for topic, rows in groupby(tables.rows(HISTORIES), lambda row: row["topic"]):
        partitions = list(rows)
        yield {
            "topic": topic,
            "replica": "",
            "service": DEBEZIUM,
            "partitions": partitions,
            **astray(partitions),
        }


def astray(partitions: list[dict[str, Any]]) -> dict[str, Any]:
    """The partition that should not hold any: not 0, and of several the one with the fewest entries."""
    stray = min(partitions, key=lambda row: (row["partition"] == 0, row["entries"], -row["partition"]))
    return {name: stray[name] for name in ("partition", "first_offset", "last_offset", "entries")}


def describe(row: Row) -> Finding:
    parts = listed(
        f"{plural(part['entries'], 'record')} in partition {marked.number(part['partition'])}"
        for part in row["partitions"]
    )
    if row["service"] == DEBEZIUM:
        return of_history(row, parts)
    total = grouped(len(row["partitions"]))
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{marked.topic(row['topic'], 'The journal')} is spread over {total} partitions: {parts}",
        explanation=(
            f"{READS.get(row['service'], OTHERWISE)} Kafka keeps the order of records within one partition only. A consumer of "
            "several partitions gets their records in an order that differs at each start. If one partition contains the create "
            "of an entity and another its update, the service may reject the update or end with a wrong state. IDs that depend "
            f"on the order change. Partition {marked.number(row['partition'])} starts at {at_offsets([row['first_offset']])}."
        ),
        **located(row),
        entity="partitions",
        evidence=[row["first_offset"]],
        entities={ELSEWHERE},
        remedy=detector.remedy("Other journals", topic=row["topic"]),
        references=detector.references[:1] if row["service"] in (V2, V3) else [],
    )


def of_history(row: Row, parts: str) -> Finding:
    """A schema history, of which one partition outside of partition 0 is enough."""
    strays = [spread for spread in row["partitions"] if spread["partition"]]
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"The Debezium connector can skip changes of tables: schema history {marked.topic(row['topic'])} has {parts}",
        explanation=(
            f"Debezium writes its history to partition 0. {written_by(strays, row['partitions'])} {READS_HISTORY} Partition "
            f"{marked.number(row['partition'])} starts at {at_offsets([row['first_offset']])}."
        ),
        **located(row),
        entity="partitions",
        evidence=[row["first_offset"]],
        entities={ELSEWHERE},
        remedy=detector.remedy("Schema history", topic=row["topic"]),
        references=detector.references[1:],
    )


def written_by(strays: list[dict[str, Any]], partitions: list[dict[str, Any]]) -> str:
    """Who wrote the others, as far as their contents show it."""
    entries, repeated = (sum(stray[name] for stray in strays) for name in ("entries", "repeated"))
    if repeated == entries:
        return (
            "All records of the other partitions are in partition 0, too. So a copy of the topic added them."
        )
    servers = {server for home in partitions if not home["partition"] for server in home["servers"]}
    others = sorted({server for stray in strays for server in stray["servers"]} - servers)
    if servers and others:
        return f"The records of the other partitions name servers that partition 0 does not have ({listed(map(marked.name, others))}). So another program wrote them."
    return (
        "So a copy or another program wrote the other records. A copy without the partition of each record, such as a restore with a "
        "console producer, spreads records without keys. If the times of the records in all partitions alternate, it was such a copy."
    )


detector = Detector(
    id="several-partitions",
    title="Journal in several partitions",
    find=find,
    describe=describe,
    headline=clause(
        "{count} spread over several partitions: the order of records is lost", "journal is", "journals are"
    ),
    rows_of="entries",
    needs=frozenset({"partition"}),
    befalls=("misread", "service"),
)
