"""Retention policy: the topic of a schema registry is stored with a cleanup.policy that deletes old records.

Needs the topic's settings, which a backup's metadata and the manifest of a capture carry. Innocent: cleanup.policy=compact;
both retentions -1, with which nothing is deleted. Page: docs/detectors/retention-policy.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.log.captured_settings import NEWEST_CAPTURES
from spark.log.printed_settings import PRINTED_SETTINGS
from spark.log.topic_policies import POLICIES
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.topic_commands import named
from spark.terms.wording import plural, steps

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
    """Why the policy cannot be told."""
    if prepared(tables).rows(KNOWN):
        return None
    return (
        "the input does not hold the topic's settings; the metadata file of a Karapace backup (version 3), a capture and the "
        "output of kafka-configs --describe do"
    )


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition that is stored so."""
    return prepared(tables).rows(DELETING)


def describe(row: Row) -> Finding:
    """The row in words."""
    first, topic = row["first_offset"], row["topic"]
    if not first:
        gone = "Nothing is gone from the start of the log yet."
    elif row["is_told"]:
        gone = f"Offsets 0 to {first - 1} are gone already: the broker's log began at offset {first} when it was captured."
    else:
        gone = f"Offsets 0 to {first - 1} are not in this input: what they held may be gone already."
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{topic} is stored with cleanup.policy={row['policy']}: the broker deletes its oldest records",
        explanation=(
            f"The journal of a schema registry must be kept whole; only compaction may thin it. With this policy the broker deletes segments by "
            f"age or size ({said_by(row)}retention.ms {stated(row['retention_ms'])}, retention.bytes {stated(row['retention_bytes'])}), whether or not "
            f"something newer replaces what is in them. {gone} A running registry goes on serving what was deleted from memory and loses "
            "it at its next start; a Confluent registry refuses to start on such a topic."
        ),
        topic=topic,
        partition=row["partition"],
        replica=row["replica"],
        first_offset=0 if first else None,
        last_offset=first - 1 if first else None,
        entity="cleanup.policy",
        evidence=[first] if first else [],
        remedy=steps(
            [
                f"Set the policy now: kafka-configs.sh --alter --entity-type topics --entity-name {named(topic)} --add-config cleanup.policy=compact",
                words.dump_first(topic),
                "Compare what a running registry serves (GET /schemas) with the journal, and put back what is missing in mode IMPORT.",
                words.look_again(topic),
            ]
        ),
        references=["https://docs.confluent.io/platform/current/schema-registry/installation/config.html"],
        entities={"head"} if first else set(),
    )


def said_by(row: Row) -> str:
    """Where the settings are from, if a tool printed them."""
    return f"by {row['said_by']}: " if row["said_by"] else ""


def stated(value: str | None) -> str:
    """A setting's value."""
    return value if value is not None else "as the broker's default"


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    loses = "loses" if len(findings) == 1 else "lose"
    return f"{plural(len(findings), 'schema journal')} {loses} the oldest records to retention"


detector = Detector(
    id="retention-policy",
    title="Schema journal that retention eats",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    dialects=(DIALECT,),
    absent=absent,
    wants="settings",
    follows=("deleted-by-retention",),
)
