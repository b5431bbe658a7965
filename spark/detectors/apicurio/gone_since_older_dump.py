"""Entities that an older dump of the journal holds and that are gone here without a trace.

A record that fails at a start gets a null record under its key, and compaction then removes both: nothing in the journal
tells of them. Innocent: a record that deletes the entity, its artifact or its group, here or in another older dump; a record
of the entity that is still here and that the registry rejects (other detectors name its cause). Page: docs/detectors/gone-since-older-dump.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row, same_replica
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import moment, some

MAX_NAMED = 20

# One row per copy of a partition.
GONE = f"""
    WITH older AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, max_by(dump, dumped_at_ms) AS dump, max(dumped_at_ms) AS dumped_at_ms,
            CASE entity_type WHEN 'version' THEN regexp_replace(entity_id, '/[^/]*$', '')
                WHEN 'artifact-rule' THEN regexp_replace(entity_id, '/[^/]*$', '') ELSE entity_id END AS artifact
        FROM older_entities WHERE entity_type IN ('artifact', 'version', 'group', 'global-rule', 'role')
        AND NOT EXISTS (FROM older_deletions AS deletion WHERE {same_replica("deletion", "older_entities")}
            AND deletion.entity_type = older_entities.entity_type AND deletion.entity_id = older_entities.entity_id
            AND deletion.deleted_at_offset > older_entities.origin_offset)
        GROUP BY ALL
    ),
    deletes AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id FROM entries
        WHERE starts_with(entry_action, 'delete') OR (entry_type = 'ArtifactVersion' AND entry_action = 'tombstone')
    ),
    rejected AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[^/]*$', '') AS artifact FROM live_refusals
        WHERE entity_type = 'version' AND (reason LIKE 'content-%' OR reason = 'artifact-missing')
    )
    SELECT {REPLICA_COLUMNS}, list(entity_type || ' ' || entity_id ORDER BY entity_type, entity_id) AS names,
        list(DISTINCT artifact) AS artifacts, any_value(dump) AS dump, max(dumped_at_ms) AS dumped_at_ms
    FROM older
    ANTI JOIN live_state USING ({REPLICA_COLUMNS}, entity_type, entity_id)
    ANTI JOIN rejected USING ({REPLICA_COLUMNS}, artifact)
    ANTI JOIN live_refusals USING ({REPLICA_COLUMNS}, entity_type, entity_id)
    WHERE NOT EXISTS (
        FROM deletes WHERE {same_replica("deletes", "older")}
        AND CASE deletes.entry_type
            WHEN 'ArtifactVersion' THEN deletes.entity_id = older.entity_id
                OR (older.entity_type = 'artifact' AND starts_with(deletes.entity_id, older.entity_id || '/'))
            WHEN 'Artifact' THEN deletes.entity_id = older.artifact
            WHEN 'Group' THEN deletes.entity_id = older.entity_id OR starts_with(older.artifact, deletes.entity_id || '/')
            WHEN 'GlobalAction' THEN true
            ELSE deletes.entity_id = older.entity_id END
    )
    GROUP BY {REPLICA_COLUMNS}
    ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    names = [marked.quote(name) for name in row["names"]]
    when = f" (newest record: {moment(row['dumped_at_ms'])})" if row["dumped_at_ms"] else ""
    verb = "is" if len(names) == 1 else "are"
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{some(names, 3)} {verb} missing: the older dump {marked.replica(row['dump'])} contains {'it' if len(names) == 1 else 'them'}",
        explanation=(
            f"The older dump {marked.replica(row['dump'])}{when} contains {some(names, MAX_NAMED)}. This journal does not, and no record in it "
            "deletes them. If the registry rejects a record at a start, it writes a tombstone for the key of that record. Compaction "
            "then removes both records. Retention and a truncated log also remove records without a trace."
        ),
        **located(row, None),
        entity=f"gone:{row['dump']}",
        evidence=[],
        effects=[Effect("lost", "artifact", artifact) for artifact in row["artifacts"]],
        remedy=detector.remedy(topic=row["topic"], older_dump=row["dump"]),
        references=detector.references,
        entities={f"artifact:{artifact}" for artifact in row["artifacts"]},
    )


detector = Detector(
    id="gone-since-older-dump",
    title="Missing since an older dump",
    find=query(GONE),
    describe=describe,
    headline=clause("entities of an older dump are missing in {count}", "partition"),
    rows_of="older_entities",
    scope="partition",
    dialects=("apicurio-v2",),
)
