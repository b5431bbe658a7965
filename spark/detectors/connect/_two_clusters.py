"""Two Connect clusters in one status topic: two series of generations that rise for themselves and alternate.

Within one cluster the generation of the group rises from rebalance to rebalance. A worker that lost its group keeps its old
generation; one that comes back has the newest. So when RUNNING goes back to an older generation, again and again, and the older
ones rise too, and no worker is in both series, there are two groups.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

STATUSES = "('task-status', 'connector-status')"
RETURNS = 2  # to a lower generation, each with a higher one than before
EQUALS = 3  # two workers that report one task RUNNING in one generation, so many generations
# One row per topic and replica.
CLUSTERS = f"""
    WITH reports AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, "offset", json_extract_string(attributes, ['$.worker_id', '$.generation']) AS members
        FROM entries WHERE entry_type IN {STATUSES} AND entry_action = 'RUNNING' AND decode_error IS NULL
    ),
    shared AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id FROM reports GROUP BY ALL HAVING min(members[1]) <> max(members[1])
    ),
    steps AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, "offset", members[1] AS worker, try_cast(members[2] AS BIGINT) AS generation,
            lag(members[1]) OVER one AS worker_before, lag(try_cast(members[2] AS BIGINT)) OVER one AS generation_before,
            lag("offset") OVER one AS offset_before
        FROM reports JOIN shared USING ({REPLICA_COLUMNS}, entry_type, entity_id)
        WINDOW one AS (PARTITION BY {REPLICA_COLUMNS}, entry_type, entity_id ORDER BY "offset")
    ),
    returns AS (FROM steps WHERE worker <> worker_before AND generation <= generation_before),
    doubled AS (
        SELECT {REPLICA_COLUMNS}, entry_type, entity_id, list_sort(list_distinct(list(worker))) AS lower, list_sort(list_distinct(list(worker_before))) AS higher,
            list(generation ORDER BY "offset") AS lows, list(generation_before ORDER BY "offset") AS highs,
            min(offset_before) AS first_offset, max("offset") AS last_offset,
            list_sort(list_distinct(flatten(list([offset_before, "offset"])))) AS offsets,
            count(DISTINCT generation) FILTER (generation < generation_before) AS older, count(DISTINCT generation) AS rising
        FROM returns GROUP BY ALL
        HAVING NOT list_has_any(lower, higher) AND lows = list_sort(lows) AND highs = list_sort(highs)
            AND highs[1] < highs[-1] AND lows[1] < lows[-1] AND (older >= {RETURNS} OR rising >= {EQUALS})
    )
    SELECT topic, replica, arg_min(partition, first_offset) AS partition, list_sort(list_distinct(flatten(list(lower)))) AS lower,
        list_sort(list_distinct(flatten(list(higher)))) AS higher, list(entity_id ORDER BY partition, first_offset) FILTER (entry_type = 'task-status') AS tasks,
        list(entity_id ORDER BY partition, first_offset) FILTER (entry_type = 'connector-status') AS connectors,
        min(lows[1]) AS lower_first, max(lows[-1]) AS lower_last, min(highs[1]) AS higher_first, max(highs[-1]) AS higher_last,
        arg_min(offsets, first_offset) AS offsets
    FROM doubled GROUP BY topic, replica ORDER BY topic, replica
"""
