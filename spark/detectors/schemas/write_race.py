"""Write race: records of Redpanda's registry that lost the race for their offset, as they should when nodes write at once.

Never an anomaly; a high rate means that many nodes write at once. Page: docs/detectors/write-race.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._races import LOSERS, never_applied
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, listed, plural

MAX_EVIDENCE = 50
RACES = f"""
    WITH writes AS (
        SELECT {REPLICA_COLUMNS}, count(*) AS writes FROM registry_writes
        WHERE seq IS NOT NULL AND entry_action NOT IN ('delete', 'empty') GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS losers, any_value(writes) AS writes, min("offset") AS first_offset,
        max("offset") AS last_offset, list("offset" ORDER BY "offset")[:%d] AS offsets,
        list(DISTINCT coalesce(node, 'unnamed') ORDER BY coalesce(node, 'unnamed')) AS nodes
    FROM ({LOSERS}) JOIN writes USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition with such records; those that were never written again have a finding of their own."""
    lost: dict[object, set[int]] = {}
    for row in never_applied(tables):
        lost.setdefault(replica_of(row), set()).update(row["offsets"])
    for row in prepared(tables).rows(RACES % (MAX_EVIDENCE + sum(map(len, lost.values())))):
        own = lost.get(replica_of(row), set())
        offsets = [offset for offset in row["offsets"] if offset not in own][:MAX_EVIDENCE]
        if offsets:
            yield {**row, "losers": row["losers"] - len(own), "offsets": offsets}


def describe(row: Row) -> Finding:
    named = list(row["offsets"])[:OFFSETS_NAMED]
    first = ", the first" if row["losers"] > len(named) else ""
    nodes = list(row["nodes"])
    did = "is" if row["losers"] == 1 else "are"
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{grouped(row['losers'])} of {plural(row['writes'], 'write')} {did} ignored because another record took the offset first{first} at {at_offsets(named)}",
        explanation=(
            "Several nodes of Redpanda's registry can write at the same time. If two expect the same offset, the later record stays in the log with a "
            "seq below its offset, and the registry ignores it. Its node retries, or another node has written the same record. The journal contains "
            f"these later records, so no data is lost. Nodes whose records are ignored: {listed(nodes)}. A high number means that many clients register "
            "schemas at the same time. A Confluent or Karapace registry does not check seq and would apply these records."
        ),
        **located(row, row["offsets"][0], row["last_offset"]),
        entity="races",
        evidence=list(row["offsets"]),
        remedy=detector.remedy(),
        references=detector.references,
    )


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
