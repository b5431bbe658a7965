"""What lies at the end of a segment's file and is no whole batch, with what shows that the log went on behind it.

Three witnesses: a later segment, a producer snapshot (its name says which offset came next when it was written), an
entry of the segment's own indexes.
"""

from __future__ import annotations

from spark.detectors.bytes._recovery import SEGMENTS
from spark.tables.replica import REPLICA_COLUMNS

SECTOR_BYTES = 512

# `first_offset` is the first that may be missing; null when a later segment begins with it. `end_offset` is the last
# that a witness knows of, null when none knows of any from `first_offset` on. `is_zeroed`: whole sectors of zeros took
# the place of batches, and batches of a later segment come after them.
TAILS = f"""
    WITH placed AS (
        SELECT damage.*, segments.name, segments.segment_offset
        FROM damage JOIN ({SEGMENTS}) AS segments USING (file)
        WHERE reason IN ('truncated', 'torn', 'zeros_at_end', 'not_a_batch') AND NOT batches_after
    ),
    due AS (
        SELECT placed.file, placed.position, max(batches.last_offset) + 1 AS due_offset
        FROM placed JOIN batches ON batches.file = placed.file AND batches.position < placed.position GROUP BY ALL
    ),
    tail AS (
        SELECT * REPLACE (coalesce(first_offset, due_offset, segment_offset) AS first_offset)
        FROM placed LEFT JOIN due USING (file, position)
    ),
    later AS (
        SELECT tail.file, min(base_offset) AS next_segment_offset FROM tail JOIN files USING ({REPLICA_COLUMNS})
        WHERE files.kind = 'segment' AND base_offset > segment_offset GROUP BY ALL
    ),
    snapshots AS (
        SELECT tail.file, max(base_offset) AS snapshot_offset FROM tail JOIN files USING ({REPLICA_COLUMNS})
        WHERE regexp_matches(files.name, '[0-9]{{20}}[.]snapshot$') AND base_offset > first_offset GROUP BY ALL
    ),
    indexed AS (
        SELECT tail.file, max(entries.offset) AS index_offset, max(entries.offset) FILTER (entries.kind = 'offset') AS last_entry_offset FROM tail JOIN index_entries AS entries USING ({REPLICA_COLUMNS})
        WHERE entries.base_offset = segment_offset AND entries.offset >= first_offset GROUP BY ALL
    ),
    witnessed AS (
        SELECT *, coalesce(next_segment_offset - 1, snapshot_offset - 1, index_offset) AS known_offset
        FROM tail LEFT JOIN later USING (file) LEFT JOIN snapshots USING (file) LEFT JOIN indexed USING (file)
    ),
    bounded AS (
        SELECT * REPLACE (
                CASE WHEN first_offset < coalesce(next_segment_offset, first_offset + 1) THEN first_offset END AS first_offset,
                CASE WHEN first_offset < coalesce(next_segment_offset, first_offset + 1)
                    THEN greatest(first_offset, last_offset, known_offset) END AS last_offset),
            CASE WHEN known_offset >= first_offset THEN known_offset END AS end_offset
        FROM witnessed
    )
    SELECT *, reason IN ('torn', 'zeros_at_end') AND size_bytes >= {SECTOR_BYTES}
            AND end_offset IS NOT NULL AND next_segment_offset IS NOT NULL AS is_zeroed
    FROM bounded
"""
