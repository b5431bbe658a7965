"""Schema id collision: one id names two schemas in one context.

It says the cause, or which evidence would decide (`_collision_causes`). Innocent: the same text under one id; a holder that was
hard-deleted before the id was given again; a write that lost its race and does not count. Page: docs/detectors/schema-id-collision.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from spark.detectors import Detector, located
from spark.detectors.schemas import _collision_causes as causes
from spark.detectors.schemas._writes import DIALECT, distinct, prepared, version_of
from spark.dialects.schema_registry.owner import CONFLUENT, KARAPACE, REDPANDA
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, listed, plural, some, timed, version_name

SAME = "The findings on the first IDs say what the journal shows of the cause."
KEEPS = {  # by the registry that left marks in the journal
    CONFLUENT: "Confluent keeps the first schema of an ID and rolls back the later one.",
    REDPANDA: "Redpanda uses the last schema of an ID.",
    KARAPACE: "Karapace uses the last schema of an ID.",
}
OF_ANY = "Confluent keeps the first schema of an ID and rolls back the later one. Redpanda and Karapace use the last one."
# All records of the versions that hold an id under two texts: where the version went on to another id, it let go of it.
SUSPECTS = f"""
    WITH doubled AS (
        SELECT {REPLICA_COLUMNS}, context, id FROM registry_writes
        WHERE counts AND entry_type = 'SCHEMA' AND id IS NOT NULL GROUP BY ALL HAVING min(text) <> max(text)
    ),
    holders AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, context, id AS doubled_id, entity_id
        FROM registry_writes JOIN doubled USING ({REPLICA_COLUMNS}, context, id) WHERE counts AND entry_type = 'SCHEMA'
    ),
    services AS (
        SELECT {REPLICA_COLUMNS}, any_value(owner) AS service FROM registry_writes WHERE writer = owner GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, context, doubled_id, entity_id, "offset", entry_action, id, text, host, subject, is_rewrite, service, timestamp_ms
    FROM registry_writes JOIN holders USING ({REPLICA_COLUMNS}, context, entity_id) LEFT JOIN services USING ({REPLICA_COLUMNS})
        LEFT JOIN (SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM lifelines) USING ({REPLICA_COLUMNS}, "offset")
    WHERE counts AND entry_type = 'SCHEMA' ORDER BY {REPLICA_COLUMNS}, context, doubled_id, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per id and context, with the records that gave it to different schemas."""
    rows = prepared(tables).rows(SUSPECTS)
    looked_at = 0
    for _, group in groupby(rows, lambda row: (*replica_of(row), row["context"], row["doubled_id"])):
        records = list(collided(list(group)))
        if records:
            looked_at += 1
            yield {
                **records[0],
                "since_ms": records[1]["timestamp_ms"],
                "cause": causes.cause_of(tables, *records[:2]) if looked_at <= causes.LOOKED_AT else None,
                "records": sorted(
                    {row["offset"]: row for row in records}.values(), key=lambda r: r["offset"]
                ),
            }


def collided(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Records of one id that met a holder with another text, and those holders' records."""
    holders: dict[str, dict[str, Any]] = {}
    for row in rows:
        before = holders.pop(row["entity_id"], None)
        if row["entry_action"] in ("delete", "empty") or row["id"] != row["doubled_id"]:
            continue
        others = [
            holder for holder in (*holders.values(), before) if holder and holder["text"] != row["text"]
        ]
        if others and not row["is_rewrite"]:
            yield from (others[0], row)
        holders[row["entity_id"]] = row


def describe(row: Row) -> Finding:
    records, cause = list(row["records"]), row["cause"]
    offsets = [record["offset"] for record in records]
    versions = distinct(version_name(record["entity_id"]) for record in records)
    inside = "" if row["context"] == "." else f" in context {marked.name(row['context'])}"
    hosts = distinct(record["host"] for record in records if record["host"])
    holders = some(versions, 4) if len(versions) > 1 else f"several texts of {versions[0]}"
    by = f" These hosts wrote the records: {listed(map(marked.name, hosts))}." if len(hosts) > 1 else ""
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"Consumers can read messages with the wrong schema: schema ID {marked.name(row['doubled_id'])}{inside} was given to {holders} ({at_offsets(offsets)})",
        explanation=(
            f"{cause.sentences if cause else SAME}{by} A message contains only the schema ID. {misread_words(row, versions, inside)} "
            f"{KEEPS.get(row['service'], OF_ANY)}"
        ),
        **located(row, *offsets),
        entity=f"schema-id:{row['context']}/{row['doubled_id']}",
        evidence=[*offsets, *(cause.offsets if cause else ())],
        remedy=remedy(row),
        references=detector.references,
        effects=[Effect("misread", "schema-id", str(row["doubled_id"]))],
        since_ms=row["since_ms"],
        entities={
            f"schema-id:{row['context']}/{row['doubled_id']}",
            *(version_of(record) for record in records),
        },
    )


def misread_words(row: Row, versions: Sequence[str], inside: str) -> str:
    """Which messages are read with which schema."""
    number = marked.name(row["doubled_id"])
    if len(versions) == 1:
        return f"Consumers can read a message of {versions[0]} with another schema: it had several texts with ID {number}{inside}."
    if len(versions) == 2:
        winner, loser = versions if row["service"] in (None, CONFLUENT) else reversed(versions)
        return f"Consumers can read a message of {loser} with the schema of {winner}: both have ID {number}{inside}."
    return f"Consumers can read a message of one of these schemas with another one: {some(versions, 4)} have ID {number}{inside}."


def losers(row: Row, live: Sequence[str]) -> str:
    """The live schemas that no longer have the id, each with the record that contains it, where the service is known, else all but one of them."""
    records = list(row["records"])
    if row["service"] is None:
        return f"all but one of {some(live, 4)}" if len(live) > 1 else some(live, 4)
    winner = records[0 if row["service"] == CONFLUENT else -1]
    lost = {
        (record["entity_id"], record["text"]): record
        for record in records
        if record["text"] != winner["text"] and version_name(record["entity_id"]) in live
    }
    return some(
        [
            f"{version_name(name)} (text at {at_offsets([record['offset']])})"
            for (name, _), record in lost.items()
        ],
        4,
    )


def remedy(row: Row) -> str:
    """Each live schema gets an ID of its own. What was deleted must not be registered, or it exists again."""
    records = list(row["records"])
    newest = {record["entity_id"]: record["entry_action"] for record in records}
    deleted = [version_name(name) for name, action in newest.items() if action == "soft-delete"]
    live = [version_name(name) for name, action in newest.items() if action != "soft-delete"]
    kind = row["cause"].kind if row["cause"] else causes.UNKNOWN
    return detector.remedy(
        topic=row["topic"],
        an_import_gave_it=kind in (causes.IMPORT, causes.GIVEN),
        a_restore_or_a_copy_added_it=kind in (causes.COPY, causes.RESTORE),
        deleted_versions=some(deleted, 4) if deleted else "",
        losing_schemas=losers(row, live),
        schema_id=row["doubled_id"],
        first_offset=records[0]["offset"],
    )


def headline(findings: list[Finding]) -> str:
    """How many IDs, and since when: the record that gave one to a second schema."""
    times = [finding.since_ms for finding in findings if finding.since_ms is not None]
    if len(findings) == 1:
        name = marked.name((findings[0].entity or "").rpartition("/")[2])
        ids = f"schema ID {name} was given to a second schema{timed('at', findings[0].since_ms)}"
    else:
        at = timed("at", min(times, default=None))
        ids = f"{plural(len(findings), 'schema ID')} were given to a second schema{at and f', the first{at}'}"
    return f"consumers can read messages with the wrong schema: {ids}"


detector = Detector(
    id="schema-id-collision",
    title="Duplicate schema ID",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
    follows=("dangling-reference", "schema-id-restart", "readers-disagree"),
    family="two-writers",
)
