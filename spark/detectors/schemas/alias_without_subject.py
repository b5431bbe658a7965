"""Alias without subject: the settings of a subject name another subject as its alias, and that one has no live version.

Confluent's registry follows one alias, not an alias of an alias. Innocent: an alias whose subject has a live version; an empty alias; a
journal whose beginning is not in the input, if it never names the subject. Page: docs/detectors/alias-without-subject.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.schemas._configs import prepared
from spark.detectors.schemas._writes import DIALECT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding

# An alias without a context is in the context of the subject that has it.
DANGLING = f"""
    WITH aliased AS (
        SELECT {REPLICA_COLUMNS}, subject, "offset", alias, CASE WHEN subject LIKE ':.%' AND alias NOT LIKE ':%'
            THEN ':' || split_part(subject, ':', 2) || ':' || alias ELSE regexp_replace(alias, '^:[.]:', '') END AS target
        FROM registry_configs WHERE alias IS NOT NULL AND profile = 'confluent'
    ),
    versions AS (
        SELECT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[^/]*$', '') AS target,
            bool_or(NOT coalesce(json_extract_string(attributes, '$.deleted') = 'true', false)) AS is_live
        FROM live_state WHERE entity_type = 'schema' GROUP BY ALL
    ),
    heads AS (SELECT {REPLICA_COLUMNS}, min("offset") AS first_offset FROM entries GROUP BY {REPLICA_COLUMNS}),
    chained AS (SELECT {REPLICA_COLUMNS}, subject AS target, alias AS next_alias FROM registry_configs WHERE alias IS NOT NULL)
    SELECT {REPLICA_COLUMNS}, subject, "offset", target, is_live IS NOT NULL AS was_deleted, next_alias
    FROM aliased LEFT JOIN versions USING ({REPLICA_COLUMNS}, target) LEFT JOIN chained USING ({REPLICA_COLUMNS}, target) JOIN heads USING ({REPLICA_COLUMNS})
    WHERE NOT coalesce(is_live, false) AND (first_offset = 0 OR is_live IS NOT NULL OR next_alias IS NOT NULL)
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def describe(row: Row) -> Finding:
    subject, target = (marked.entity(row[name], "subject") for name in ("subject", "target"))
    if row["next_alias"]:
        why = f"{target} is itself an alias, for {marked.entity(row['next_alias'], 'subject')}. The registry follows one alias only."
    elif row["was_deleted"]:
        why = f"All versions of {target} are deleted."
    else:
        why = f"{target} was never registered, so the first registration through the alias creates it. Until then requests fail."
    return Finding(
        detector=detector.id,
        severity="medium" if row["next_alias"] or row["was_deleted"] else "low",
        title=f"Clients get no schema for {subject}: it is an alias for {target}, which has no live version",
        explanation=(
            f"The settings at offset {marked.offset(row['offset'])} make {subject} an alias for {target}. The registry replaces the name in each request, "
            f"also in registrations and deletions. {why} Requests for a version fail with error 40401 (Subject not found). No list of subjects shows the alias."
        ),
        **located(row, row["offset"]),
        entity=f"subject:{row['subject']}",
        evidence=[row["offset"]],
        effects=[Effect("unreadable", "subject", row["subject"])],
        remedy=detector.remedy(
            subject=row["subject"],
            target=row["target"],
            last=row["next_alias"] or None,
            the_target_is_an_alias=bool(row["next_alias"]),
        ),
        references=detector.references,
    )


detector = Detector(
    id="alias-without-subject",
    title="Alias for a subject without versions",
    find=query(
        DANGLING, prepare=prepared, if_any="SELECT 1 FROM live_state WHERE entity_type = 'config' LIMIT 1"
    ),
    describe=describe,
    headline=clause("clients get no schema for {count}", "alias", "aliases"),
    rows_of="state",
    needs=frozenset({"key", "exact-bytes"}),
    dialects=(DIALECT,),
    one_cause="topic",
)
