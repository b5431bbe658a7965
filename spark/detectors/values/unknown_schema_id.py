"""Unknown schema id: keys or values name a schema that the registry's journal of the same input no longer has, or never had.

Innocent: soft-deleted versions, which the registry serves by their id; a journal without its start or older than the records; ids of
another registry or context: the topic's other ids must be of this one. Page: docs/detectors/unknown-schema-id.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_entities
from spark.detectors.values._forms import APPLICATIONS, RECORDS_PER_ID
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

MARGIN_MS = (
    3_600_000  # clocks differ: a schema with the highest id may be registered just after the journal was read
)
JOURNAL = "SELECT 1 FROM state WHERE entity_type = 'schema' AND view = 'log' AND is_own LIMIT 1"
HAS_IDS = f"SELECT 1 FROM records WHERE (value_schema_id IS NOT NULL OR key_schema_id IS NOT NULL) AND {APPLICATIONS} LIMIT 1"
# The ids that records name, of keys and values; then those of the registry: held now, held once, by which subjects.
USED = f"""
    SELECT {REPLICA_COLUMNS}, '{{part}}' AS part, {{part}}_schema_id AS id, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset, min(timestamp_ms) AS first_ms, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM records WHERE {{part}}_schema_id IS NOT NULL AND {APPLICATIONS} GROUP BY ALL
"""
UNKNOWN = f"""
    WITH held AS (
        SELECT TRY_CAST(attributes->>'id' AS BIGINT) AS id, bool_or(valid_to_offset IS NULL) AS is_held,
            arg_max({{'topic': topic, 'partition': partition, 'name': entity_id, 'at': origin_offset, 'until': valid_to_offset}}, valid_from_offset) AS last_holder,
            list(DISTINCT regexp_replace(regexp_extract(entity_id, '^(.*)/[^/]+$', 1), '^:[^:]*:', '')) AS subjects
        FROM state WHERE entity_type = 'schema' AND view = 'log' AND is_own GROUP BY ALL HAVING id IS NOT NULL
    ),
    first_texts AS (
        SELECT entity_id AS name, min(origin_offset) AS text_at FROM state WHERE entity_type = 'schema' AND view = 'log' AND is_own GROUP BY ALL
    ),
    journal AS (
        SELECT max(timestamp_ms) AS newest_ms, min("offset") AS first_offset, max(h.id) AS highest_id
        FROM lifelines SEMI JOIN (SELECT DISTINCT topic FROM state WHERE entity_type = 'schema') USING (topic), (SELECT max(id) AS id FROM held) h
    ),
    whole AS (
        SELECT coalesce(bool_or(compacted <> 'no'), false) AS is_compacted, (SELECT count(*) FROM damage) = 0 AS is_undamaged
        FROM cleanings SEMI JOIN (SELECT DISTINCT topic FROM state WHERE entity_type = 'schema') USING (topic)
    ),
    used AS ({USED.format(part="value")} UNION ALL {USED.format(part="key")}),
    topics AS (
        SELECT used.topic, used.part, count(DISTINCT used.id) AS ids, sum(records) AS records,
            count(DISTINCT used.id) FILTER (is_held) AS held_ids,
            coalesce(bool_or(list_contains(subjects, used.topic || '-' || used.part)), false) AS is_named,
            list(subjects) FILTER (is_held) AS held_subjects
        FROM used LEFT JOIN held USING (id) GROUP BY ALL
    )
    SELECT used.*, last_holder, text_at, is_named, held_subjects, newest_ms, used.id < highest_id AS is_below, held.id IS NOT NULL AS was_held
    FROM used JOIN topics USING (topic, part) LEFT JOIN held USING (id) LEFT JOIN first_texts ON last_holder.name = first_texts.name, journal, whole
    WHERE NOT coalesce(is_held, false) AND topics.records >= {RECORDS_PER_ID} * ids AND (is_named OR (held_ids > 0 AND 2 * held_ids >= ids))
        AND (held.id IS NOT NULL OR ((is_named OR used.topic = '{UNKNOWN_TOPIC}') AND is_undamaged AND (journal.first_offset = 0 OR is_compacted)
            AND used.first_ms <= newest_ms - if(used.id < highest_id, 0, {MARGIN_MS})))
    ORDER BY used.topic, used.partition, used.replica, used.part, used.id
"""


def absent(tables: ResultTables) -> str | None:
    """Without the registry's journal, or without ids, there is nothing to compare."""
    if not tables.rows(HAS_IDS):
        return DoesNotApply("no key or value of an application's topic has a schema ID")
    if tables.rows(JOURNAL):
        return None
    return "the input does not contain the schema registry's topic (_schemas)"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition and id."""
    return [row for row in tables.rows(UNKNOWN) if row["was_held"] or row["is_named"] or is_of_one_topic(row)]


def is_of_one_topic(row: Row) -> bool:
    """Whether the ids that are held belong to one topic: an export has no name that would tell it."""
    subjects = set.intersection(*map(set, row["held_subjects"]))
    return any(subject.endswith(f"-{row['part']}") for subject in subjects)


def describe(row: Row) -> Finding:
    """The row in words."""
    schema_id, name = marked.number(row["id"]), words.partition_name(row)
    state = "permanently deleted" if row["was_held"] else "not in the schema registry"
    side = row["part"]
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="proven" if row["is_named"] else "likely",
        title=f"Consumers cannot read {plural(row['records'], 'record')} of {name}: schema ID {schema_id} is {state}",
        explanation=(
            f"{plural(row['records'], side)} of the partition {'has' if row['records'] == 1 else 'have'} schema ID {schema_id}, the first at "
            f"offset {marked.offset(row['first_offset'])} ({moment(row['first_ms'])}). {deletion(row)} The registry answers a request for "
            f'this ID with error 40403 ("Schema not found"). A consumer without the schema in its cache fails at these records. Running '
            "consumers and producers have it in their cache until they restart."
        ),
        **located(row),
        entity=f"schema-id:{side}:{row['id']}",
        entities={f"schema-id:./{row['id']}"},
        evidence=list(row["offsets"]),
        effects=on_entities(
            "unreadable", "schema-id", [f"{row['topic']}/{side}/{row['id']}"], whom="consumers"
        ),
        remedy=remedy(row),
        event=f"schema-id:{row['id']}",
        references=detector.references,
    )


def deletion(row: Row) -> str:
    """What the journal says of the id."""
    holder = row["last_holder"]
    if not row["was_held"]:
        ids = "higher IDs and " if row["is_below"] else ""
        return f"The registry's journal contains no schema with this ID, although it contains {ids}newer records."
    return (
        f"In {marked.partition(holder['topic'], holder['partition'])}, {version(holder['name'])} had this ID until offset "
        f"{marked.offset(holder['until'])} deleted it permanently. No other version has the ID."
    )


def version(name: str) -> str:
    """`orders-value version 1`."""
    subject, _, number = name.rpartition("/")
    return f"{marked.entity(name, 'schema', subject)} version {marked.name(number)}"


def remedy(row: Row) -> str:
    """Bring the schema back under its id."""
    holder = row["last_holder"]
    if not row["was_held"]:
        return detector.remedy("Schema of another registry", schema_id=row["id"])
    subject, _, number = holder["name"].rpartition("/")
    return detector.remedy(
        "Deleted schema",
        of_the_text=row["text_at"],
        journal=(holder["topic"], holder["partition"]),
        subject=subject,
        schema_id=row["id"],
        version=number,
    )


detector = Detector(
    id="unknown-schema-id",
    title="Records need a schema that the registry does not have",
    find=find,
    describe=describe,
    headline=clause("consumers cannot read records of {partitions}: the registry does not have their schema"),
    rows_of="records",
    absent=absent,
    wants="registry",
    one_cause="topic",
)
