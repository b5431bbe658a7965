"""Several partitions: records of one journal lie in more than one partition, so nothing says which came first.

Innocent: all of them in one partition, whichever it is (Apicurio Registry 3.1.3 and later lets Kafka's partitioner
choose it); a second partition that is empty. Page: docs/detectors/several-partitions.md
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from spark.detectors import Detector
from spark.detectors.apicurio._journals import SERVICES, V2, V3, of_type
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import at_offsets, grouped, listed, plural, steps

SHARED = (
    "Bootstrap",
    "Group",
)  # types that several services write; the topic's other entries tell whose they are

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
ELSEWHERE = "topic:elsewhere"  # what a record needs and its partition does not hold may lie in another one
READS = {
    V2: "Apicurio Registry 2.x writes every record to partition 0; somebody else wrote the others, or a tool copied "
    "the topic by key.",
    V3: "Apicurio Registry up to 3.1.2 writes to partition 0, from 3.1.3 on to the one that Kafka's partitioner picks for "
    "a fixed key: on a topic with three or more partitions an upgrade moves the journal to another one.",
}
OTHERWISE = "The service reads its topic as one sequence and is made for one partition."


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per topic whose journal is spread over partitions."""
    for topic, rows in groupby(tables.rows(SPREAD), lambda row: row["topic"]):
        held = list(rows)
        if len(held) > 1:
            yield {"topic": topic, "service": held[0]["service"], "partitions": held, **astray(held)}


def astray(held: list[dict[str, Any]]) -> dict[str, Any]:
    """The partition that should not hold any: not 0, and of several the one with the fewest entries."""
    found = min(held, key=lambda row: (row["partition"] == 0, row["entries"], -row["partition"]))
    return {name: found[name] for name in ("partition", "first_offset", "last_offset", "entries")}


def describe(row: Row) -> Finding:
    """The row in words."""
    parts = listed(
        f"{plural(part['entries'], 'record')} in partition {part['partition']}" for part in row["partitions"]
    )
    total = grouped(len(row["partitions"]))
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"The journal {row['topic']} is spread over {total} partitions: {parts}",
        explanation=(
            f"{READS.get(row['service'], OTHERWISE)} Kafka keeps the order of records within one partition only. A "
            "reader of several gets them in an order of its own, another one at each start: what is created in one "
            "partition and changed in the other may come out wrong or be dropped, and ids that follow from the order "
            f"move. Partition {row['partition']} begins at {at_offsets([row['first_offset']])}."
        ),
        topic=row["topic"],
        partition=row["partition"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity="partitions",
        evidence=[row["first_offset"]],
        entities={ELSEWHERE},
        remedy=steps(
            [
                "Stop every instance of the service, and export what one that still runs serves before.",
                f"Copy all partitions of {row['topic']}.",
                "Order the records of all partitions by timestamp and write them into a new topic with one partition; "
                "where two have the same time, put what creates before what changes.",
                "Point the service to the new topic and compare what it serves with the export.",
            ]
        ),
        references=["https://github.com/Apicurio/apicurio-registry/issues/9866"]
        if row["service"] in (V2, V3)
        else [],
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"{plural(len(findings), 'journal')} spread over several partitions"


detector = Detector(
    id="several-partitions",
    title="Journal in several partitions",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"partition"}),
)
