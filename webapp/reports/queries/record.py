"""One record whole: its bytes, its batch, what the dialect read in it, and its neighbours by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark.tables.evidence import EVIDENCE
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows

COPIES = f"""
SELECT * FROM records WHERE {WHERE_REPLICA} AND "offset" = $offset ORDER BY file, batch_position
"""
ENTRY = f'SELECT * FROM entries WHERE {WHERE_REPLICA} AND "offset" = $offset AND file = $file'
BATCH = "SELECT * FROM batches WHERE file = $file AND position = $position"
FILE = "SELECT * FROM files WHERE file = $file"
RELATION = f"""
SELECT kind, previous_offset, superseded_by FROM lifelines WHERE {WHERE_REPLICA} AND "offset" = $offset
"""
REJECTIONS = (
    f"""SELECT * FROM refusals WHERE {WHERE_REPLICA} AND view = 'log' AND is_own AND "offset" = $offset"""
)
REASONS_AMONG = f"""
SELECT "offset", any_value(reason) AS reason FROM refusals
WHERE {WHERE_REPLICA} AND view = 'log' AND is_own AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""
NEAREST = f"""
SELECT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND "offset" {{beyond}} $offset
ORDER BY "offset" {{direction}} LIMIT 1
"""
LINE_AT = f"""
SELECT "offset", previous_offset, value_size_bytes, kind = 'tombstone' AS value_is_null FROM lifelines WHERE {WHERE_REPLICA} AND "offset" = $offset
"""
LACKS_EARLIER = f"""
SELECT EXISTS (SELECT 1 FROM gaps WHERE {WHERE_REPLICA} AND last_offset < $offset)
    OR (SELECT min("offset") FROM lifelines WHERE {WHERE_REPLICA}) > 0
"""
VALUES = f"""
SELECT "offset", "value", value_is_null FROM records WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""


@dataclass(frozen=True)
class WholeRecord:
    """A record and all that is known of it. `copies`: how many records share its offset."""

    record: dict[str, Any]
    copy: int
    copies: int
    entry: dict[str, Any] | None
    batch: dict[str, Any] | None
    file: dict[str, Any] | None
    relation: dict[str, Any] | None
    rejections: Rows
    neighbours: dict[str, Any]


def read_record(partition: PartitionResults, offset: int, copy: int = 0) -> WholeRecord | None:
    """The record at an offset, or None. `copy`: number among records with the same offset."""
    copies = partition.rows(COPIES, {"offset": offset})
    if not copies:
        return None
    copy = min(copy, len(copies) - 1)
    record = copies[copy]
    at = {"offset": offset}
    in_file = {"file": record["file"]}
    relations = partition.rows(RELATION, at)
    return WholeRecord(
        record,
        copy,
        len(copies),
        partition.row(ENTRY, at | in_file),
        partition.results.row(BATCH, in_file | {"position": record["batch_position"]}),
        partition.results.row(FILE, in_file),
        relations[min(copy, len(relations) - 1)] if relations else None,
        partition.rows(REJECTIONS, at),
        read_neighbours(partition, offset),
    )


def read_neighbours(partition: PartitionResults, offset: int) -> dict[str, Any]:
    """`offset_before`, `offset_after`: nearest records; null at the ends."""
    at = {"offset": offset}
    return {
        "offset_before": partition.value(NEAREST.format(beyond="<", direction="DESC"), at),
        "offset_after": partition.value(NEAREST.format(beyond=">", direction=""), at),
    }


def reasons_among(partition: PartitionResults, offsets: list[int]) -> dict[int, str]:
    """Codes of the reasons for which the service rejects records, by offset."""
    return {row["offset"]: row["reason"] for row in partition.rows(REASONS_AMONG, {"offsets": offsets})}


def line_at(partition: PartitionResults, offset: int) -> dict[str, Any] | None:
    """Of the record at an offset, if there is one, the offset before it of the same key, and the size of its value."""
    return next(iter(partition.rows(LINE_AT, {"offset": offset})), None)


def lacks_earlier(partition: PartitionResults, offset: int) -> bool:
    """Whether offsets before this one have no record in the dump."""
    return bool(partition.value(LACKS_EARLIER, {"offset": offset}))


def read_bytes(partition: PartitionResults, offset: int, copy: int, part: str) -> bytes | None:
    """Key or value bytes of a record; None when there is no such record or they are null."""
    copies = partition.rows(COPIES, {"offset": offset})
    return copies[min(copy, len(copies) - 1)][part] if copies else None


def read_evidence(partition: PartitionResults, offsets: list[int]) -> Rows:
    """Records that prove something, in offset order; offsets without a record are left out."""
    return partition.rows(EVIDENCE, {"offsets": offsets}) if offsets else []


def read_values(partition: PartitionResults, offsets: list[int]) -> dict[int, bytes | None]:
    """Values by offset. Of records with the same offset, the last."""
    rows = partition.rows(VALUES, {"offsets": offsets}) if offsets else []
    return {row["offset"]: row["value"] for row in rows}


def rejected_offsets(partition: PartitionResults, offsets: list[int]) -> list[int]:
    """Those of some records that the service rejects when it replays the log."""
    return sorted(reasons_among(partition, offsets)) if offsets else []
