"""Retention policy: the topic of a journal has a cleanup.policy that deletes old records by age or size.

Needs the topic's settings: a print of Kafka's tools, a capture's manifest, a backup's metadata or the controllers' journal. Innocent: cleanup.policy=compact;
no limit (-1, or the greatest number as ksqlDB and Debezium write it); changelogs of windows and joins; a journal of Apicurio Registry
3.x with a snapshot. Page: docs/detectors/retention-policy.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, clause
from spark.detectors.apicurio._journals import SCHEMAS, V3
from spark.detectors.compaction._kept_journals import CHANGELOG, DEBEZIUM, JOURNALS, KEPT, KSQLDB, TEXT_FORMS
from spark.detectors.log._heads import restored
from spark.log.cluster_settings import NEWEST_CAPTURES, POLICIES
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import offset_range

DELETING = f"SELECT topic FROM ({POLICIES}) WHERE has_limit"
# One row per copy of a partition that is stored so.
JOURNALS_DELETED = f"""
    WITH {NEWEST_CAPTURES},
    kept AS ({KEPT}),
    logs AS (
        SELECT {REPLICA_COLUMNS}, min("offset") AS first_offset, max("offset") AS last_offset
        FROM lifelines WHERE topic IN (SELECT topic FROM kept) GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, journal, coalesce(log_start_offset, logs.first_offset) AS first_offset, logs.last_offset,
        log_start_offset IS NOT NULL AS is_told, policy, policy_said_by AS said_by, retention_ms, retention_bytes
    FROM logs JOIN kept USING (topic) JOIN ({POLICIES}) USING (topic)
        LEFT JOIN newest_captures USING ({REPLICA_COLUMNS})
    WHERE has_limit ORDER BY {REPLICA_COLUMNS}
"""
KNOWN = f"SELECT 1 FROM ({POLICIES}) WHERE topic IN (SELECT topic FROM ({KEPT})) LIMIT 1"
OTHER_KEYS = """
    SELECT count(*) FILTER (key_form IS NULL OR key_form NOT IN {forms}) AS others FROM records
    WHERE topic = {topic} AND control_type IS NULL
"""


def absent(tables: ResultTables) -> str | None:
    """Why the policy is unknown."""
    if tables.rows(KNOWN):
        return None
    if not tables.rows(f"{KEPT} LIMIT 1"):
        return DoesNotApply("the input contains no journal that a service reads from its start")
    return (
        "the input does not contain the topic's settings; the output of kafka-configs --describe, a capture, the metadata file of a Karapace "
        "backup (version 3) and __cluster_metadata contain them"
    )


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a journal's partition that retention shortens."""
    rows = tables.rows(JOURNALS_DELETED) if tables.rows(DELETING) else []
    with_snapshots = restored(tables, {row["topic"] for row in rows if row["journal"] == V3})
    return [row for row in rows if replica_of(row) not in with_snapshots and is_whole(row, tables)]


def is_whole(row: Row, tables: ResultTables) -> bool:
    """Whether nothing may be deleted. Windows are compacted and deleted: then a changelog counts whose keys are all text."""
    if row["journal"] != CHANGELOG or "compact" not in (row["policy"] or ""):
        return True
    (keys,) = tables.rows(OTHER_KEYS.format(topic=quoted(row["topic"]), forms=TEXT_FORMS))
    return not keys["others"]


def describe(row: Row) -> Finding:
    first, topic = row["first_offset"], row["topic"]
    journal = JOURNALS[row["journal"]]
    return Finding(
        detector=detector.id,
        severity=journal.severity,
        confidence="likely" if row["policy"] is None or row["journal"] == CHANGELOG else "proven",
        title=f"{journal.owner} loses {journal.loses}: {setting(row)} of {marked.topic(topic)}",
        explanation=f"{deleted(row)} {gone(row)} {journal.needs}",
        topic=topic,
        partition=row["partition"],
        replica=row["replica"],
        first_offset=0 if first else None,
        last_offset=first - 1 if first else None,
        entity="cleanup.policy",
        evidence=[first] if first else [],
        remedy=remedy(row),
        references=detector.references,
        entities={"head"} if first else set(),
    )


def setting(row: Row) -> str:
    """The setting that deletes."""
    if row["policy"] is not None:
        return f"cleanup.policy={marked.quote(row['policy'])}"
    name = "retention.ms" if row["retention_ms"] is not None else "retention.bytes"
    return f"{name}={marked.quote(row['retention_ms'] or row['retention_bytes'])}"


def deleted(row: Row) -> str:
    """What the broker does with these settings, and who tells them."""
    limits = f"{said_by(row)}retention.ms {stated(row['retention_ms'])}, retention.bytes {stated(row['retention_bytes'])}"
    by_default = (
        " The settings do not contain cleanup.policy. So the broker's default applies. Kafka's default is delete."
        if row["policy"] is None
        else ""
    )
    return (
        f"A journal must stay complete.{by_default} With these settings, the broker deletes segments by age or size "
        f"({limits}), even if no newer record supersedes their records."
    )


def gone(row: Row) -> str:
    """What is deleted by now."""
    first = row["first_offset"]
    if not first:
        return "No offset is missing at the start of the log yet."
    missing, are = offset_range(0, first - 1).capitalize(), "is" if first == 1 else "are"
    if row["is_told"]:
        return f"{missing} {are} already deleted: the broker's log started at offset {marked.offset(first)} at the time of the capture."
    return f"{missing} {are} not in this input. The broker may have deleted these records already."


def remedy(row: Row) -> str:
    """Compaction keeps what a journal with keys needs; others keep everything."""
    if row["journal"] == SCHEMAS:
        return detector.remedy("Schema registry", topic=row["topic"])
    if row["journal"] in (DEBEZIUM, KSQLDB):
        is_debezium = row["journal"] == DEBEZIUM
        return detector.remedy(
            "Records without keys",
            topic=row["topic"],
            debezium_wrote_it=is_debezium,
            ksqldb_wrote_it=not is_debezium,
        )
    if row["journal"] == V3:
        return detector.remedy("Apicurio Registry 3.x", topic=row["topic"])
    return detector.remedy("Other journals", topic=row["topic"])


def said_by(row: Row) -> str:
    """Where the settings are from, if a tool printed them."""
    return f"according to {marked.quote(row['said_by'])}: " if row["said_by"] else ""


def stated(value: str | None) -> str:
    """A setting's value."""
    return marked.quote(value) if value is not None else "unknown (broker default)"


detector = Detector(
    id="retention-policy",
    title="Retention deletes a journal",
    find=find,
    describe=describe,
    headline=clause("retention deletes the oldest records of {count}", "journal"),
    rows_of=("entries", "records"),
    absent=absent,
    wants="settings",
    follows=("deleted-by-retention", "missing-head"),
    befalls=("at_risk", "service"),
)
