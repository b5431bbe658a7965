"""One record whole: its bytes, its batch, what the dialect read in it, and its neighbours by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark.tables.evidence import EVIDENCE
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results, Rows

COPIES = f"""
SELECT * FROM records WHERE {WHERE_REPLICA} AND "offset" = $offset ORDER BY file, batch_position
"""
ENTRY = f'SELECT * FROM entries WHERE {WHERE_REPLICA} AND "offset" = $offset AND file = $file'
BATCH = "SELECT * FROM batches WHERE file = $file AND position = $position"
FILE = "SELECT * FROM files WHERE file = $file"
RELATION = f"""
SELECT kind, previous_offset, superseded_by FROM lifelines WHERE {WHERE_REPLICA} AND "offset" = $offset
"""
REFUSALS = (
    f"""SELECT * FROM refusals WHERE {WHERE_REPLICA} AND view = 'log' AND is_own AND "offset" = $offset"""
)
NEAREST = f"""
SELECT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND "offset" {{beyond}} $offset
ORDER BY "offset" {{direction}} LIMIT 1
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
    refusals: Rows
    neighbours: dict[str, Any]


def read_record(
    results: Results, replica: PartitionReplica, offset: int, copy: int = 0
) -> WholeRecord | None:
    """The record at an offset, or None; `copy` chooses among several."""
    copies = results.rows(COPIES, {"offset": offset}, replica)
    if not copies:
        return None
    copy = min(copy, len(copies) - 1)
    record = copies[copy]
    at = {"offset": offset}
    in_file = {"file": record["file"]}
    relations = results.rows(RELATION, at, replica)
    return WholeRecord(
        record,
        copy,
        len(copies),
        results.row(ENTRY, at | in_file, replica),
        results.row(BATCH, in_file | {"position": record["batch_position"]}),
        results.row(FILE, in_file),
        relations[min(copy, len(relations) - 1)] if relations else None,
        results.rows(REFUSALS, at, replica),
        read_neighbours(results, replica, offset),
    )


def read_neighbours(results: Results, replica: PartitionReplica, offset: int) -> dict[str, Any]:
    """`offset_before` and `offset_after`: the nearest records, null at the ends."""
    before = results.row(
        NEAREST.replace("{beyond}", "<").replace("{direction}", "DESC"), {"offset": offset}, replica
    )
    after = results.row(
        NEAREST.replace("{beyond}", ">").replace("{direction}", ""), {"offset": offset}, replica
    )
    return {"offset_before": before and before["offset"], "offset_after": after and after["offset"]}


def read_bytes(
    results: Results, replica: PartitionReplica, offset: int, copy: int, part: str
) -> bytes | None:
    """Key or value bytes of a record; None when there is no such record or they are null."""
    copies = results.rows(COPIES, {"offset": offset}, replica)
    return copies[min(copy, len(copies) - 1)][part] if copies else None


def read_evidence(results: Results, replica: PartitionReplica, offsets: list[int]) -> Rows:
    """Records that prove something, in offset order; offsets without a record are left out."""
    return results.rows(EVIDENCE, {"offsets": offsets}, replica) if offsets else []


def read_values(results: Results, replica: PartitionReplica, offsets: list[int]) -> dict[int, bytes | None]:
    """Values by offset (of records that share an offset, the last)."""
    rows = results.rows(VALUES, {"offsets": offsets}, replica) if offsets else []
    return {row["offset"]: row["value"] for row in rows}
