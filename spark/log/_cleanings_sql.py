"""What cleanings asks of the tables.

REPLICAS     one row per partition's copy that has records
OF_REPLICAS  the same replicas: traces of the cleaner, closed segments, open transactions, checkpoints, the topic's policy,
            what tools printed of it
KEYS_OF      the same replicas: repeated keys, records without a key, deletions, what the next cleaning removes

One question joining them all takes DuckDB longer to plan than all of these together.
"""

from __future__ import annotations

from spark.log.cluster_settings import NEWEST_CAPTURES, PRINTED_SETTINGS, PRINTED_STARTS, SAID_BY

# A batch that could not be read whole proves nothing of the cleaner.
TRACES = """
    SELECT topic, partition, replica, min(base_offset) AS first_batch, max(last_offset) AS last_batch,
        min(base_offset) FILTER (delete_horizon_ms IS NOT NULL) AS horizon_offset,
        min(base_offset) FILTER (is_thinned) AS thinned_offset,
        max(last_offset) FILTER (is_thinned OR delete_horizon_ms IS NOT NULL) + 1 AS cleaned_until
    FROM (
        SELECT topic, partition, replica, base_offset, last_offset, delete_horizon_ms,
            crc_ok AND records_read = record_count AND record_count < last_offset - base_offset + 1 AS is_thinned
        FROM batches
    ) GROUP BY ALL
"""
# The files of a capture are not the segments of the broker's log.
SEGMENTS = """
    SELECT topic, partition, replica, CASE WHEN count(*) > 1 THEN max(base_offset) END AS active_offset,
        list({'base_offset': base_offset, 'size_bytes': size_bytes} ORDER BY base_offset) AS segments
    FROM (
        SELECT topic, partition, replica, base_offset, sum(size_bytes)::BIGINT AS size_bytes
        FROM files ANTI JOIN captures USING (topic, partition, replica)
        WHERE kind = 'segment' AND base_offset IS NOT NULL GROUP BY ALL
    ) GROUP BY ALL
"""
OPEN_TRANSACTIONS = f"""
    WITH {NEWEST_CAPTURES}, first_open AS (
        SELECT topic, partition, replica, first_offset FROM transactions WHERE outcome = 'open'
        UNION ALL SELECT topic, partition, replica, last_stable_offset FROM newest_captures
        WHERE last_stable_offset < high_watermark
    )
    SELECT topic, partition, replica, min(first_offset) AS first_stable_offset FROM first_open GROUP BY ALL
"""
NAMED = """
    SELECT topic, partition, replica, max("offset") FILTER (kind = 'cleaner') AS checkpoint_offset,
        max("offset") FILTER (kind = 'log_start') AS log_start_offset
    FROM checkpoints GROUP BY ALL
"""
COPIES = "(SELECT DISTINCT topic, partition, replica FROM runs)"
POLICIES = f"""
    WITH {PRINTED_SETTINGS},
    told AS (SELECT topic, partition, replica, max(cleanup_policy) AS policy FROM captures GROUP BY ALL)
    SELECT topic, partition, replica, coalesce(policy, value) AS cleanup_policy,
        CASE WHEN policy IS NULL THEN said_by END AS policy_said_by
    FROM {COPIES} LEFT JOIN told USING (topic, partition, replica)
    LEFT JOIN (FROM printed_settings WHERE name = 'cleanup.policy') USING (topic)
    WHERE coalesce(policy, value) IS NOT NULL
"""
PRINTED_CLEANINGS = f"""
    SELECT topic, partition, replica, printed_cleaned, cleaned_said_by FROM {COPIES} JOIN (
        SELECT printed.topic, printed.partition, max("offset") AS printed_cleaned,
            arg_max({SAID_BY}, "offset") AS cleaned_said_by
        FROM printed JOIN files USING (file) WHERE printed.kind = 'cleaned' GROUP BY ALL
    ) USING (topic, partition)
"""
STARTS = f"""
    WITH {PRINTED_STARTS}
    SELECT topic, partition, replica, printed_start FROM {COPIES} JOIN printed_starts USING (topic, partition)
"""
REPLICAS = """
    SELECT topic, partition, replica, min(first_offset) AS first_record, max(last_offset) AS last_record
    FROM runs GROUP BY ALL ORDER BY ALL
"""
# Also one without an entry: the broker's cleaner has cleaned nothing yet. One that cannot be read is none.
WITH_CHECKPOINT_FILE = """
    SELECT replica FROM checkpoints WHERE kind = 'cleaner'
    UNION SELECT replica FROM files ANTI JOIN damage USING (file) WHERE suffix(name, 'cleaner-offset-checkpoint')
"""

# What is known of a place besides its records: each of these has one row for a place, or none.
OF_REPLICAS = (TRACES, SEGMENTS, OPEN_TRANSACTIONS, NAMED, POLICIES, PRINTED_CLEANINGS, STARTS)

# Formatted with where the next cleaning ends: a number, or a column joined for each place. Records without a key are
# looked for by the size of the key first: most row groups hold none and are not read.
KEYS_OF = """
    WITH keyless AS (
        SELECT topic, partition, replica, min("offset") AS first_keyless,
            count(*) FILTER ("offset" < {end} AND superseded_by IS NULL) AS keyless_next,
            count(*) FILTER (kind <> 'tombstone') AS keyless_values
        FROM lifelines {joined}
        WHERE key_size_bytes = 0 AND key_hash_1 = 0 AND key_hash_2 = 0 AND kind <> 'control'
        GROUP BY topic, partition, replica
    ),
    keyed AS (
        SELECT topic, partition, replica,
            min("offset") FILTER (previous_offset < "offset") AS first_repeat,
            min("offset") FILTER (kind = 'tombstone' AND previous_offset < "offset") AS deleted_at,
            count(*) FILTER (superseded_by < {end}) AS superseded_next,
            count(*) FILTER (superseded_by IS NOT NULL OR kind = 'tombstone') AS dead
        FROM lifelines {joined} GROUP BY topic, partition, replica
    )
    SELECT topic, partition, replica, first_repeat, deleted_at, first_keyless,
        superseded_next + coalesce(keyless_next, 0) AS removed_next,
        dead + coalesce(keyless_values, 0) AS removed_in_the_end
    FROM keyed LEFT JOIN keyless USING (topic, partition, replica)
"""
