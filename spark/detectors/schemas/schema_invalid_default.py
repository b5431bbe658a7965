"""Schema with an invalid default: an Avro field whose default does not match its type, or only a later branch of a union.

Innocent: deleted versions; other types of schemas; names that another subject defines. Page: docs/detectors/schema-invalid-default.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._avro_defaults import NO_FIT, invalid_defaults
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import listed, plural, version_name

NAMED = 3
MAX_SCHEMAS = 50_000
# The last record of each version that is not deleted, if its text has a default at all.
LIVE = f"""
    WITH last AS (
        SELECT {REPLICA_COLUMNS}, entity_id, context, subject, version, max("offset") AS "offset", arg_max(entry_action, "offset") AS action
        FROM registry_writes WHERE counts AND entry_type = 'SCHEMA' GROUP BY {REPLICA_COLUMNS}, entity_id, context, subject, version
        HAVING action = 'register'
    ),
    deletions AS (
        SELECT {REPLICA_COLUMNS}, context, subject, version AS last_version, "offset" AS deleted_at FROM registry_writes
        WHERE counts AND entry_type = 'DELETE_SUBJECT'
    ),
    deleted AS (
        SELECT {REPLICA_COLUMNS}, "offset" FROM last JOIN deletions USING ({REPLICA_COLUMNS}, context, subject)
        WHERE deleted_at > "offset" AND coalesce(version <= last_version, true)
    )
    SELECT {REPLICA_COLUMNS}, entity_id, "offset", value FROM records JOIN last USING ({REPLICA_COLUMNS}, "offset")
    ANTI JOIN deleted USING ({REPLICA_COLUMNS}, "offset") WHERE value IS NOT NULL AND contains(TRY(decode(value)), 'default') ORDER BY {REPLICA_COLUMNS}, "offset" LIMIT {MAX_SCHEMAS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per version with such a field."""
    for row in prepared(tables).rows(LIVE):
        text = avro_of(row["value"])
        if text and (invalid := invalid_defaults(text)):
            yield {**row, "invalid": invalid}


def avro_of(value: bytes) -> str | None:
    """The text of an Avro schema; it is Avro unless the record says otherwise."""
    try:
        members: Any = orjson.loads(value)
    except ValueError:
        return None
    if not isinstance(members, dict) or members.get("schemaType", "AVRO") != "AVRO":
        return None
    text = members.get("schema")
    return text if isinstance(text, str) else None


def describe(row: Row) -> Finding:
    invalid = row["invalid"]
    worst = [field for field in invalid if field.fit == NO_FIT]
    fields = worst or invalid
    first = fields[0]
    version = version_name(row["entity_id"])
    readers = (
        "Avro's Java library from 1.9 on rejects such a schema (Invalid default for field), as do registries and tools that validate defaults."
        if worst
        else "The default matches a later branch of the union only. Avro's Java library rejects this from 1.9 to 1.11 and allows it from 1.12 on (AVRO-3649)."
    )
    return Finding(
        detector=detector.id,
        severity="medium" if worst else "low",
        title=f"Readers with a newer Avro library reject {version}: the default of {marked.name(first.field)} does not match its type"
        if worst
        else f"Avro 1.9 to 1.11 rejects {version}: the default of {marked.name(first.field)} matches only a later branch of its union",
        explanation=(
            f"{listed(sentence(field) for field in fields[:NAMED])}. {plural(len(invalid), 'field has', 'fields have')} such a default in this version. "
            f"{readers} New versions of the subject cannot be registered where the compatibility check parses this one."
        ),
        **located(row, row["offset"]),
        entity=f"schema:{row['entity_id']}",
        evidence=[row["offset"]],
        effects=[Effect("rejected", "schema", row["entity_id"], whom="consumers")] if worst else [],
        remedy=detector.remedy(version=version),
        references=detector.references,
        entities={f"schema:{row['entity_id']}"},
    )


def sentence(field: Any) -> str:
    return f"Field {marked.name(field.field)} has type {marked.quote(field.type)} and default {marked.quote(field.default)}"


detector = Detector(
    id="schema-invalid-default",
    title="Default does not match its type",
    find=find,
    describe=describe,
    headline=clause("newer Avro libraries reject {count}", "schema"),
    rows_of="entries",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    one_cause="topic",
)
