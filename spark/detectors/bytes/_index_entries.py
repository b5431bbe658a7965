"""Entries of a segment's indexes that do not fit its batches, one row each.

Not judged: entries of a misnamed segment (they count from its name), and, as `is_of_segment`, what lies at or behind damaged
bytes or the first batch out of order: there the segment is wrong, not its index. `is_shifted`: such an entry points into a batch that
is intact, so bytes were inserted, removed or swapped before it, and lookups fail there.
"""

from __future__ import annotations

from spark.detectors.bytes._segments import MISNAMED
from spark.tables.replica import REPLICA_COLUMNS

# Only entries that fit are asked for their order: the neighbours of a wrong one are innocent.
# An entry of an offset index names the place of a batch and an offset: its first (brokers up to 1.1), its last, or the
# last of a later batch up to the next entry (a follower and the cleaner write several batches at once). Where the
# cleaner took records out of that batch, the last record that is left.
OFFSET_INDEX = """
    offset_entries AS (
        SELECT *, lead(position_bytes) OVER (PARTITION BY file ORDER BY number) AS next_position FROM entries WHERE kind = 'offset'
    ),
    offset_placed AS (
        SELECT offset_entries.*, here.base_offset AS here_base, here.last_offset AS here_last,
            coalesce("offset" IN (here_base, here_last), false) AS fits
        FROM offset_entries LEFT JOIN batches AS here ON here.file = segment_file AND here.position = position_bytes
    ),
    offset_ordered AS (
        SELECT *, fits AND coalesce("offset" <= lag(CASE WHEN fits THEN "offset" END IGNORE NULLS) OVER in_file, false) AS is_disordered
        FROM offset_placed WINDOW in_file AS (PARTITION BY file ORDER BY number)
    ),
    offset_doubtful AS (
        SELECT * FROM offset_ordered WHERE is_disordered OR NOT fits
    ),
    offset_found AS (
        SELECT doubtful.*, covering.position AS found_position,
            covering.position >= position_bytes AND covering.position < coalesce(next_position, doubtful.size_bytes)
            AND ("offset" = covering.last_offset OR "offset" < covering.last_offset
                AND covering.record_count < covering.last_offset - covering.base_offset + 1) AS is_of_the_chunk
        FROM offset_doubtful AS doubtful ASOF LEFT JOIN batches AS covering
            ON covering.file = segment_file AND covering.base_offset <= "offset"
    ),
    offset_odd AS (
        SELECT *, CASE
            WHEN is_disordered THEN 'disorder'
            WHEN position_bytes < 0 OR position_bytes >= size_bytes THEN 'past_end'
            WHEN here_base IS NULL THEN 'inside'
            ELSE 'other_offset'
        END AS reason, position_bytes AS judged_at
        FROM offset_found WHERE is_disordered OR here_base IS NULL OR NOT coalesce(is_of_the_chunk, false)
    )
"""

# An entry of a time index names the greatest timestamp so far and an offset of the batch that carries it, or of one
# that was appended together with it. Batches of format 0 carry no timestamp to compare with.
TIME_INDEX = """
    time_found AS (
        SELECT time_entries.*, covering.position AS found_position, covering.last_offset AS found_last,
            coalesce("offset" <= covering.last_offset AND coalesce(covering.max_timestamp_ms, -1) IN (-1, timestamp_ms), false) AS fits
        FROM (FROM entries WHERE kind = 'time') AS time_entries ASOF LEFT JOIN batches AS covering
            ON covering.file = segment_file AND covering.base_offset <= "offset"
    ),
    time_ordered AS (
        SELECT *, fits AND coalesce("offset" < lag(CASE WHEN fits THEN "offset" END IGNORE NULLS) OVER in_file
            OR timestamp_ms < lag(CASE WHEN fits THEN timestamp_ms END IGNORE NULLS) OVER in_file, false) AS is_disordered
        FROM time_found WINDOW in_file AS (PARTITION BY file ORDER BY number)
    ),
    time_doubtful AS (
        SELECT * FROM time_ordered WHERE is_disordered OR NOT fits
    ),
    time_odd AS (
        SELECT doubtful.*, CASE
            WHEN is_disordered THEN 'disorder'
            WHEN found_last IS NULL OR "offset" > found_last THEN 'no_such_offset'
            ELSE 'other_time'
        END AS reason, coalesce(found_position, 0) AS judged_at
        FROM time_doubtful AS doubtful
        WHERE is_disordered OR found_last IS NULL OR "offset" > found_last OR NOT EXISTS (
            FROM batches AS same
            WHERE same.file = segment_file AND same.max_timestamp_ms = doubtful.timestamp_ms AND same.base_offset <= doubtful."offset"
        )
    )
"""

# An entry of a transaction index names a transaction by its first offset and that of its ABORT marker. A marker that
# is gone is lost-abort-marker's.
TRANSACTION_INDEX = f"""
    aborted_entries AS (
        SELECT aborted.*, row_number() OVER () AS number, segments.* EXCLUDE ({REPLICA_COLUMNS})
        FROM aborted_txns AS aborted JOIN segments USING ({REPLICA_COLUMNS}) WHERE aborted.base_offset = segment_offset
    ),
    aborted_found AS (
        SELECT entries.*, covering.position AS found_position, covering.last_offset AS found_last, is_control,
            covering.producer_id AS found_producer_id,
            coalesce(entries.last_offset <= lag(entries.last_offset) OVER (PARTITION BY entries.file ORDER BY number), false) AS is_disordered
        FROM aborted_entries AS entries ASOF LEFT JOIN batches AS covering
            ON covering.file = segment_file AND covering.base_offset <= entries.last_offset
    ),
    aborted_odd AS (
        SELECT *, CASE
            WHEN is_disordered OR first_offset > last_offset OR last_offset < segment_offset THEN 'disorder'
            WHEN last_offset > segment_last_offset THEN 'past_end'
            WHEN last_offset <= found_last AND (NOT is_control OR found_producer_id <> producer_id) THEN 'no_marker'
        END AS reason, coalesce(found_position, 0) AS judged_at
        FROM aborted_found
    )
"""

ODD_ENTRIES = f"""
    WITH segments AS (
        SELECT {REPLICA_COLUMNS}, file AS segment_file, name AS segment_name, size_bytes, base_offset AS segment_offset,
            held.last_offset AS segment_last_offset
        FROM files LEFT JOIN (SELECT file, max(last_offset) AS last_offset FROM batches GROUP BY file) AS held USING (file)
        WHERE kind = 'segment' AND base_offset IS NOT NULL AND file NOT IN (SELECT file FROM ({MISNAMED}))
    ),
    numbered AS (SELECT *, row_number() OVER () AS number FROM index_entries),
    entries AS (
        SELECT numbered.*, segments.* EXCLUDE ({REPLICA_COLUMNS})
        FROM numbered JOIN segments USING ({REPLICA_COLUMNS}) WHERE numbered.base_offset = segment_offset
    ),
    {OFFSET_INDEX}, {TIME_INDEX}, {TRANSACTION_INDEX},
    odd AS (
        SELECT {REPLICA_COLUMNS}, file, number, kind, reason, judged_at, "offset", segment_file, greatest(position_bytes, 0) AS points_to FROM offset_odd
        UNION ALL SELECT {REPLICA_COLUMNS}, file, number, kind, reason, judged_at, "offset", segment_file, NULL FROM time_odd
        UNION ALL SELECT {REPLICA_COLUMNS}, file, number, 'aborted', reason, judged_at, last_offset, segment_file, NULL FROM aborted_odd
        WHERE reason IS NOT NULL
    ),
    ordered AS (
        SELECT file, position, crc_ok, base_offset <= lag(last_offset) OVER in_file AS goes_back, lag(position) OVER in_file AS before
        FROM batches WHERE file IN (SELECT segment_file FROM odd) WINDOW in_file AS (PARTITION BY file ORDER BY position)
    ),
    bad AS (
        SELECT file, before AS position FROM ordered WHERE goes_back
        UNION ALL SELECT file, position FROM ordered WHERE NOT crc_ok
        UNION ALL SELECT file, position FROM damage WHERE reason <> 'bad_companion'
    ),
    sound AS (SELECT file AS segment_file, min(position) AS sound_up_to FROM bad GROUP BY ALL)
    SELECT odd.*, NOT (sound_up_to IS NULL OR judged_at < sound_up_to AND reason NOT IN ('no_such_offset', 'past_end')) AS is_of_segment,
        is_of_segment AND reason = 'inside' AND EXISTS (
            FROM batches WHERE crc_ok AND file = segment_file AND position < judged_at AND judged_at < position + batches.size_bytes
        ) AS is_shifted
    FROM odd LEFT JOIN sound USING (segment_file)
"""
