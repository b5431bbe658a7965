"""Hard delete incomplete: a version was hard-deleted, but some of its records have no tombstone of their own key.

Innocent: both nodes wrote the same tombstones; records written after the delete.
Page: docs/detectors/hard-delete-incomplete.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._writes import (
    DIALECT,
    REDPANDA_REFERENCES,
    SEQUENCED,
    prepared,
    version_of,
)
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import at_offsets, listed, plural, steps, version_name

# Losers of a race are ignored, before the delete and after it: only records that count can come back.
INCOMPLETE = f"""
    WITH sequenced AS NOT MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, subject, seq, node, "offset", entry_action, counts
        FROM ({SEQUENCED} AND entry_type = 'SCHEMA')
    ),
    deletes AS NOT MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, seq, node, "offset" FROM sequenced WHERE entry_action IN ('delete', 'empty')
    ),
    last AS (SELECT {REPLICA_COLUMNS}, entity_id, max("offset") AS last_delete FROM deletes GROUP BY ALL),
    before_it AS NOT MATERIALIZED (
        SELECT sequenced.* FROM sequenced JOIN last USING ({REPLICA_COLUMNS}, entity_id)
        WHERE counts AND entry_action NOT IN ('delete', 'empty') AND "offset" < last_delete
    ),
    left_behind AS (
        SELECT {REPLICA_COLUMNS}, entity_id, any_value(subject) AS subject,
            list({{'offset': "offset", 'seq': seq, 'node': node, 'action': entry_action}} ORDER BY "offset") AS records
        FROM before_it AS record
        WHERE NOT EXISTS (
            FROM deletes WHERE ({REPLICA_COLUMNS}, entity_id, seq, node)
                = (record.topic, record.partition, record.replica, record.entity_id, record.seq, record.node)
        )
        GROUP BY {REPLICA_COLUMNS}, entity_id
    )
    SELECT left_behind.*, (
            SELECT list(DISTINCT deletes."offset" ORDER BY deletes."offset") FROM deletes
            WHERE ({REPLICA_COLUMNS}, entity_id)
                = (left_behind.topic, left_behind.partition, left_behind.replica, left_behind.entity_id)
        ) AS deletes
    FROM left_behind ORDER BY {REPLICA_COLUMNS}, records[1]['offset']
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per version."""
    return prepared(tables).rows(INCOMPLETE)


def describe(row: Row) -> Finding:
    """The row in words."""
    records, name = list(row["records"]), version_name(row["entity_id"])
    offsets = [record["offset"] for record in records]
    keys = listed(f"(seq {record['seq']}, node {record['node']})" for record in records)
    stays = "soft-deleted" if records[-1]["action"] == "soft-delete" else "alive"
    have = "has" if len(offsets) == 1 else "have"
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{name} was hard-deleted, but its {plural(len(offsets), 'record')} at {at_offsets(offsets)} {have} no tombstone",
        explanation=(
            f"Redpanda's registry deletes a version for good by a null value for each key that wrote it. The deletes at "
            f"{at_offsets(list(row['deletes']))} leave out {keys}. The log cleaner removes a record only by a tombstone of its own "
            f"key: these stay for ever. Once the deletes themselves are compacted away, every start brings the version back, {stays}, "
            "and its id with it."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=offsets[0],
        last_offset=offsets[-1],
        entity=version_of(row),
        evidence=[*offsets, *row["deletes"]],
        remedy=steps(
            [
                f"Delete the version again: DELETE /subjects/{row['subject']}/versions/{row['entity_id'].rpartition('/')[2]}?permanent=true.",
                f"If the registry says that it is not there, produce a null value for each of these keys: those of {at_offsets(offsets)}.",
                words.look_again(row["topic"]),
            ]
        ),
        references=REDPANDA_REFERENCES,
        entities={version_of(row)},
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    comes = "comes" if len(findings) == 1 else "come"
    return f"{plural(len(findings), 'hard-deleted version')} {comes} back: records without tombstone"


detector = Detector(
    id="hard-delete-incomplete",
    title="Hard delete that left records behind",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key", "null-or-empty"}),
    dialects=(DIALECT,),
)
