"""Tombstone of an unwritten key: a hard delete of Redpanda's registry that names a record nobody wrote.

Proof: the offset that the key's seq names holds another record, or comes later than the tombstone. Innocent: the record
was compacted away (its offset, or one behind it where the loser of a race may have stood, is missing).
Page: docs/detectors/tombstone-of-unwritten-key.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_entities
from spark.detectors.schemas._writes import (
    DIALECT,
    RACE_REACH,
    SEQUENCED,
    Gaps,
    prepared,
    same_key,
    version_of,
)
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, version_name

UNWRITTEN = f"""
    WITH sequenced AS NOT MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entity_id, subject, seq, node, "offset", entry_action IN ('delete', 'empty') AS is_delete
        FROM ({SEQUENCED} AND entry_type = 'SCHEMA')
    ),
    written AS NOT MATERIALIZED (FROM sequenced WHERE NOT is_delete),
    unwritten AS (
        SELECT {REPLICA_COLUMNS}, entity_id, subject, seq, node, min("offset") AS "offset"
        FROM sequenced ANTI JOIN written ON {same_key("sequenced", "written")} AND written."offset" < sequenced."offset"
        WHERE is_delete GROUP BY ALL
    )
    SELECT unwritten.*, there.entity_id AS there_id, there.entry_type AS there_type
    FROM unwritten LEFT JOIN registry_writes AS there ON (there.topic, there.partition, there.replica, there."offset")
        = (unwritten.topic, unwritten.partition, unwritten.replica, unwritten.seq)
    ORDER BY unwritten.topic, unwritten.partition, unwritten.replica, unwritten."offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per tombstone."""
    rows = prepared(tables).rows(UNWRITTEN)
    if not rows:
        return []
    gaps = Gaps(tables)
    return [
        row
        for row in rows
        if not gaps.any_in(replica_of(row), row["seq"], min(row["seq"] + RACE_REACH, row["offset"]))
    ]


def describe(row: Row) -> Finding:
    offset, name = row["offset"], version_name(row["entity_id"])
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "version", [row["entity_id"]], "after_tombstones"),
        title=f"{name} may reappear: the delete at offset {marked.offset(offset)} has a key that no record has (seq {marked.number(row['seq'])}, node {marked.number(row['node'])})",
        explanation=(
            f"A permanent delete writes a tombstone for every key that wrote the version, each with the seq and node of that record. "
            f"{there(row)} So this delete removes no record, and a record of the version may still be present. It reappears after compaction has "
            "removed the deletes."
        ),
        **located(row, offset),
        entity=f"tombstone:{row['entity_id']}@{row['seq']}",
        evidence=[row["seq"], offset] if row["seq"] < offset else [offset],
        remedy=detector.remedy(subject=row["subject"], version=name, topic=row["topic"]),
        references=detector.references,
        entities={
            version_of(row),
            *([f"schema:{row['there_id']}"] if row["there_type"] == "SCHEMA" else []),
        },
    )


def there(row: Row) -> str:
    """What is at the offset that the key names."""
    if row["seq"] >= row["offset"]:
        return f"Offset {marked.offset(row['seq'])} did not exist yet."
    if row["there_type"] == "SCHEMA":
        return f"Offset {marked.offset(row['seq'])} contains {version_name(row['there_id'])}."
    if row["there_type"]:
        return f"Offset {marked.offset(row['seq'])} contains a {marked.name(row['there_type'])} record."
    return f"Offset {marked.offset(row['seq'])} contains another record."


def headline(findings: list[Finding]) -> str:
    versions, delete = (
        ("1 deleted version", "its delete has")
        if len(findings) == 1
        else (plural(len(findings), "deleted version"), "their deletes have")
    )
    return f"{versions} may reappear: {delete} a key that no record has"


detector = Detector(
    id="tombstone-of-unwritten-key",
    title="Tombstone for a key that was never written",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key", "null-or-empty"}),
    dialects=(DIALECT,),
    follows=("hard-delete-incomplete", "copied-journal"),
)
