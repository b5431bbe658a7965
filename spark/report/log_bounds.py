"""Where each partition's log starts and ends, as far as the input knows it: what a calm verdict may claim rests on it."""

from __future__ import annotations

from typing import Any

from spark.log.cluster_settings import PRINTED_STARTS
from spark.log.log_ends import ENDS, LOGS
from spark.stages.partition_folders import CONTROLLERS_TOPIC
from spark.tables import Manifest
from spark.tables.replica import REPLICA_COLUMNS
from spark.tables.store import ResultTables

# Files in a partition's folder that no layout reads; hidden ones are the file system's own.
SET_ASIDE = """
    SELECT name FROM files WHERE kind = 'ignored' AND topic <> '?' AND size_bytes > 0 AND NOT regexp_matches(name, '(^|/)[.][^/]*$')
    ORDER BY name
"""
SNAPSHOTS = f"{CONTROLLERS_TOPIC} "  # a controller's snapshot is a log of its own, which ends with its footer
REPLICA = f"({REPLICA_COLUMNS})"
# A high watermark is as old as its checkpoint, and a broker writes it every five seconds; other files tell an end only
# where the records reach it. Of several copies the one of which most is known counts.
BOUNDS = f"""
    WITH {ENDS}, {PRINTED_STARTS},
    told AS (SELECT {REPLICA_COLUMNS}, max(log_start_offset) AS told_start FROM captures GROUP BY ALL),
    moving AS (SELECT DISTINCT left(name, length(name) - 27) AS broker FROM files WHERE suffix(name, 'log-start-offset-checkpoint')),
    snapshots AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM records WHERE starts_with(topic, '{SNAPSHOTS}') AND control_type = 'snapshot_footer'
    ),
    known AS (
        SELECT {REPLICA_COLUMNS}, max(end_offset) AS known_end,
            bool_or(witness IN ('high_watermark', 'print', 'capture') OR end_offset = data_end) AS is_end_known
        FROM data_ends JOIN witnesses USING ({REPLICA_COLUMNS}) GROUP BY ALL
    ),
    copies AS (
        SELECT {REPLICA_COLUMNS}, is_empty, has_segments, is_stopped, data_end, known_end,
            coalesce(is_end_known, {REPLICA} IN (SELECT {REPLICA} FROM snapshots)) AS is_end_known,
            greatest(coalesce(known_end, 0) - data_end, 0) AS lacking,
            coalesce(first_offset = 0 OR has_segments AND oldest_segment = 0 OR log_start IS NOT NULL OR told_start IS NOT NULL
                OR first_offset <= printed_start OR has_segments AND broker IN (SELECT broker FROM moving), false) AS is_start_known
        FROM data_ends LEFT JOIN known USING ({REPLICA_COLUMNS}) LEFT JOIN told USING ({REPLICA_COLUMNS})
        LEFT JOIN printed_starts USING (topic, partition)
        UNION ALL BY NAME
        SELECT {REPLICA_COLUMNS}, true AS is_empty, true AS is_missing, 0 AS lacking, false AS is_end_known, false AS is_start_known FROM logless
    )
    SELECT topic, partition, bool_or(is_start_known) AS is_start_known, bool_or(is_end_known) AS is_end_known, min(lacking)::BIGINT AS lacking,
        CASE WHEN NOT bool_and(is_empty) THEN 'records' WHEN bool_or(is_missing) THEN 'missing' WHEN NOT bool_or(is_end_known) THEN 'unknown'
            WHEN bool_and(data_end = 0 AND is_stopped) THEN 'never-written' ELSE 'empty' END AS holds
    FROM copies GROUP BY ALL ORDER BY ALL
"""

UNREAD = "SELECT count(*) AS count FROM set_aside WHERE kind = 'unread'"

# Partitions with records that a broker's checkpoint names, of topics in the input, of which the input has nothing.
LEFT_OUT = f"""
    WITH {LOGS}
    SELECT topic, count(DISTINCT partition) AS count FROM checkpoints
    WHERE kind = 'replication' AND "offset" > 0 AND topic IN (SELECT topic FROM placed WHERE kind = 'segment')
        AND (topic, partition) NOT IN (SELECT (topic, partition) FROM placed WHERE topic IS NOT NULL)
    GROUP BY topic ORDER BY topic
"""


def log_bounds(manifest: Manifest) -> dict[str, Any]:
    """The members of `coverage` that tell it: of each `<topic>-<partition>`, and files set aside in partitions' folders."""
    tables = ResultTables.open(manifest)
    bounds = {f"{row.pop('topic')}-{row.pop('partition')}": row for row in map(dict, tables.rows(BOUNDS))}
    return {
        "log_bounds_per_partition": bounds,
        "set_aside_in_partitions": [row["name"] for row in tables.rows(SET_ASIDE)],
        "unread_lines": tables.rows(UNREAD)[0]["count"],
        "partitions_left_out": {row["topic"]: row["count"] for row in tables.rows(LEFT_OUT)},
    }
