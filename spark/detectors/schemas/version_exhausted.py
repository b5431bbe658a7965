"""Version exhausted: a schema is stored with the largest version or id, so that the registry has no next one.

Innocent: it was deleted since. Page: docs/detectors/version-exhausted.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located
from spark.detectors._effects import on_entities
from spark.detectors._words import partition_name
from spark.detectors.schemas._writes import prepared
from spark.dialects.schema_registry.confluent import DEFAULT_CONTEXT, context_of
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding

MAX_INTEGER = 2_147_483_647  # 2^31 - 1: versions and ids are 32-bit integers

NAMED = f"SELECT 1 FROM registry_writes WHERE entry_type = 'SCHEMA' AND (id = {MAX_INTEGER} OR version = {MAX_INTEGER}) LIMIT 1"
# One row per schema that is not deleted.
EXHAUSTED = f"""
    WITH newest AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action, attributes->>'subject' AS subject,
            TRY_CAST(attributes->>'version' AS BIGINT) AS version, TRY_CAST(attributes->>'id' AS BIGINT) AS id,
            coalesce(TRY_CAST(attributes->>'deleted' AS BOOLEAN), false) AS is_deleted
        FROM entries WHERE entry_type = 'SCHEMA' AND decode_error IS NULL
        QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset" DESC) = 1
    )
    SELECT *, id = {MAX_INTEGER} AS is_id FROM newest
    WHERE entry_action <> 'delete' AND (id = {MAX_INTEGER} OR (version = {MAX_INTEGER} AND NOT is_deleted)) ORDER BY ALL
"""


def describe(row: Row) -> Finding:
    subject, version = marked.entity(row["subject"], "subject"), marked.number(row["version"])
    kind = "ID" if row["is_id"] else "version"
    context = context_of(row["subject"] or "")
    registry = "The registry" if context == DEFAULT_CONTEXT else f"Context {marked.name(context)}"
    stops = (
        f"{registry} cannot register new schemas"
        if row["is_id"]
        else f"Subject {subject} cannot get a new version"
    )
    return Finding(
        detector=detector.id,
        severity="high" if row["is_id"] else "medium",
        effects=on_entities("stuck", "subject", [row["subject"]]),
        title=f"{stops}: offset {marked.offset(row['offset'])} of {partition_name(row)} stores the largest {kind} ({MAX_INTEGER})",
        explanation=(
            f"The record stores subject {subject} version {version} with ID {marked.number(row['id'])}. Versions and IDs of schemas are 32-bit integers, "
            f"and a registry gives the largest one plus 1 to the next schema. {MAX_INTEGER} plus 1 is no such integer. Registries reject the next "
            f"{'schema' if row['is_id'] else 'version of the subject'}, or store a negative number and get into a bad state. A client chose the number "
            "itself: only mode IMPORT, or a registry that takes versions and IDs of requests, lets it."
        ),
        **located(row, row["offset"]),
        entity=f"{row['entity_id']}:{kind}",
        entities={f"subject:{row['subject']}"},
        evidence=[row["offset"]],
        remedy=detector.remedy(
            topic=row["topic"],
            the_id_is_the_largest=row["is_id"],
            subject=row["subject"],
            version=row["version"],
        ),
        references=detector.references,
    )


detector = Detector(
    id="version-exhausted",
    title="Largest version or ID of a schema",
    find=lambda tables: tables.rows(EXHAUSTED) if prepared(tables).rows(NAMED) else [],
    describe=describe,
    headline=clause(
        "{count} the largest version or ID: no next one is possible", "schema has", "schemas have"
    ),
    rows_of="entries",
    scope="partition",
    dialects=("schema-registry",),
    one_cause="each",
)
