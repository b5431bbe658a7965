"""Ids that programs make anew at each start and never use again: which of many under one prefix are such, as SQL.

    ids(REPLICA_COLUMNS, id, first_offset, last_offset)   what the caller provides: each id with its first and last sign of life

A fixed pool is innocent: its ids live as long as the log, or all begin at the same time. Offsets measure both.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

MANY = 100  # ids under one prefix in one partition, of 50 in the topic
SHORT = 0.1  # of the offsets in which such ids begin: an id that lives longer is in use
MIN_SHARE = 0.8  # of the ids under the prefix
SPREAD = 10  # parts of that range, in most of which ids begin: not one start of a pool
MAX_NAMED = 5

UUID = "[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}"
PREFIX = rf"""
    regexp_replace(CASE WHEN regexp_matches(lower(id), '({UUID}|[0-9a-f]{{8,}}|[0-9]+)$')
        THEN regexp_replace(lower(id), '([-_.:/@# ]*({UUID}|[0-9a-f]{{8,}}|[0-9]+))+$', '')
        ELSE regexp_replace(lower(id), '[-_.:/@#][^-_.:/@#]*$', '') END, '[-_.:/@# ]+$', '')
"""
USED_ONCE = f"""
    prefixed AS (SELECT *, {PREFIX} AS prefix FROM ids),
    ranges AS (
        SELECT {REPLICA_COLUMNS}, prefix, min(first_offset) AS first_offset, max(first_offset) AS last_start, count(*) AS ids
        FROM prefixed GROUP BY ALL HAVING count(*) >= {MANY}
    ),
    once AS (
        SELECT p.*, r.ids, r.first_offset AS range_start, r.last_start,
            least({SPREAD - 1}, ((p.first_offset - r.first_offset) * {SPREAD} // greatest(1, r.last_start - r.first_offset))) AS part
        FROM prefixed p JOIN ranges r USING ({REPLICA_COLUMNS}, prefix)
        WHERE p.last_offset - p.first_offset <= {SHORT} * (r.last_start - r.first_offset)
    )
    SELECT {REPLICA_COLUMNS}, prefix, any_value(ids) AS ids, count(*) AS once, min(range_start) AS first_offset, max(last_start) AS last_offset,
        list(id ORDER BY once.first_offset)[:{MAX_NAMED}] AS examples, list(once.first_offset ORDER BY once.first_offset)[:{MAX_NAMED}] AS offsets
    FROM once GROUP BY {REPLICA_COLUMNS}, prefix
    HAVING count(*) >= {MIN_SHARE} * any_value(ids) AND count(DISTINCT part) * 2 > {SPREAD} ORDER BY once DESC
"""
