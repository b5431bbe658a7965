"""Readers disagree: registries of several kinds use one journal and make different things of its records.

Innocent: a journal that registries of one kind write and read; deletes of no bytes, which have a finding of their own.
Page: docs/detectors/readers-disagree.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.detectors.schemas.copied_journal import JOURNAL
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, offset_range, plural, some

MAX_EVIDENCE = 50
MAX_ENTITIES = 1000
NAMED = 5
TITLES = {"confluent": "Confluent", "redpanda": "Redpanda", "karapace": "Karapace"}
# Marks that only one kind of registry leaves tell who used the journal.
USERS = f"""
    WITH marks AS (SELECT DISTINCT {REPLICA_COLUMNS}, writer AS profile FROM registry_writes WHERE writer IS NOT NULL)
    SELECT * FROM marks WHERE ({REPLICA_COLUMNS}) IN (SELECT ({REPLICA_COLUMNS}) FROM marks GROUP BY ALL HAVING count(*) > 1)
    ORDER BY ALL
"""
DIFFERENCES = f"""
    WITH users AS ({USERS}),
    emptied AS (SELECT DISTINCT {REPLICA_COLUMNS}, subject FROM registry_writes WHERE entry_action = 'empty'),
    counted AS (SELECT {REPLICA_COLUMNS}, count(*) AS readers, list(profile ORDER BY profile) AS profiles FROM users GROUP BY ALL),
    refused AS (
        SELECT {REPLICA_COLUMNS}, "offset", list(DISTINCT profile) AS readers_refusing
        FROM refusals JOIN users USING ({REPLICA_COLUMNS}, profile) WHERE view = 'log' GROUP BY {REPLICA_COLUMNS}, "offset"
    ),
    refused_by_some AS (
        SELECT {REPLICA_COLUMNS}, registry_writes."offset", entry_type, entity_id, coalesce(subject, '') AS subject
        FROM refused JOIN counted USING ({REPLICA_COLUMNS}) JOIN registry_writes USING ({REPLICA_COLUMNS}, "offset")
        WHERE len(readers_refusing) < readers AND entry_type IN ('SCHEMA', 'CONFIG') AND entry_action <> 'empty'
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, profile, origin_offset,
            json_extract_string(attributes, ['$.id', '$.deleted', '$.schemaHash', '$.compatibility']) AS says
        FROM state JOIN users USING ({REPLICA_COLUMNS}, profile)
        WHERE view = 'log' AND valid_to_offset IS NULL AND entity_type IN ('schema', 'config')
    ),
    held_otherwise AS (
        SELECT {REPLICA_COLUMNS}, max(origin_offset) AS "offset", upper(entity_type) AS entry_type, entity_id,
            CASE entity_type WHEN 'schema' THEN regexp_replace(entity_id, '/[^/]*$', '') ELSE entity_id END AS subject
        FROM held JOIN counted USING ({REPLICA_COLUMNS})
        GROUP BY {REPLICA_COLUMNS}, entity_type, entity_id
        HAVING count(DISTINCT says) > 1 OR count(DISTINCT profile) < any_value(readers)
    ),
    differing AS (
        SELECT *, true AS is_refused FROM refused_by_some UNION ALL SELECT *, false FROM held_otherwise
    )
    SELECT {REPLICA_COLUMNS}, any_value(profiles) AS profiles, min("offset") AS first_offset, max("offset") AS last_offset,
        list_sort(list(DISTINCT "offset"))[:{MAX_EVIDENCE}] AS offsets,
        count(DISTINCT "offset") FILTER (is_refused) AS refused,
        count(DISTINCT (entry_type, entity_id)) FILTER (NOT is_refused) AS held,
        list_sort(list(DISTINCT entity_id) FILTER (NOT is_refused))[:{NAMED + 1}] AS named,
        list_sort(list(DISTINCT entity_id))[:{MAX_ENTITIES}] AS entity_ids
    FROM differing ANTI JOIN emptied USING ({REPLICA_COLUMNS}, subject) JOIN counted USING ({REPLICA_COLUMNS})
    GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition."""
    if not prepared(tables).rows(USERS):
        return []
    return tables.rows(DIFFERENCES)


def describe(row: Row) -> Finding:
    kinds = listed(TITLES.get(profile, profile) for profile in row["profiles"])
    state = " At the end of the log they have the same versions and configs."
    if row["held"]:
        names = some([marked.entity(name) if name else "the global config" for name in row["named"]], NAMED)
        state = f" At the end of the log {plural(row['held'], 'version or config', 'versions and configs')} differ: {names}."
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"{kinds} registries read {marked.partition(row['topic'], row['partition'])} differently: {what(row)} ({offset_range(row['first_offset'], row['last_offset'])})",
        explanation=(
            f"The journal contains records of {kinds} registries, and each of them applies different rules. Redpanda ignores a record whose "
            "seq differs from its offset, the others apply it. Confluent keeps the first schema of an ID, the others the last. Confluent cannot "
            f"read a delete with an empty value.{state} One registry can return an ID or a schema that another does not know. The next "
            "registrations can get different IDs."
        ),
        **located(row),
        entity=JOURNAL,
        evidence=list(row["offsets"]),
        remedy=detector.remedy(registries_differ=row["held"], topic=row["topic"]),
        references=detector.references,
        entities={JOURNAL, *(f"schema:{entity_id}" for entity_id in row["entity_ids"])},
    )


def what(row: Row) -> str:
    """What differs, as a clause."""
    if row["refused"]:
        return f"one of them applies {plural(row['refused'], 'record')} that another rejects"
    return f"{plural(row['held'], 'version or config', 'versions and configs')} differ at the end"


def headline(findings: list[Finding]) -> str:
    if len(findings) == 1:
        return findings[0].marked["title"].partition(":")[0]
    return f"registries of different kinds read {plural(len(findings), 'journal')} differently"


detector = Detector(
    id="readers-disagree",
    title="Registries read the journal differently",
    find=find,
    describe=describe,
    headline=headline,
    rows_of=("state", "refusals"),
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
    follows=("copied-journal",),
    befalls=("misread", "service"),
)
