"""Damage as all pages count it: ranges of bytes that could not be read, and batches that fail their checksum.

A batch with a changed bit is decoded all the same where its structure holds, so it is no row of the table `damage`.
"""

from __future__ import annotations

from typing import Any

from spark.terms.damage import damage
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Results, Rows

CORRUPT_BATCHES = """
    SELECT topic, "partition", replica, file, position, size_bytes::BIGINT AS size_bytes, 'crc_mismatch' AS reason,
        CASE WHEN kind <> 'segment' THEN 'the byte is that of the segment that was printed' END AS detail,
        base_offset AS first_offset, greatest(base_offset, last_offset) AS last_offset, NULL::BOOLEAN AS batches_after
    FROM batches JOIN (SELECT file, kind FROM files) USING (file) WHERE NOT crc_ok
"""
DAMAGED = f"""
    SELECT topic, "partition", replica, file, position, size_bytes, reason, detail, first_offset, last_offset, batches_after
    FROM damage UNION ALL {CORRUPT_BATCHES}
"""
TOTAL = f"""
    SELECT count(*) AS ranges, count(*) FILTER (reason = 'crc_mismatch') AS corrupt_batches,
        coalesce(sum(size_bytes), 0)::BIGINT AS size_bytes, coalesce(sum(size_bytes) FILTER (reason <> 'crc_mismatch'), 0)::BIGINT
        AS unreadable_bytes
    FROM ({DAMAGED}) WHERE {WHERE_REPLICA}
"""
OF_PARTITION = f"SELECT * FROM ({DAMAGED}) WHERE {WHERE_REPLICA} ORDER BY first_offset, position"
BY_FILE = f"""
    SELECT file, count(*) FILTER (reason = 'crc_mismatch') AS corrupt_batches,
        coalesce(sum(size_bytes) FILTER (reason <> 'crc_mismatch'), 0)::BIGINT AS unreadable_bytes,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset
    FROM ({DAMAGED}) WHERE {WHERE_REPLICA} GROUP BY file
"""
DAMAGE_SHOWN = 1000
LISTED = f"""
    SELECT d.* REPLACE (CASE WHEN d.reason = 'crc_mismatch' AND f.kind = 'segment' THEN d.position < coalesce(last_position, 0)
            ELSE d.batches_after END AS batches_after), f.name, f.size_bytes AS file_bytes
    FROM ({DAMAGED}) AS d LEFT JOIN files AS f USING (file)
    LEFT JOIN (SELECT file, max(position) AS last_position FROM batches WHERE crc_ok GROUP BY file) USING (file)
    ORDER BY d.file, d.position LIMIT {DAMAGE_SHOWN}
"""
COUNT = f"SELECT count(*) AS ranges FROM ({DAMAGED})"


def list_damage(results: Results) -> Rows:
    """Damaged ranges in file order."""
    return results.rows(LISTED)


def count_damage(results: Results) -> int:
    return int(results.value(COUNT))


def damage_of(partition: PartitionResults) -> str:
    """Of one partition: `1 batch fails its checksum`; empty without damage."""
    total = partition.row(TOTAL)
    return damage(total) if total and total["ranges"] else ""


def damaged_ranges(partition: PartitionResults) -> Rows:
    """Damage of one partition by offsets; null where the offsets of unreadable bytes are unknown."""
    return partition.rows(OF_PARTITION)


def damage_by_file(partition: PartitionResults) -> dict[int, dict[str, Any]]:
    """Damage of one partition by file: `words`, and the first and last offset, which may be null."""
    return {row["file"]: row | {"words": damage(row)} for row in partition.rows(BY_FILE)}
