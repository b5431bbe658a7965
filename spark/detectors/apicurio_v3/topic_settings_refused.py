"""Topic settings refused: Apicurio Registry 3.1.3 and later does not start with these settings of its journal or snapshots topic.

It demands cleanup.policy=delete without a limit. Innocent: such settings; settings that the input does not contain; a limit without a snapshot,
about which retention-policy speaks. Page: docs/detectors/topic-settings-refused.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, clause
from spark.detectors.log._heads import restored
from spark.dialects.apicurio_v3.message_classes import SNAPSHOT
from spark.log.cluster_settings import POLICIES
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding

TOPICS = f"""
    SELECT {REPLICA_COLUMNS}, bool_or(entry_type = '{SNAPSHOT}') AS has_snapshots FROM entries
    WHERE entry_type LIKE '%Message' OR entry_type = '{SNAPSHOT}' GROUP BY {REPLICA_COLUMNS}
"""
REFUSED = f"""
    SELECT {REPLICA_COLUMNS}, has_snapshots, policy, policy_said_by AS said_by, retention_ms, retention_bytes, has_limit, coalesce(policy, 'delete') <> 'delete' AS is_compacted
    FROM ({TOPICS}) JOIN ({POLICIES}) USING (topic) WHERE has_limit OR is_compacted ORDER BY {REPLICA_COLUMNS}
"""


def absent(tables: ResultTables) -> str | None:
    """Only settings tell it."""
    if tables.rows(f"SELECT 1 FROM ({POLICIES}) LIMIT 1"):
        return None
    if not tables.rows(f"{TOPICS} LIMIT 1"):
        return DoesNotApply("the input contains no topic of Apicurio Registry 3.x")
    return "the input does not contain the topic's settings (the output of kafka-configs.sh --describe)"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a topic's partition. Of a journal without a snapshot that loses records, retention-policy tells more."""
    rows = tables.rows(REFUSED)
    with_snapshot = restored(tables, {row["topic"] for row in rows})
    return [
        row
        for row in rows
        if row["has_snapshots"] or not row["has_limit"] or replica_of(row) in with_snapshot
    ]


def describe(row: Row) -> Finding:
    topic = marked.topic(row["topic"])
    setting = f"cleanup.policy={marked.quote(row['policy'])}" if row["is_compacted"] else limit(row)
    why = (
        "The registry demands cleanup.policy=delete, because compaction has no effect on its records: no two have the same key."
        if row["is_compacted"]
        else "The registry demands retention.ms=-1 and retention.bytes=-1, so that no record is deleted before a person decides it."
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"Apicurio Registry 3.1.3 and later does not start: {setting} of {topic}",
        explanation=(
            f"According to {marked.quote(row['said_by'] or 'the settings in the input')}, {topic} has {setting}. {why} A registry of 3.0 or 3.1.2 works with "
            "these settings. After an upgrade its pod stops at the start, with a message that names the topic and the setting."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=None,
        last_offset=None,
        entity="cleanup.policy" if row["is_compacted"] else "retention",
        remedy=detector.remedy(
            topic=row["topic"],
            the_topic_is_compacted=row["is_compacted"],
            age_is_limited=not row["is_compacted"],
        ),
        references=detector.references,
    )


def limit(row: Row) -> str:
    """The setting that deletes."""
    if row["retention_ms"] not in (None, "-1"):
        return f"retention.ms={marked.quote(row['retention_ms'])}"
    if row["retention_bytes"] not in (None, "-1"):
        return f"retention.bytes={marked.quote(row['retention_bytes'])}"
    return "cleanup.policy=delete without retention.ms"


detector = Detector(
    id="topic-settings-refused",
    title="Apicurio Registry rejects the topic's settings",
    find=find,
    describe=describe,
    headline=clause("Apicurio Registry 3.1.3 and later does not start with the settings of {count}", "topic"),
    rows_of="entries",
    absent=absent,
    wants="settings",
    dialects=("apicurio-v3",),
    one_cause="topic",
    befalls=("at_risk", "service"),
)
