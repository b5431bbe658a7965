"""Write race: records of Redpanda's registry that lost the race for their offset, as they should when nodes write at once.

Never an anomaly; a high rate means that many nodes write at once. Page: docs/detectors/write-race.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._races import LOSERS, never_applied
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.detectors.schemas.readers_disagree import TITLES
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, listed, plural

MAX_EVIDENCE = 50
UNNAMED = "unnamed"
RACES = f"""
    WITH writes AS (
        SELECT {REPLICA_COLUMNS}, count(*) AS writes FROM registry_writes
        WHERE seq IS NOT NULL AND entry_action NOT IN ('delete', 'empty') GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS losers, any_value(writes) AS writes, min("offset") AS first_offset,
        max("offset") AS last_offset, list("offset" ORDER BY "offset")[:%d] AS offsets,
        list(DISTINCT coalesce(node, '{UNNAMED}') ORDER BY coalesce(node, '{UNNAMED}')) AS nodes
    FROM ({LOSERS}) JOIN writes USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""

# What the registries that do not check seq would have at the end of the log, by their own replay, where Redpanda's has another thing.
# Karapace gives an ID to the last schema that a record names with it; of Confluent's the versions tell as much.
OTHER_READERS = f"""
    WITH refused AS (SELECT DISTINCT {REPLICA_COLUMNS}, "offset" FROM refusals WHERE view = 'log' AND profile = 'karapace'),
    ignored AS (SELECT {REPLICA_COLUMNS}, context, id FROM registry_writes WHERE NOT counts),
    named AS (
        SELECT {REPLICA_COLUMNS}, context, id, arg_max(text, "offset") AS karapace, arg_max(text, "offset") FILTER (counts) AS redpanda
        FROM registry_writes SEMI JOIN ignored USING ({REPLICA_COLUMNS}, context, id) ANTI JOIN refused USING ({REPLICA_COLUMNS}, "offset")
        WHERE entry_type = 'SCHEMA' AND entry_action NOT IN ('delete', 'empty') AND id IS NOT NULL GROUP BY ALL
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, profile,
            json_extract_string(attributes, ['$.id', '$.deleted', '$.schemaHash', '$.compatibility']) AS says
        FROM state WHERE view = 'log' AND valid_to_offset IS NULL AND entity_type IN ('schema', 'config')
    ),
    readers AS (SELECT unnest(['confluent', 'karapace']) AS reader),
    differing AS (
        SELECT {REPLICA_COLUMNS}, reader, entity_type, entity_id FROM held JOIN readers ON profile IN ('redpanda', reader)
        GROUP BY ALL HAVING min(says) <> max(says) OR min(profile) = max(profile)
    )
    SELECT {REPLICA_COLUMNS}, reader, count(*) AS entities, NULL AS ids FROM differing GROUP BY ALL
    UNION ALL
    SELECT {REPLICA_COLUMNS}, 'karapace', NULL, list(id ORDER BY id) FROM named WHERE redpanda <> karapace GROUP BY ALL
    ORDER BY ALL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition with such records; those that were never written again have a finding of their own."""
    lost: dict[object, set[int]] = {}
    for row in never_applied(tables):
        lost.setdefault(replica_of(row), set()).update(row["offsets"])
    races = prepared(tables).rows(RACES % (MAX_EVIDENCE + sum(map(len, lost.values()))))
    others: dict[object, list[Row]] = {}
    for row in tables.rows(OTHER_READERS) if races else ():
        others.setdefault(replica_of(row), []).append(row)
    for row in races:
        own = lost.get(replica_of(row), set())
        offsets = [offset for offset in row["offsets"] if offset not in own][:MAX_EVIDENCE]
        if offsets:
            differing = others.get(replica_of(row), [])
            yield {**row, "losers": row["losers"] - len(own), "offsets": offsets, "differing": differing}


def describe(row: Row) -> Finding:
    named = list(row["offsets"])[:OFFSETS_NAMED]
    first = "the first at " if row["losers"] > len(named) else ""
    nodes = list(row["nodes"])
    did, its = ("is", "its") if row["losers"] == 1 else ("are", "their")
    elsewhere = of_other_readers(row["differing"])
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{grouped(row['losers'])} of {plural(row['writes'], 'write')} {did} ignored ({first}{at_offsets(named)}): another record took {its} offset first",
        explanation=(
            "Several nodes of Redpanda's registry can write at the same time. If two expect the same offset, the later record stays in the log with a "
            "seq below its offset, and the registry ignores it. Its node retries, or another node has written the same record. The journal contains "
            f"these later records, so no data is lost. {ignored(nodes, row['losers'])} A high number means that many clients register "
            f"schemas at the same time. Confluent and Karapace registries do not check seq. {elsewhere}"
        ),
        **located(row, row["offsets"][0], row["last_offset"]),
        entity="races",
        evidence=list(row["offsets"]),
        remedy=detector.remedy(),
        references=detector.references,
        reservation=elsewhere,
    )


def ignored(nodes: list[str], losers: int) -> str:
    """Which nodes wrote the ignored records."""
    records = "record is" if losers == 1 else "records are"
    names = listed("a node without a number" if node == UNNAMED else f"node {node}" for node in nodes)
    return f"{'Node' if len(nodes) == 1 else 'Nodes'} whose {records} ignored: {names}."


def of_other_readers(differing: Iterable[Row]) -> str:
    """A sentence for each kind of registry that would read the journal differently; empty where none would."""
    clauses: dict[str, list[str]] = {}
    for row in differing:
        ids = row["ids"] or []
        different = (
            f"differ from Redpanda in {plural(row['entities'], 'version or config', 'versions and configs')}"
            if row["entities"]
            else f"return another schema for ID {ids[0]}"
            if len(ids) == 1
            else f"return other schemas for {plural(len(ids), 'ID')}"
        )
        clauses.setdefault(row["reader"], []).append(different)
    return " ".join(f"A {TITLES[reader]} registry would {listed(does)}." for reader, does in clauses.items())


detector = Detector(
    id="write-race",
    title="Concurrent writes ignored",
    find=find,
    describe=describe,
    headline=clause("{count} with concurrent writes that the registry ignores", "journal"),
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
