"""Log ends: where the records of each partition's copy end, and who else in the input knows an end of that log. In SQL.

    data_ends   a row for each copy that has records, or a log of a partition's folder: `data_end`, the offset behind the last
                record, batch, or damaged batch whose offsets are known; an empty newest segment ends where its name says
    witnesses   a row for each copy and source that knows an end: `end_offset` (exclusive), `witness`, `said_by` (a file's name)
    logless     a row for each partition's folder without any segment or dump

    high_watermark   replication-offset-checkpoint          group    a group's committed offset, printed by a tool
    recovery_point   recovery-point-offset-checkpoint       print    kafka-get-offsets, kafka-consumer-groups
    snapshot, index  names of producer snapshots and of     capture  high watermark in the manifest of a capture
                     companions; entries of indexes         kcat     its line `% Reached end of topic T [0] at offset 7`

The log is never shorter than any of these says: a broker writes them behind the records. Retention that deletes everything rolls
a segment named for the end, and DeleteRecords moves the log's start.
Source: Kafka `ReplicaManager.checkpointHighWatermarks`, `LogManager`, `ProducerStateManager.takeSnapshot`, `UnifiedLog.deleteOldSegments`.
"""

from __future__ import annotations

from spark.log.cluster_settings import SAID_BY
from spark.tables.replica import REPLICA_COLUMNS

CLEAN_STOP = ".kafka_cleanshutdown"
REACHED_END = r"^% Reached end of topic (\S+) \[(\d{1,9})\] at offset (\d{1,18})"
BROKERS_FOLDER = r"regexp_extract(name, '^((.*/)?)[^/]+/[^/]+$', 1)"  # of a file in a partition's folder
LEFTOVER_FOLDER = r"-(delete|future|stray)/[^/]+$"

# Leftover folders (`-delete`, `-future`, `-stray`) say nothing of the live log.
LOGS = f"""
    placed AS (
        SELECT {REPLICA_COLUMNS}, file, name, kind, layout, base_offset, {BROKERS_FOLDER} AS broker FROM files
        WHERE NOT regexp_matches(name, '{LEFTOVER_FOLDER}')
    ),
    stopped AS (
        SELECT DISTINCT left(name, length(name) - {len(CLEAN_STOP)}) AS broker FROM files WHERE suffix(name, '{CLEAN_STOP}')
    ),
    own_logs AS (
        SELECT {REPLICA_COLUMNS}, max(base_offset) AS newest_segment, min(base_offset) AS oldest_segment,
            any_value(broker) AS broker, true AS has_segments
        FROM placed WHERE kind = 'segment' GROUP BY {REPLICA_COLUMNS}
    ),
    log_starts AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS log_start FROM checkpoints WHERE kind = 'log_start' GROUP BY ALL
    ),
    ends_of_records AS (
        SELECT {REPLICA_COLUMNS}, min(first_offset) AS first_offset, max(last_offset) + 1 AS end_offset FROM (
            SELECT {REPLICA_COLUMNS}, first_offset, last_offset FROM runs
            UNION ALL SELECT {REPLICA_COLUMNS}, base_offset, last_offset FROM batches
        ) GROUP BY ALL
    ),
    data_ends AS (
        SELECT {REPLICA_COLUMNS}, first_offset, first_offset IS NULL AS is_empty, log_start, newest_segment, oldest_segment,
            coalesce(has_segments, false) AS has_segments, coalesce(broker IN (FROM stopped), false) AS is_stopped, broker,
            greatest(end_offset, newest_segment, log_start) AS data_end
        FROM own_logs FULL JOIN ends_of_records USING ({REPLICA_COLUMNS}) LEFT JOIN log_starts USING ({REPLICA_COLUMNS})
    ),
    logless AS (
        SELECT {REPLICA_COLUMNS}, any_value(broker IN (FROM stopped)) AS is_stopped
        FROM placed WHERE topic <> '?' GROUP BY {REPLICA_COLUMNS}
        HAVING bool_and(coalesce(layout, kind) = 'companion') AND (topic, partition) NOT IN (SELECT (topic, partition) FROM placed WHERE kind = 'export')
    )
"""
# Every copy of which an end may be known.
COPIES = f"(SELECT {REPLICA_COLUMNS} FROM data_ends UNION SELECT {REPLICA_COLUMNS} FROM logless)"
WITNESSES = f"""
    witnesses AS (
        SELECT {REPLICA_COLUMNS}, replace(kind, 'replication', 'high_watermark') AS witness, max("offset") AS end_offset,
            arg_max(files.name, "offset") AS said_by
        FROM (SELECT {REPLICA_COLUMNS}, kind, "offset", file FROM checkpoints WHERE kind IN ('replication', 'recovery_point'))
        JOIN (SELECT file, name FROM files) AS files USING (file) GROUP BY ALL
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'snapshot', max(base_offset), arg_max(name, base_offset) FROM placed
        WHERE kind = 'companion' AND suffix(name, '.snapshot') AND base_offset IS NOT NULL GROUP BY ALL
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'index', max("offset") + 1, arg_max(name, "offset")
        FROM (SELECT {REPLICA_COLUMNS}, "offset", file FROM index_entries) JOIN (SELECT file, name FROM files) USING (file) GROUP BY ALL
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'index', max(base_offset), arg_max(name, base_offset) FROM placed
        WHERE kind = 'companion' AND regexp_matches(name, '[.](index|timeindex|txnindex)$') AND base_offset > 0 GROUP BY ALL
        UNION ALL
        SELECT {REPLICA_COLUMNS}, printed.witness, end_offset, said_by FROM {COPIES} JOIN (
            SELECT topic, partition, CASE kind WHEN 'log_end' THEN 'print' ELSE 'group' END AS witness,
                max("offset") AS end_offset, arg_max(said_by, "offset") AS said_by
            FROM (SELECT printed.*, {SAID_BY} AS said_by FROM printed JOIN files USING (file))
            WHERE kind IN ('log_end', 'group') AND coalesce("offset" <= end_offset, true) GROUP BY ALL  -- a commit beyond the end proves no record
        ) AS printed USING (topic, partition)
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'kcat', end_offset, name FROM {COPIES} JOIN (
            SELECT topic, partition::INT AS partition, max(end_offset::BIGINT) AS end_offset, any_value(name) AS name
            FROM (
                SELECT name, unnest(regexp_extract(text, '{REACHED_END}', ['topic', 'partition', 'end_offset'])) FROM set_aside
                WHERE regexp_matches(text, '{REACHED_END}')
            ) GROUP BY ALL
        ) USING (topic, partition)
        UNION ALL
        SELECT {REPLICA_COLUMNS}, 'capture', max(high_watermark), '' FROM captures WHERE high_watermark IS NOT NULL GROUP BY ALL
    )
"""
ENDS = f"{LOGS}, {WITNESSES}"
