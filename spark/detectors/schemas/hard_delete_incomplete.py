"""Hard delete incomplete: a version was hard-deleted, but some of its records have no tombstone of their own key.

Innocent: both nodes wrote the same tombstones; records written after the delete.
Page: docs/detectors/hard-delete-incomplete.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.schemas._writes import (
    DIALECT,
    SEQUENCED,
    prepared,
    same_key,
    version_of,
)
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, listed, plural, version_name

# One row per version.
# Losers of a race are ignored, before the delete and after it: only records that count can come back.
INCOMPLETE = f"""
    WITH sequenced AS NOT MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, subject, seq, node, "offset", entry_action, counts
        FROM ({SEQUENCED} AND entry_type = 'SCHEMA')
    ),
    deletes AS NOT MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, seq, node, "offset" FROM sequenced WHERE entry_action IN ('delete', 'empty')
    ),
    kept AS MATERIALIZED (
        SELECT sequenced.* FROM sequenced ANTI JOIN deletes ON {same_key("sequenced", "deletes")}
        WHERE counts AND entry_action NOT IN ('delete', 'empty')
    ),
    deleted AS (
        SELECT {REPLICA_COLUMNS}, entity_id, max("offset") AS last_delete, list(DISTINCT "offset" ORDER BY "offset") AS deletes
        FROM deletes SEMI JOIN kept USING ({REPLICA_COLUMNS}, entity_id) GROUP BY {REPLICA_COLUMNS}, entity_id
    )
    SELECT {REPLICA_COLUMNS}, entity_id, any_value(subject) AS subject,
        list({{'offset': "offset", 'seq': seq, 'node': node, 'action': entry_action}} ORDER BY "offset") AS records, any_value(deletes) AS deletes
    FROM kept JOIN deleted USING ({REPLICA_COLUMNS}, entity_id) WHERE "offset" < last_delete
    GROUP BY {REPLICA_COLUMNS}, entity_id ORDER BY {REPLICA_COLUMNS}, records[1]['offset']
"""


def describe(row: Row) -> Finding:
    records, name = list(row["records"]), version_name(row["entity_id"])
    offsets = [record["offset"] for record in records]
    keys = listed(
        f"(seq {marked.number(record['seq'])}, node {marked.number(record['node'])})" for record in records
    )
    state = "soft-deleted" if records[-1]["action"] == "soft-delete" else "not deleted"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("revived", "version", [version_of(row).partition(":")[2]], "next_compaction"),
        title=f"{name} reappears after compaction: its permanent delete left {plural(len(offsets), 'record')} without a tombstone ({at_offsets(offsets)})",
        explanation=(
            f"Redpanda's registry permanently deletes a version with a tombstone for each key that wrote it. The deletes at "
            f"{at_offsets(list(row['deletes']))} leave out {keys}. Compaction removes a record only if a later record has the same key, "
            f"so it never removes these records. After compaction has removed the deletes, the version and its ID reappear at every "
            f"start (state: {state})."
        ),
        **located(row, *offsets),
        entity=version_of(row),
        evidence=[*offsets, *row["deletes"]],
        remedy=detector.remedy(
            subject=row["subject"],
            version=row["entity_id"].rpartition("/")[2],
            offsets_of_its_records=at_offsets(offsets),
            topic=row["topic"],
        ),
        references=detector.references,
        entities={version_of(row)},
    )


detector = Detector(
    id="hard-delete-incomplete",
    title="Incomplete permanent delete",
    find=query(INCOMPLETE, prepare=prepared),
    describe=describe,
    headline=clause(
        "{count} after compaction: records without a tombstone",
        "permanently deleted version reappears",
        "permanently deleted versions reappear",
    ),
    rows_of="entries",
    needs=frozenset({"offset", "key", "null-or-empty"}),
    dialects=(DIALECT,),
)
