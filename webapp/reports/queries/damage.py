"""Damage as all pages count it: ranges of bytes that could not be read, and batches that fail their checksum.

A batch with a changed bit is decoded all the same where its structure holds, so it is no row of the table `damage`.
"""

from __future__ import annotations

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
        AS unreadable_bytes, min(position) AS first_byte, max(position + size_bytes) - 1 AS last_byte,
        min(first_offset) AS first_offset, max(coalesce(last_offset, first_offset)) AS last_offset, count(DISTINCT file) AS files
    FROM ({DAMAGED}) WHERE {WHERE_REPLICA}
"""
DAMAGE_SHOWN = 1000
LISTED = f"""
    SELECT d.*, f.name, f.size_bytes AS file_bytes FROM ({DAMAGED}) AS d LEFT JOIN files AS f USING (file)
    ORDER BY d.file, d.position LIMIT {DAMAGE_SHOWN}
"""
COUNT = f"SELECT count(*) AS ranges FROM ({DAMAGED})"


def list_damage(results: Results) -> Rows:
    """Damaged ranges in file order."""
    return results.rows(LISTED)


def count_damage(results: Results) -> int:
    return int(results.value(COUNT))


def damage_of(partition: PartitionResults, says_where: bool = True) -> str:
    """Of one partition: `1 batch fails its checksum, bytes 4,096 to 5,119, offsets 88 to 96`; empty without damage."""
    total = partition.row(TOTAL)
    if not total or not total["ranges"]:
        return ""
    if not says_where:
        return damage(total)
    in_bytes = f", {span('byte', total['first_byte'], total['last_byte'])}" if total["files"] == 1 else ""
    has_offsets = total["first_offset"] is not None
    in_offsets = f", {span('offset', total['first_offset'], total['last_offset'])}" if has_offsets else ""
    return damage(total) + in_bytes + in_offsets


def span(noun: str, first: int, last: int) -> str:
    """`byte 7`, `bytes 4,096 to 5,119`; offsets are not grouped."""
    ends = [f"{end:,}" if noun == "byte" else f"{end}" for end in dict.fromkeys((first, last))]
    return f"{noun}{'s' if len(ends) > 1 else ''} {' to '.join(ends)}"
