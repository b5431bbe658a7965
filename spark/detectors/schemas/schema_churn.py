"""Schema churn: one schema is registered and deleted again and again, subjects are used once and deleted, or only descriptions change.

A registry answers a known schema without a new version; so each version of one text needed a deletion before. A description, or a property of
the writer, makes another text of an Avro schema that readers take for the same. Innocent: fields that change; a few
versions; a fixed set of subjects that stay. Page: docs/detectors/schema-churn.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._avro_meaning import meaning
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.detectors.schemas.schema_invalid_default import avro_of
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, plural

VERSIONS, MANY_VERSIONS = 10, 20  # of one text in one subject
SUBJECTS = 100  # with one name but for numbers and ids, nearly all deleted
KEPT_SHARE = 0.1
DESCRIBED, MANY_DESCRIBED = 20, 50  # versions that differ in descriptions only
MAX_TEXTS = 10_000
SAME_TEXT = f"""
    WITH repeated AS (
        SELECT {REPLICA_COLUMNS}, context, subject, count(DISTINCT version) AS versions FROM registry_writes
        WHERE counts AND entry_type = 'SCHEMA' AND entry_action = 'register' AND text IS NOT NULL
        GROUP BY {REPLICA_COLUMNS}, context, subject, text HAVING count(DISTINCT version) >= {VERSIONS}
    ),
    most AS (SELECT {REPLICA_COLUMNS}, context, subject, max(versions) AS versions FROM repeated GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, context, subject, any_value(versions) AS versions, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset, (SELECT count(*) FROM registry_writes) AS total
    FROM registry_writes JOIN most USING ({REPLICA_COLUMNS}, context, subject)
    GROUP BY {REPLICA_COLUMNS}, context, subject ORDER BY {REPLICA_COLUMNS}, context, subject
"""
USED_ONCE = f"""
    WITH subjects AS (
        SELECT {REPLICA_COLUMNS}, subject, max(version) AS version, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
            arg_max(entry_action, "offset") IN ('delete', 'soft-delete', 'delete-subject', 'empty') OR bool_or(entry_type = 'DELETE_SUBJECT') AS is_deleted
        FROM registry_writes WHERE subject IS NOT NULL AND entry_type IN ('SCHEMA', 'DELETE_SUBJECT') GROUP BY {REPLICA_COLUMNS}, subject
    ),
    named AS (
        SELECT *, regexp_replace(regexp_replace(subject, '[0-9a-fA-F]{{8}}(-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}', '#', 'g'), '[0-9]+', '#', 'g') AS pattern
        FROM subjects
    )
    SELECT {REPLICA_COLUMNS}, pattern, count(*) AS subjects, sum(records)::BIGINT AS records, min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        (SELECT count(*) FROM registry_writes) AS total
    FROM named GROUP BY {REPLICA_COLUMNS}, pattern
    HAVING bool_and(contains(pattern, '#')) AND count(*) >= {SUBJECTS} AND count_if(NOT is_deleted) <= {KEPT_SHARE} * count(*) AND max(version) <= 2
    ORDER BY {REPLICA_COLUMNS}, pattern
"""
# Subjects with many texts, and those texts.
MANY_TEXTS = f"""
    SELECT {REPLICA_COLUMNS}, context, subject, count(DISTINCT text) AS versions, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset, (SELECT count(*) FROM registry_writes) AS total
    FROM registry_writes WHERE counts AND entry_type = 'SCHEMA' AND entry_action = 'register' AND text IS NOT NULL
    GROUP BY {REPLICA_COLUMNS}, context, subject HAVING versions >= {DESCRIBED} ORDER BY {REPLICA_COLUMNS}, context, subject
"""
TEXTS = f"""
    SELECT value FROM records SEMI JOIN (
        SELECT {REPLICA_COLUMNS}, "offset" FROM registry_writes WHERE counts AND entry_type = 'SCHEMA' AND entry_action = 'register'
            AND {{replica}} AND context = {{context}} AND subject = {{subject}}
    ) USING ({REPLICA_COLUMNS}, "offset") WHERE value IS NOT NULL ORDER BY "offset" LIMIT {MAX_TEXTS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per subject, or pattern of subjects."""
    prepared(tables)
    yield from tables.rows(SAME_TEXT)
    yield from tables.rows(USED_ONCE)
    yield from described(tables)


def described(tables: ResultTables) -> Iterator[Row]:
    """Subjects of whose Avro versions many differ in descriptions only."""
    for subject in tables.rows(MANY_TEXTS):
        places = {name: quoted(subject[name]) for name in ("context", "subject")}
        values = tables.rows(TEXTS.format(replica=is_of(replica_of(subject)), **places))
        texts = {text for row in values if (text := avro_of(row["value"]))}
        alike = Counter(meant for text in texts if (meant := meaning(text)))
        most = max(alike.values(), default=0)
        if most >= DESCRIBED:
            yield {**subject, "versions": most, "is_described": True}


def describe(row: Row) -> Finding:
    if row.get("is_described"):
        return describe_descriptions(row)
    of_subject = "versions" in row
    share = f"{grouped(row['records'])} of {plural(row['total'], 'record')} of the journal"
    if of_subject:
        subject = marked.entity(row["subject"], "subject")
        title = f"Subject {subject} is registered and deleted again and again: {plural(row['versions'], 'version')} with one schema"
        explanation = (
            f"{plural(row['versions'], 'version')} of {subject} contain the same schema. A registry gives a new version to a known schema only after its "
            f"versions were deleted. So a program registers the schema and deletes it each time, such as a health check or a test. {share} belong to "
            "this subject. Each registration waits for a write, the version number increases, and a registry reads all of it at its start."
        )
    else:
        title = f"{plural(row['subjects'], 'subject')} named like {marked.quote(row['pattern'])} were used once and deleted"
        explanation = (
            f"{plural(row['subjects'], 'subject')} differ only in numbers or IDs (#). Nearly all of them are deleted. So a program creates a subject "
            f"for each run. {share} belong to them. Schema IDs are used up, and a registry reads all of it at its start."
        )
    return Finding(
        detector=detector.id,
        severity="medium" if not of_subject or row["versions"] >= MANY_VERSIONS else "low",
        title=title,
        explanation=explanation,
        **located(row),
        entity=f"subject:{row['subject'] if of_subject else row['pattern']}",
        evidence=[row["first_offset"], row["last_offset"]],
        remedy=detector.remedy("Registered and deleted"),
        references=detector.references,
    )


def describe_descriptions(row: Row) -> Finding:
    """Of versions that differ in descriptions only."""
    subject = marked.entity(row["subject"], "subject")
    return Finding(
        detector=detector.id,
        severity="medium" if row["versions"] >= MANY_DESCRIBED else "low",
        title=f"{plural(row['versions'], 'version')} of {subject} differ only in descriptions: each build registers a new one",
        explanation=(
            f"{plural(row['versions'], 'Avro schema')} of {subject} have the same fields with the same types and defaults. They differ in `doc` or in properties "
            "that no reader uses, such as a time or the number of a build. The registry compares whole texts, so each is a new version with a new ID. "
            f"{grouped(row['records'])} of {plural(row['total'], 'record')} of the journal belong to this subject. Clients keep each schema "
            "in their cache. Java clients stop at 1000 of a subject (Too many schema objects created)."
        ),
        **located(row),
        entity=f"subject:{row['subject']}",
        evidence=[row["first_offset"], row["last_offset"]],
        remedy=detector.remedy("Changed descriptions", subject=row["subject"]),
        references=detector.references,
    )


detector = Detector(
    id="schema-churn",
    title="Schemas registered and deleted again and again",
    find=find,
    describe=describe,
    headline=clause("{count} registered again and again", "subject is", "subjects are"),
    rows_of="entries",
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
    befalls=("at_risk", "service"),
)
