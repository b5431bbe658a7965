"""Failed create: null under the key of an artifact record that the registry could not take, since its place was taken.

Always innocent. Null for a version whose artifact was not there is no failed create but a loss; other detectors tell
it. Page: docs/detectors/failed-create.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural

MAX_EVIDENCE = 50

# One row per failed record.
# The uuid in an artifact record's key is its own, so that null with the same key answers this very record.
FAILED = f"""
    WITH artifacts AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, entry_action, attributes->>'$.uuid' AS uuid,
            attributes->>'$.globalId' AS global_id
        FROM entries WHERE entry_type = 'Artifact' AND EXISTS (
            SELECT 1 FROM entries WHERE entry_type = 'Artifact' AND entry_action = 'tombstone'
        )
    ),
    nulls AS (
        SELECT {REPLICA_COLUMNS}, entity_id, uuid, list("offset" ORDER BY "offset") AS nulls FROM artifacts
        WHERE entry_action = 'tombstone' AND uuid IS NOT NULL GROUP BY ALL
    ),
    refused AS (
        SELECT {REPLICA_COLUMNS}, "offset" FROM refusals
        WHERE view = 'log' AND is_own AND entity_type = 'version'
            AND reason IN ('already-exists', 'id-taken', 'deleted-later', 'repeated', 'repeated-later')
    )
    SELECT {REPLICA_COLUMNS}, entity_id, uuid, nulls, min("offset") AS "offset", any_value(global_id) AS global_id
    FROM artifacts SEMI JOIN refused USING ({REPLICA_COLUMNS}, "offset") JOIN nulls USING ({REPLICA_COLUMNS}, entity_id, uuid)
    WHERE entry_action <> 'tombstone' AND nulls[-1] > "offset"
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def describe(row: Row) -> Finding:
    nulls = [offset for offset in row["nulls"] if offset > row["offset"]]
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"A create of artifact {marked.entity(row['entity_id'])} failed: the registry rejected offset {marked.offset(row['offset'])} and wrote tombstones at {at_offsets(nulls)}"
        if len(nulls) > 1
        else f"A create of artifact {marked.entity(row['entity_id'])} failed: the registry rejected offset {marked.offset(row['offset'])} and wrote a tombstone at {at_offsets(nulls)}",
        explanation=(
            f"The artifact record at offset {marked.offset(row['offset'])} (globalId {marked.name(row['global_id'])}) creates a version that already exists. The "
            f"registry rejects such a record and writes a tombstone for its key (uuid {marked.name(row['uuid'])}). Each node writes one, and "
            f"each later start writes one until compaction removes them all. The journal contains "
            f"{plural(len(nulls), 'such tombstone')}. No data is lost. The client got an error."
        ),
        **located(row, row["offset"], nulls[-1]),
        entity=f"artifact:{row['entity_id']}#{row['uuid']}",
        evidence=[row["offset"], *nulls[:MAX_EVIDENCE]],
        remedy=detector.remedy(),
        references=detector.references,
        entities={f"create:{row['offset']}"},
    )


detector = Detector(
    id="failed-create",
    title="Failed create",
    find=query(FAILED),
    describe=describe,
    headline=clause("{count} failed", "create"),
    dialects=("apicurio-v2",),
    rows_of="refusals",
    scope="partition",
    follows=("concurrent-create",),
)
