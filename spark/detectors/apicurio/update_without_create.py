"""UPDATE of a rule, role or group that no record before it creates: dropped at every start, the setting is gone.

Innocent: a later record of the same key. Page: docs/detectors/update-without-create.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.apicurio._repair import dump_first, look_again
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

REASONS = ("rule-missing", "role-missing", "group-missing")
CALLED = {"global-rule": "Global rule", "artifact-rule": "Rule", "role": "Role of", "group": "Group"}
FAMILIES = ("GlobalRule", "ArtifactRule", "RoleMapping", "Group")

# A key's records are the rule's records, so the last one of the key decides.
DROPPED = f"""
    WITH dropped AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_type, entity_id FROM refusals
        WHERE view = 'log' AND is_own AND reason IN {REASONS}
    ),
    updates AS (
        SELECT {REPLICA_COLUMNS}, "offset", attributes FROM entries WHERE entry_action = 'update' AND entry_type IN {FAMILIES}
    )
    SELECT dropped.*, updates.attributes ->> '$.config.configuration' AS config,
        updates.attributes ->> '$.role' AS role, timestamp_ms
    FROM dropped
    JOIN updates USING ({REPLICA_COLUMNS}, "offset")
    JOIN (SELECT {REPLICA_COLUMNS}, "offset", superseded_by, timestamp_ms FROM lifelines) AS lines USING ({REPLICA_COLUMNS}, "offset")
    WHERE superseded_by IS NULL
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per setting."""
    return tables.rows(DROPPED)


def describe(row: Row) -> Finding:
    """The row in words."""
    what = f"{CALLED[row['entity_type']]} {row['entity_id']}"
    value = row["config"] or row["role"]
    set_to = f" (it sets {value})" if value else ""
    artifact = row["entity_id"].rpartition("/")[0]
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{what} is gone: the UPDATE at offset {row['offset']} has nothing to update",
        explanation=(
            f"Offset {row['offset']} is an UPDATE{set_to}, and no record before it creates what it updates. The registry "
            "answers such a record with an error and drops it, at every start. CREATE and UPDATE share a key, so compaction "
            "removes the CREATE and leaves the UPDATE: the registry that took the update kept it in memory until its next "
            "start, and since then works without it."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["offset"],
        last_offset=row["offset"],
        entity=f"{row['entity_type']}:{row['entity_id']}",
        evidence=[row["offset"]],
        remedy=remedy(row, value),
        references=["https://kafka.apache.org/documentation/#compaction"],
        entities={
            f"{row['entity_type']}:{row['entity_id']}",
            f"artifact:{artifact}",
            "head",
            "topic:elsewhere",
        },
    )


def remedy(row: Row, value: str | None) -> str:
    """What to do, in this order."""
    again = f" with {value}" if value else ""
    return steps(
        [
            dump_first(row["topic"]),
            f"Create it again through the API{again}. The CREATE supersedes the UPDATE",
            "To change it later, delete it and create it again. An UPDATE puts it at risk again",
            look_again(row["topic"]),
        ]
    )


def headline(findings: list[Finding]) -> str:
    """`2 settings are gone, for their UPDATE has no CREATE`."""
    verb = "is" if len(findings) == 1 else "are"
    return f"{plural(len(findings), 'setting')} {verb} gone, for an UPDATE is left without its CREATE"


detector = Detector(
    id="update-without-create",
    title="Update without its creation",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    follows=("deleted-by-retention", "missing-head", "several-partitions"),
    rows_of="refusals",
)
