"""Compacted without keys: the settings have a topic compacted whose records need no keys, or have none.

Schema histories of Debezium and command topics of ksqlDB are never compacted; in other topics the records of the input show it. Needs
the topic's settings. Innocent: cleanup.policy=delete; topics whose records all have keys; what null-key says already.
Page: docs/detectors/compacted-without-keys.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.log.cluster_settings import POLICIES
from spark.sources import LACKS, sources
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural

COMPACTED = f"SELECT topic, policy, policy_said_by AS said_by FROM ({POLICIES}) WHERE contains(policy, 'compact') ORDER BY topic"
# Journals whose records need no keys, by most of their entries.
JOURNALS = """
    SELECT topic, arg_max(entry_type, entries) AS journal FROM (
        SELECT topic, entry_type, count(*) AS entries FROM entries WHERE topic IN ({topics}) AND entry_type IS NOT NULL GROUP BY ALL
    ) GROUP BY topic HAVING journal IN ('schema-change', 'command')
"""
# Files that tell null from empty. Where a cleaner did its work, null-key speaks; of journals it does not.
KEYLESS = f"""
    WITH telling AS (
        SELECT file FROM files WHERE (layout IS NULL OR layout NOT IN ({{layouts}})) AND NOT list_has_any(coalesce(cannot_tell, []), [{{lacks}}])
    ),
    cleaned AS (SELECT {REPLICA_COLUMNS} FROM cleanings WHERE compacted = 'proven')
    SELECT {REPLICA_COLUMNS}, count(*) AS records, count(*) FILTER (is_keyless) AS keyless,
        min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset") FILTER (is_keyless)[:{OFFSETS_NAMED}] AS offsets,
        max("offset") FILTER (is_keyless) AS last_keyless,
        bool_or(({REPLICA_COLUMNS}) IN (SELECT ({REPLICA_COLUMNS}) FROM cleaned)) AS is_cleaned
    FROM (
        SELECT {REPLICA_COLUMNS}, "offset", key_is_null AND file IN (SELECT file FROM telling) AS is_keyless FROM records
        WHERE topic = {{topic}} AND control_type IS NULL
    ) GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""
DEBEZIUM, KSQLDB = "schema-change", "command"


def absent(tables: ResultTables) -> str | None:
    """Only settings tell it."""
    if tables.rows(f"SELECT 1 FROM ({POLICIES}) WHERE policy IS NOT NULL LIMIT 1"):
        return None
    return "the input does not contain the topic's settings (the output of kafka-configs.sh --describe, or __cluster_metadata)"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition that holds such records."""
    compacted = tables.rows(COMPACTED)
    if not compacted:
        return
    named = ", ".join(quoted(row["topic"]) for row in compacted)
    journals = {row["topic"]: row["journal"] for row in tables.rows(JOURNALS.format(topics=named))}
    untold = ", ".join(
        quoted(id) for id, source in sources().items() if {"key", "null-or-empty"} & source.lacks
    )
    lacks = ", ".join(quoted(LACKS[name]) for name in ("key", "null-or-empty"))
    for setting in compacted:
        topic = setting["topic"]
        for row in tables.rows(KEYLESS.format(layouts=untold or "''", lacks=lacks, topic=quoted(topic))):
            journal = journals.get(topic)
            if journal or (row["keyless"] and not row["is_cleaned"]):
                yield {**row, **setting, "journal": journal}


def describe(row: Row) -> Finding:
    journal = row["journal"]
    return Finding(
        detector=detector.id,
        severity="high" if journal is None or journal == KSQLDB else "critical",
        title=title(row),
        explanation=f"{marked.topic(row['topic'])} has cleanup.policy={marked.quote(row['policy'])}{by(row)}. {CONSEQUENCES[journal]} {keyless_records(row)}",
        **located(row, *((row["offsets"][0], row["last_keyless"]) if row["keyless"] else ())),
        entity="cleanup.policy",
        evidence=list(row["offsets"] or ()),
        loses_later=True,
        remedy=detector.remedy(REMEDIES[journal], topic=row["topic"]),
        references=detector.references,
    )


REMEDIES = {DEBEZIUM: "Debezium", KSQLDB: "ksqlDB", None: "Other topics"}
CONSEQUENCES = {
    DEBEZIUM: (
        "The records of a schema history have no keys. Brokers from 2.0 reject new records without a key for a compacted topic, so the "
        "connector stops at the next change of a table. The log cleaner removes the records that the topic has."
    ),
    KSQLDB: (
        "A server executes every command of the topic again, in order. Compaction removes a command when another one with the same key follows, "
        "such as the first CREATE of a stream that was dropped and created again. Later commands then fail at the next start."
    ),
    None: (
        "Brokers from 2.0 reject records without a key for a compacted topic, so producers without keys fail. The log cleaner removes the "
        "records without a key that the topic has."
    ),
}


def title(row: Row) -> str:
    policy = f"cleanup.policy={marked.quote(row['policy'])}"
    if row["journal"] == DEBEZIUM:
        return f"The schema history {marked.topic(row['topic'])} is compacted, but its records have no keys: {policy}"
    if row["journal"] == KSQLDB:
        return f"The command topic {marked.topic(row['topic'])} is compacted: {policy} removes commands that ksqlDB needs"
    return f"{marked.topic(row['topic'])} is compacted, but {plural(row['keyless'], 'record has', 'records have')} no key: {policy}"


def keyless_records(row: Row) -> str:
    if not row["keyless"]:
        return ""
    first = ", the first" if row["keyless"] > len(row["offsets"]) else ""
    return f"Of {plural(row['records'], 'record')}, {plural(row['keyless'], 'record has', 'records have')} no key{first} at {at_offsets(row['offsets'])}."


def by(row: Row) -> str:
    """The print that tells the setting."""
    return f" according to {marked.quote(row['said_by'])}" if row["said_by"] else ""


detector = Detector(
    id="compacted-without-keys",
    title="Topic without keys is compacted",
    find=find,
    describe=describe,
    headline=clause("{partitions} compacted without keys: records are rejected and removed"),
    rows_of="records",
    absent=absent,
    wants="settings",
    one_cause="topic",
    befalls=("at_risk", "service"),
)
