"""Missing snapshot: the newest marker in the journal and the newest record of the snapshots topic do not fit together.

Innocent: older ones without their counterpart, for the registry starts from the newest; a marker that is the very last
record, whose snapshot is just being written. Page: docs/detectors/missing-snapshot.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.dialects.apicurio_v3.message_classes import SNAPSHOT, SNAPSHOT_MARKER
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

IS_CALL = "(entry_type LIKE '%Message' OR entry_type = 'Bootstrap')"
HAS_BOTH = f"""
    SELECT (SELECT count(*) FROM (SELECT 1 FROM entries WHERE {IS_CALL} LIMIT 1)) AS journals,
        (SELECT count(*) FROM (SELECT 1 FROM entries WHERE entry_type = '{SNAPSHOT}' LIMIT 1))
        + (SELECT count(*) FROM files WHERE topic LIKE '%snapshots%') AS snapshots
"""
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


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per newest marker or snapshot without its counterpart."""
    return tables.rows(MARKED)


def describe(row: Row) -> Finding:
    """The row in words."""
    is_marker = row["entry_type"] == SNAPSHOT_MARKER
    name, offset = row["snapshot_id"], row["offset"]
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"The journal marks snapshot {name} at offset {offset}, and the snapshots topic has no usable record of it"
            if is_marker
            else f"Snapshot {name} at offset {offset} has no marker in the journal"
        ),
        explanation=MARKER_ALONE if is_marker else SNAPSHOT_ALONE,
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=offset,
        last_offset=offset,
        entity=f"snapshot:{name}",
        evidence=[offset],
        remedy=steps(REMEDY_MARKER if is_marker else REMEDY_SNAPSHOT),
        references=[
            "https://github.com/Apicurio/apicurio-registry/issues/8499",
            "https://github.com/Apicurio/apicurio-registry/issues/8961",
        ],
        entities={f"snapshot:{name}"},
    )


MARKER_ALONE = (
    "A snapshot is written as a file, marked in the journal, and then named in the snapshots topic. The last step is not "
    "there, or names no file: no start will use this snapshot. If the journal's beginning was removed because a snapshot "
    "stands for it, that beginning is lost."
)
SNAPSHOT_ALONE = (
    "At a start the registry restores the newest snapshot whose file it finds, then skips the journal up to that "
    "snapshot's marker. This one's marker is not in the journal: wherever the file is found, every record is skipped, the "
    "start's own too, and the registry does not become ready."
)
REMEDY_MARKER = [
    "Do not remove anything from the journal.",
    "Take a new snapshot (POST /apis/registry/v3/admin/snapshots) to a path that outlives the pod.",
    "See that the snapshots topic has cleanup.policy=delete with retention.ms=-1, and that the record is there.",
]
REMEDY_SNAPSHOT = [
    "Before a restart, move this snapshot's file away: the registry then takes an older one, or the whole journal.",
    "See that the journal still begins at offset 0, or that an older snapshot with its marker stands for what is missing.",
    "Once the registry runs, take a new snapshot.",
]


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"{plural(len(findings), 'snapshot')} without the other half"


detector = Detector(
    id="missing-snapshot",
    title="Snapshot without its marker, or the other way round",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    dialects=("apicurio-v3",),
    absent=absent,
    wants="both-topics",
)
