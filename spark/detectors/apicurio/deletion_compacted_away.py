"""Signs that what was deleted lives again: a group's artifacts, once compaction has taken the group's deletion.

The group's CREATE stands behind artifact records of the group, or its DELETE has no CREATE before it; and the log has
lost records before. Innocent: a DELETE without artifacts, a log that is whole. Page: docs/detectors/deletion-compacted-away.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.apicurio._repair import versions_named
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets

MAX_NAMED = 50
UNTIL_A_START = (
    "A registry that read the DELETE before that compaction does not have them until its next start."
)

# One row per group whose deletion is gone. A group's first record tells: whatever stands before it was made when the group
# was there before. In a log without holes nobody has taken anything away: then the registry that wrote it does not make
# groups by itself. The hole is behind `start_offset`: before a lone DELETE stood a CREATE, before a second CREATE a DELETE.
SIGNS = f"""
    WITH firsts AS (
        SELECT {REPLICA_COLUMNS}, coalesce(attributes ->> '$.tenantId', '_') AS tenant, attributes ->> '$.groupId' AS name,
            min("offset") AS "offset", arg_min(entry_action, "offset") AS action,
        FROM entries
        WHERE entry_type = 'Group' AND entry_action IN ('create', 'import', 'delete', 'update')
            AND coalesce(attributes ->> '$.onlyArtifacts', 'false') <> 'true'
        GROUP BY ALL
    ),
    suspects AS (SELECT * FROM firsts WHERE action <> 'update'),
    alive AS (
        SELECT {REPLICA_COLUMNS}, attributes ->> '$.tenantId' AS tenant, attributes ->> '$.groupId' AS name, entity_id,
            TRY_CAST(attributes ->> '$.record_offset' AS BIGINT) AS record_offset
        FROM state
        WHERE view = 'log' AND is_own AND entity_type = 'version' AND valid_to_offset IS NULL
            AND EXISTS (SELECT 1 FROM suspects)
    ),
    reappeared AS (
        SELECT {REPLICA_COLUMNS}, tenant, name, suspects."offset", action, list(record_offset ORDER BY record_offset) AS offsets,
            list(entity_id ORDER BY record_offset) AS versions,
            CASE any_value(action) WHEN 'delete' THEN 0 ELSE max(record_offset) END AS start_offset
        FROM suspects JOIN alive USING ({REPLICA_COLUMNS}, tenant, name)
        WHERE record_offset < suspects."offset"
        GROUP BY ALL
    )
    SELECT * FROM reappeared WHERE "offset" - start_offset > (SELECT count(*) FROM lifelines AS l
        WHERE (l.topic, l.partition, l.replica) = (reappeared.topic, reappeared.partition, reappeared.replica)
            AND l."offset" >= reappeared.start_offset AND l."offset" < reappeared."offset")
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def describe(row: Row) -> Finding:
    is_delete = row["action"] == "delete"
    name = row["name"] if row["tenant"] == "_" else f"{row['tenant']}/{marked.file(row['name'])}"
    offsets, versions = list(row["offsets"]), list(row["versions"])
    noun, verb = ("Version", "reappears") if len(versions) == 1 else ("Versions", "reappear")
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"{noun} deleted with group {marked.entity(name, 'group')} {verb}, after the next restart at the latest: {versions_named(versions)}",
        explanation=explanation(name, row["offset"], is_delete, offsets),
        **located(row, row["offset"] if is_delete else min(offsets), row["offset"]),
        confidence="proven" if is_delete else "likely",
        entity=f"group:{name}",
        evidence=[*offsets[:MAX_NAMED], row["offset"]],
        effects=[Effect("revived", "version", version) for version in versions],
        remedy=detector.remedy(topic=row["topic"], versions=versions_named(versions)),
        references=detector.references,
        entities={f"group:{name}", *(f"version:{version}" for version in versions)},
    )


def explanation(name: str, offset: int, is_delete: bool, offsets: list[int]) -> str:
    """What the records show."""
    records = at_offsets(offsets)
    if is_delete:
        return (
            f"Offset {marked.offset(offset)} deletes group {marked.entity(name, 'group')}, but no earlier record creates that group. The CREATE had the same key, and "
            "compaction has removed it. At replay the registry rejects the DELETE, because the group does not exist, and "
            f"deletes no artifact. The Artifact records at {records} have separate keys, so compaction keeps them and the "
            f"registry applies them. {UNTIL_A_START}"
        )
    return (
        f"Artifact records of group {marked.entity(name, 'group')} are at {records}. The first record that creates the group comes later, at offset "
        f"{marked.offset(offset)}, and records between them are missing. A registry creates a group with its first artifact. So the group "
        "existed, was deleted, and was created again. All records of a group share a key. Compaction removed the DELETE, so "
        f"the deleted artifacts reappear. {UNTIL_A_START}"
    )


detector = Detector(
    id="deletion-compacted-away",
    title="Delete removed by compaction",
    find=query(SIGNS),
    describe=describe,
    headline=clause(
        "deleted artifacts of {count} reappear, after the next restart at the latest: compaction removed the DELETE",
        "group",
    ),
    dialects=("apicurio-v2",),
    rows_of="state",
    scope="partition",
)
