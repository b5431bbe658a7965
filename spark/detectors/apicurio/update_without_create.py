"""UPDATE of a rule, role or group that no record before it creates: dropped at every start, the setting is gone.

Innocent: a later record of the same key. Page: docs/detectors/update-without-create.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding

REASONS = ("rule-missing", "role-missing", "group-missing")
CALLED = {"global-rule": "Global rule", "artifact-rule": "Rule", "role": "Role of", "group": "Group"}
FAMILIES = ("GlobalRule", "ArtifactRule", "RoleMapping", "Group")

# One row per setting.
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


def describe(row: Row) -> Finding:
    setting = f"{CALLED[row['entity_type']]} {marked.entity(row['entity_id'])}"
    value = row["config"] or row["role"]
    set_to = f" (it sets {marked.quote(value)})" if value else ""
    artifact = row["entity_id"].rpartition("/")[0]
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{setting} is not in force: the UPDATE at offset {marked.offset(row['offset'])} has no CREATE",
        explanation=(
            f"Offset {marked.offset(row['offset'])} is an UPDATE{set_to}, but no earlier record is the CREATE. The registry rejects such an UPDATE "
            "with an error at every start. CREATE and UPDATE share a key, so compaction removes the CREATE and keeps the UPDATE. "
            "A registry that read the CREATE keeps the setting in memory until its next start. After that, the setting is not "
            "in force."
        ),
        **located(row, row["offset"]),
        entity=f"{row['entity_type']}:{row['entity_id']}",
        evidence=[row["offset"]],
        effects=[Effect("lost", row["entity_type"], row["entity_id"])],
        remedy=detector.remedy(topic=row["topic"], its_value_is_known=value, value=value),
        references=detector.references,
        entities={
            f"{row['entity_type']}:{marked.entity(row['entity_id'])}",
            f"artifact:{artifact}",
            "head",
            "topic:elsewhere",
        },
    )


detector = Detector(
    id="update-without-create",
    title="UPDATE without CREATE",
    find=query(DROPPED),
    describe=describe,
    headline=clause(
        "{count} UPDATE has no CREATE", "setting is not in force: its", "settings are not in force: their"
    ),
    dialects=("apicurio-v2",),
    follows=("deleted-by-retention", "missing-head", "several-partitions"),
    rows_of="refusals",
    scope="partition",
)
