"""Missing snapshot: the newest marker in the journal and the newest record of the snapshots topic do not fit together.

Innocent: older ones without their counterpart, for the registry starts from the newest; a marker that is the very last
record, whose snapshot is just being written. Page: docs/detectors/missing-snapshot.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.dialects.apicurio_v3.message_classes import SNAPSHOT, SNAPSHOT_MARKER
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding

IS_CALL = "(entry_type LIKE '%Message' OR entry_type = 'Bootstrap')"
HAS_BOTH = f"""
    SELECT (SELECT count(*) FROM (SELECT 1 FROM entries WHERE {IS_CALL} LIMIT 1)) AS journals,
        (SELECT count(*) FROM (SELECT 1 FROM entries WHERE entry_type = '{SNAPSHOT}' LIMIT 1))
        + (SELECT count(*) FROM files WHERE topic LIKE '%snapshots%') AS snapshots
"""
# One row per newest marker or snapshot without its counterpart.
MARKED = f"""
    WITH ends AS (SELECT topic, partition, replica, max("offset") AS last_offset FROM entries GROUP BY ALL),
    named AS (
        SELECT topic, partition, replica, "offset", entry_type, attributes ->> '$.snapshotId' AS snapshot_id,
            trim(coalesce(attributes ->> '$.snapshotLocation', '')) AS location, last_offset
        FROM entries JOIN ends USING (topic, partition, replica)
        WHERE entry_type IN ('{SNAPSHOT}', '{SNAPSHOT_MARKER}') AND decode_error IS NULL
            AND entry_action = 'snapshot'
    ),
    newest AS (
        SELECT * FROM named
        QUALIFY row_number() OVER (PARTITION BY entry_type, topic, partition, replica ORDER BY "offset" DESC) = 1
    )
    SELECT * FROM newest
    WHERE CASE entry_type
        WHEN '{SNAPSHOT}' THEN NOT EXISTS (
            FROM named AS other WHERE other.entry_type <> newest.entry_type AND other.snapshot_id = newest.snapshot_id
        )
        ELSE "offset" < last_offset AND NOT EXISTS (
            FROM named AS other WHERE other.entry_type <> newest.entry_type AND other.snapshot_id = newest.snapshot_id
                AND other.location <> ''
        ) END
    ORDER BY entry_type, topic, partition, replica
"""


def absent(tables: ResultTables) -> str | None:
    """Journal and snapshots topic must both be there."""
    (row,) = tables.rows(HAS_BOTH)
    if not row["journals"]:
        return "the journal itself is not part of the input"
    if not row["snapshots"]:
        return "the snapshots topic (kafkasql-snapshots) is not part of the input"
    return None


def describe(row: Row) -> Finding:
    is_marker = row["entry_type"] == SNAPSHOT_MARKER
    name, offset = row["snapshot_id"], row["offset"]
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("unreadable", "snapshot", [name]),
        title=(
            f"Snapshot {marked.entity(name, 'snapshot')} cannot be used: its marker is at offset {marked.offset(offset)}, but the snapshots topic contains no usable record of it"
            if is_marker
            else f"The registry does not become ready with snapshot {marked.entity(name, 'snapshot')} (offset {marked.offset(offset)}): the journal contains no marker of it"
        ),
        explanation=MARKER_ALONE if is_marker else SNAPSHOT_ALONE,
        **located(row, offset),
        entity=f"snapshot:{name}",
        evidence=[offset],
        remedy=detector.remedy("Marker without snapshot" if is_marker else "Snapshot without marker"),
        references=detector.references,
        entities={f"snapshot:{name}"},
    )


MARKER_ALONE = (
    "The registry writes a snapshot as a file, then writes a marker to the journal, and then a record with the file name to "
    "the snapshots topic. The last record is missing or contains no file name, so no start uses this snapshot. If the start "
    "of the journal was removed because of this snapshot, those records are lost."
)
SNAPSHOT_ALONE = (
    "At a start, the registry restores the newest snapshot whose file exists. It then skips the journal up to the marker of "
    "that snapshot. The journal does not contain the marker of this snapshot. If its file exists, the registry skips every "
    "record, including its own record of the start, and does not become ready."
)


detector = Detector(
    id="missing-snapshot",
    title="Snapshot without marker, or marker without snapshot",
    find=query(MARKED),
    describe=describe,
    headline=clause("{count} cannot be used: marker or record missing", "snapshot"),
    rows_of="entries",
    dialects=("apicurio-v3",),
    absent=absent,
    wants="both-topics",
)
