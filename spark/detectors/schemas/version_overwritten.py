"""Version overwritten: one version of a subject was written with two schemas, the first alive when the second came.

Innocent: deleted before it was given again; a write that its registry refuses or that lost its race; the leader's own
rewrite of the first. Page: docs/detectors/version-overwritten.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spark.detectors import Detector, located
from spark.detectors.schemas._writes import DIALECT, distinct, id_of, prepared, version_of
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, listed, plural, version_name

HISTORIES = f"""
    WITH doubled AS (
        SELECT {REPLICA_COLUMNS}, entity_id, any_value(subject) AS subject FROM registry_writes
        WHERE counts AND entry_type = 'SCHEMA' AND entry_action = 'register'
        GROUP BY {REPLICA_COLUMNS}, entity_id HAVING min(text) <> max(text)
    ),
    refused AS (
        SELECT DISTINCT topic, partition, replica, profile AS owner, "offset", true AS is_refused FROM refusals WHERE view = 'log'
    ),
    writes AS (
        SELECT registry_writes.* FROM registry_writes SEMI JOIN doubled USING ({REPLICA_COLUMNS}, entity_id) WHERE counts AND entry_type = 'SCHEMA'
        UNION ALL
        SELECT registry_writes.* FROM registry_writes SEMI JOIN doubled USING ({REPLICA_COLUMNS}, subject) WHERE counts AND entry_type = 'DELETE_SUBJECT'
    )
    SELECT writes.*, coalesce(is_refused, false) AS is_refused FROM writes LEFT JOIN refused USING ({REPLICA_COLUMNS}, owner, "offset")
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per version, with the records that gave it."""
    subjects: dict[object, dict[str, dict[str, Any]]] = {}
    overwritten: dict[object, list[dict[str, Any]]] = {}
    for row in prepared(tables).rows(HISTORIES):
        subject = subjects.setdefault((*replica_of(row), row["subject"]), {})
        for first, second in replaced(row, subject):
            records = overwritten.setdefault((*replica_of(row), row["entity_id"]), [first])
            records.append(second)
    return [{**records[0], "records": records} for records in overwritten.values()]


def replaced(
    row: dict[str, Any], alive: dict[str, dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The live record that this one replaces by another schema; keeps account of what is alive of the subject."""
    if row["entry_type"] == "DELETE_SUBJECT":
        alive.clear()
    elif row["entry_action"] != "register":
        alive.pop(row["entity_id"], None)
    elif not row["is_refused"]:
        before = alive.get(row["entity_id"])
        if before and before["text"] != row["text"] and not row["is_rewrite"]:
            yield before, row
        alive[row["entity_id"]] = row


def describe(row: Row) -> Finding:
    records, name = list(row["records"]), version_name(row["entity_id"])
    offsets = [record["offset"] for record in records]
    ids = distinct(str(record["id"]) for record in records)
    under = (
        f"schema IDs {listed(map(marked.name, ids))}"
        if len(ids) > 1
        else f"both with schema ID {marked.name(ids[0])}"
    )
    hosts = sorted({record["host"] for record in records if record["host"]})
    by = f" These hosts wrote the records: {listed(map(marked.name, hosts))}." if len(hosts) > 1 else ""
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{name} lost its first schema: {at_offsets(offsets)} contain different schemas for it",
        explanation=(
            f"The schema of a version never changes. Offset {marked.offset(offsets[0])} contains a schema for {name}, and offset {marked.offset(offsets[-1])} contains another schema "
            f"for it ({under}), although the first was in use.{by} Two registries wrote at the same time, or another program wrote to the topic. If both "
            "records have the same key, compaction removes the first one, and its schema is lost. Compatibility checks against the first schema then no "
            "longer apply."
        ),
        **located(row, *offsets),
        entity=version_of(row),
        evidence=offsets,
        remedy=detector.remedy(topic=row["topic"], first_offset=offsets[0], subject=row["subject"]),
        references=detector.references,
        effects=[Effect("changed", "version", row["entity_id"])],
        entities={version_of(row), *(id_of(record) for record in records)},
    )


def headline(findings: list[Finding]) -> str:
    if len(findings) == 1:
        subject, _, version = (findings[0].entity or "").removeprefix("schema:").rpartition("/")
        return f"version {marked.name(version)} of {marked.entity(subject, 'subject')} was overwritten with another schema"
    return f"{plural(len(findings), 'version')} were overwritten with another schema"


detector = Detector(
    id="version-overwritten",
    title="Version overwritten with another schema",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
    follows=("registration-rolled-back", "readers-disagree"),
    family="two-writers",
)
