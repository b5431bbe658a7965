"""Retention policy: the topic of a schema registry is stored with a cleanup.policy that deletes old records.

Needs the topic's settings, which a backup's metadata and the manifest of a capture carry. Innocent: cleanup.policy=compact;
both retentions -1, with which nothing is deleted. Page: docs/detectors/retention-policy.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, query
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.log.cluster_settings import NEWEST_CAPTURES, POLICIES, PRINTED_SETTINGS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import offset_range

# One row per copy of a partition that is stored so.
DELETING = f"""
    WITH {NEWEST_CAPTURES},
    journals AS (
        SELECT {REPLICA_COLUMNS}, coalesce(any_value(log_start_offset), min("offset")) AS first_offset, max("offset") AS last_offset,
            any_value(log_start_offset) IS NOT NULL AS is_told
        FROM registry_writes LEFT JOIN newest_captures USING ({REPLICA_COLUMNS}) GROUP BY ALL
    )
    SELECT journals.*, policy, policy_said_by AS said_by, retention_ms, retention_bytes
    FROM journals JOIN ({POLICIES}) USING (topic)
    WHERE contains(policy, 'delete') AND NOT coalesce(retention_ms = '-1' AND retention_bytes = '-1', false)
    ORDER BY {REPLICA_COLUMNS}
"""
KNOWN = f"""
    WITH {PRINTED_SETTINGS}
    SELECT 1 FROM (SELECT topic, name FROM properties UNION ALL SELECT topic, name FROM printed_settings)
    WHERE name = 'cleanup.policy' AND topic IN (SELECT topic FROM registry_writes) LIMIT 1
"""


def absent(tables: ResultTables) -> str | None:
    """Why the policy is unknown."""
    if prepared(tables).rows(KNOWN):
        return None
    return (
        "the input does not contain the topic's settings; the metadata file of a Karapace backup (version 3), a capture and the "
        "output of kafka-configs --describe contain them"
    )


def describe(row: Row) -> Finding:
    first, topic = row["first_offset"], row["topic"]
    missing, are = offset_range(0, first - 1).capitalize(), "is" if first == 1 else "are"
    if not first:
        gone = "No offset is missing at the start of the log yet."
    elif row["is_told"]:
        gone = f"{missing} {are} already deleted: the broker's log started at offset {marked.offset(first)} at the time of the capture."
    else:
        gone = f"{missing} {are} not in this input. The broker may have deleted these records already."
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"The schema registry loses the oldest records of {marked.topic(topic)}: cleanup.policy={marked.quote(row['policy'])}",
        explanation=(
            f"The journal of a schema registry must stay complete. Only compaction may remove records. With this policy, the broker deletes "
            f"segments by age or size ({said_by(row)}retention.ms {stated(row['retention_ms'])}, retention.bytes {stated(row['retention_bytes'])}), "
            f"even if no newer record supersedes their records. {gone} A running registry still has the deleted records in memory and loses them "
            "at its next start. A Confluent registry does not start on such a topic."
        ),
        topic=topic,
        partition=row["partition"],
        replica=row["replica"],
        first_offset=0 if first else None,
        last_offset=first - 1 if first else None,
        entity="cleanup.policy",
        evidence=[first] if first else [],
        remedy=detector.remedy(topic=topic),
        references=detector.references,
        entities={"head"} if first else set(),
    )


def said_by(row: Row) -> str:
    """Where the settings are from, if a tool printed them."""
    return f"according to {marked.quote(row['said_by'])}: " if row["said_by"] else ""


def stated(value: str | None) -> str:
    """A setting's value."""
    return marked.quote(value) if value is not None else "unknown (broker default)"


detector = Detector(
    id="retention-policy",
    title="Retention deletes schemas",
    find=query(DELETING, prepare=prepared),
    describe=describe,
    headline=clause("retention deletes the oldest records of {count}", "schema journal"),
    rows_of="entries",
    dialects=(DIALECT,),
    absent=absent,
    wants="settings",
    follows=("deleted-by-retention",),
    befalls=("at_risk", "service"),
)
