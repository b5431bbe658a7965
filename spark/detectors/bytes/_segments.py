"""The segments of each partition's copy: what their names promise and what their batches hold.

Only batches whose checksum agrees speak here. Loose segments without topic are of one log where a partition's own
companion (leader-epoch-checkpoint, partition.metadata) lies beside them; else each stands alone (`scope`).
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

SPANS = f"""
    WITH segments AS (
        SELECT {REPLICA_COLUMNS}, file, name, size_bytes, base_offset AS segment_offset
        FROM files WHERE kind = 'segment' AND base_offset IS NOT NULL
    ),
    held AS (
        SELECT file, count(*) AS batches, arg_min(base_offset, position) AS first_offset,
            arg_min(last_offset, position) AS first_batch_ends, arg_min(base_offset, position, 2)[2] AS second_offset,
            max(last_offset) AS last_offset, arg_max(last_offset, position) AS end_offset,
            sum(last_offset - base_offset + 1) AS offsets
        FROM batches WHERE crc_ok GROUP BY file
    ),
    together AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM files
        WHERE topic <> '?' OR regexp_matches(name, '(^|/)(leader-epoch-checkpoint|partition[.]metadata)$')
    )
    SELECT segments.*, held.* EXCLUDE (file), CASE WHEN together.topic IS NULL THEN segments.file ELSE -1 END AS scope
    FROM segments LEFT JOIN held USING (file) LEFT JOIN together USING ({REPLICA_COLUMNS})
"""

# `how`: high (begins below its name) | beyond (begins where the next one should have) | low (its name lies within the
# segment before). A first batch that alone is out of place has a wrong base offset: that is offset-order's. So is the
# only batch of a segment when the name and the next one leave just its room.
MISNAMED = f"""
    WITH spans AS ({SPANS}),
    neighbours AS (
        SELECT *, lead(segment_offset) OVER in_log AS next_segment_offset, lag(end_offset) OVER in_log AS before
        FROM spans WINDOW in_log AS (PARTITION BY {REPLICA_COLUMNS}, scope ORDER BY segment_offset, file)
    ),
    judged AS (
        SELECT *, CASE
            WHEN batches = 1 THEN segment_offset + last_offset - first_offset + 1 = next_segment_offset
            WHEN first_offset < segment_offset THEN second_offset >= segment_offset AND second_offset <> first_batch_ends + 1
            ELSE second_offset <= first_batch_ends
        END AS is_displaced
        FROM neighbours WHERE first_offset IS NOT NULL
    ),
    named AS (
        SELECT *, CASE
            WHEN first_offset < segment_offset THEN 'high'
            WHEN first_offset >= next_segment_offset THEN 'beyond'
            WHEN segment_offset <= before AND first_offset > segment_offset AND first_offset = before + 1 THEN 'low'
        END AS how
        FROM judged WHERE NOT coalesce(is_displaced, false)
    )
    FROM named WHERE how IS NOT NULL
"""
