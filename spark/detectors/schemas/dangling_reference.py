"""Dangling reference: a live schema refers to a version that is deleted, or that the journal does not hold.

The registry by whose rules this is judged is the one that the journal belongs to. Innocent: a schema that is deleted
itself. Page: docs/detectors/dangling-reference.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._writes import DIALECT, distinct, prepared, version_of
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import listed, version_name

LATEST = -1  # a reference to the newest live version of a subject
HEAD = "head"  # shared with findings that say that the start of the log is gone
REFERRING = "SELECT 1 FROM registry_writes WHERE entry_type = 'SCHEMA' AND has_references LIMIT 1"
# One row per schema version that refers to something that is not there.
# A schema that its registry drops at replay is missed all the same, unless the journal deletes it later.
# A reference without context means the context of the schema that refers.
DANGLING = f"""
    WITH referring AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id,
            unnest(from_json(json_extract(attributes, '$.references'), '[{{"name": "VARCHAR", "subject": "VARCHAR", "version": "BIGINT"}}]')) AS reference
        FROM entries
        WHERE entry_type = 'SCHEMA' AND entry_action = 'register' AND contains(attributes, '"references":[')
    ),
    replayed AS (
        SELECT {REPLICA_COLUMNS}, profile AS owner, entity_id, origin_offset AS "offset",
            coalesce(json_extract_string(attributes, '$.deleted') = 'true', false) AS is_deleted
        FROM state WHERE view = 'log' AND entity_type = 'schema' AND valid_to_offset IS NULL
    ),
    dropped AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, profile AS owner, "offset" FROM refusals WHERE view = 'log'
    ),
    ends AS (
        SELECT {REPLICA_COLUMNS}, entity_id, any_value(subject) AS subject, any_value(owner) AS owner, max("offset") AS last_offset
        FROM registry_writes WHERE counts AND entry_type = 'SCHEMA' AND ({REPLICA_COLUMNS}, entity_id) IN (SELECT ({REPLICA_COLUMNS}, entity_id) FROM referring)
        GROUP BY ALL
    ),
    deletes AS (
        SELECT {REPLICA_COLUMNS}, subject, max("offset") AS deleted_offset FROM registry_writes
        WHERE entry_type = 'DELETE_SUBJECT' AND counts GROUP BY ALL
    ),
    missed AS (
        SELECT referring.*, owner, replayed."offset" IS NULL AS is_dropped,
            CASE WHEN referring.entity_id LIKE ':.%' AND reference.subject NOT LIKE ':%'
                THEN ':' || split_part(referring.entity_id, ':', 2) || ':' ELSE '' END AS context
        FROM referring JOIN ends USING ({REPLICA_COLUMNS}, entity_id)
        LEFT JOIN replayed USING ({REPLICA_COLUMNS}, owner, entity_id, "offset")
        LEFT JOIN dropped USING ({REPLICA_COLUMNS}, owner, "offset")
        LEFT JOIN deletes USING ({REPLICA_COLUMNS}, subject)
        WHERE (replayed."offset" IS NOT NULL AND NOT replayed.is_deleted)
            OR (dropped."offset" IS NOT NULL AND "offset" = last_offset AND coalesce(deleted_offset, -1) < "offset")
    ),
    targeted AS (
        SELECT *, unnest(list_distinct([context || name, name])) AS target_id
        FROM (SELECT *, reference.subject || '/' || reference.version AS name FROM missed)
    ),
    targets AS (
        SELECT {REPLICA_COLUMNS}, owner, entity_id AS target_id, is_deleted FROM replayed
        UNION ALL
        SELECT {REPLICA_COLUMNS}, owner, subject || '/{LATEST}', bool_and(is_deleted)
        FROM (SELECT *, regexp_replace(entity_id, '/[^/]*$', '') AS subject FROM replayed)
        WHERE subject IN (SELECT regexp_replace(target_id, '/[^/]*$', '') FROM targeted WHERE reference.version = {LATEST})
        GROUP BY ALL
    ),
    known AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, entity_id AS target_id, true AS is_known FROM registry_writes
        WHERE entry_type = 'SCHEMA' AND entity_id IN (SELECT target_id FROM targeted)
    ),
    resolved AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, is_dropped, name, bool_or(NOT is_deleted) AS is_there,
            bool_or(is_deleted) AS is_deleted, bool_or(is_known) AS is_known
        FROM targeted LEFT JOIN targets USING ({REPLICA_COLUMNS}, owner, target_id) LEFT JOIN known USING ({REPLICA_COLUMNS}, target_id)
        GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, "offset", entity_id, is_dropped, list({{'entity_id': name, 'is_deleted': coalesce(is_deleted, false),
        'is_known': coalesce(is_known, false)}} ORDER BY name) AS missing
    FROM resolved WHERE NOT coalesce(is_there, false)
    GROUP BY {REPLICA_COLUMNS}, "offset", entity_id, is_dropped ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def describe(row: Row) -> Finding:
    offset, name = row["offset"], version_name(row["entity_id"])
    missing = list(row["missing"])
    targets = distinct(reference["entity_id"] for reference in missing)
    parts = listed(version_name(target) for target in targets)
    is_soft = all(reference["is_deleted"] for reference in missing)
    which = (
        f"which {'is' if len(targets) == 1 else 'are'} soft-deleted"
        if is_soft
        else f"which {'does' if len(targets) == 1 else 'do'} not exist"
    )
    does = (
        "The registry rejects the record when it reads the journal. The version does not exist, and another schema may get its ID."
        if row["is_dropped"]
        else "Clients that fetch the schema cannot parse it. The registry cannot check or register schemas against it."
    )
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{name} (offset {marked.offset(offset)}) is unusable: it refers to {parts}, {which}",
        explanation=(
            f"The schema refers to schemas in other subjects, including {parts}. At the end of the log, {'it does' if len(targets) == 1 else 'they do'} "
            f"not exist: deleted, or lost with the start of the log. {does}"
        ),
        **located(row, offset),
        entity=version_of(row),
        evidence=[offset],
        remedy=detector.remedy(topic=row["topic"], missing_schemas=parts, schema=name),
        references=detector.references,
        effects=[Effect("rejected" if row["is_dropped"] else "unreadable", "version", row["entity_id"])],
        entities={version_of(row), *(f"schema:{target}" for target in targets), *lay_at_the_head(missing)},
    )


def lay_at_the_head(missing: list[Row]) -> set[str]:
    """What lay at the start of the log is one entity; a part without any record may have been there."""
    return {HEAD} if any(not reference["is_known"] for reference in missing) else set()


detector = Detector(
    id="dangling-reference",
    title="Reference to a missing schema",
    find=lambda tables: tables.rows(DANGLING) if prepared(tables).rows(REFERRING) else [],
    describe=describe,
    headline=clause(
        "{count} references are missing", "schema is unusable: its", "schemas are unusable: their"
    ),
    rows_of=("state", "refusals"),
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
    follows=("deleted-by-retention", "missing-head", "retention-policy"),
)
