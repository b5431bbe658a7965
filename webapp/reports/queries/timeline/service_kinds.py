"""What the service does with each record when it replays the log: create, update, delete, dropped, tombstone.

The stored kind compares a record with the one before it that has the same key. A service does more: it deletes a group
by a record with a value, drops what lacks its content, and updates an entity whose first record was compacted away.
So the replay (`state`, `refusals`) and the entry's action decide, the stored kind only where neither says anything.
"""

from __future__ import annotations

from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

KINDS = ("create", "update", "delete", "dropped", "tombstone", "control", "aborted", "restart")
MAX_EXACT = 250_000  # records of a window: above it the joins take longer than a page may
OWN = f"{WHERE_REPLICA} AND is_own AND view = 'log'"
BETWEEN = "BETWEEN $first_offset AND $last_offset"
DELETES = "regexp_matches(coalesce(action, ''), '^(delete|drop|clear|remove|terminate|soft-delete)')"
UPDATES = "regexp_matches(coalesce(action, ''), '^(update|alter)')"

REPLAYED = f"""
SELECT EXISTS (SELECT 1 FROM entries WHERE {WHERE_REPLICA}) OR EXISTS (SELECT 1 FROM state WHERE {WHERE_REPLICA})
    OR EXISTS (SELECT 1 FROM refusals WHERE {WHERE_REPLICA}) AS is_replayed
"""

BY_BYTES = f"""
SELECT * REPLACE (CASE kind WHEN 'revive' THEN 'create' ELSE kind END AS kind) FROM lifelines WHERE {WHERE_REPLICA}
"""
BY_SERVICE = f"""
SELECT * EXCLUDE (action, is_dropped, began, ended) REPLACE (CASE
    WHEN kind IN ('control', 'restart', 'aborted') THEN kind
    WHEN is_dropped AND NOT began THEN 'dropped'
    WHEN {DELETES} OR (kind = 'tombstone' AND ended AND NOT began) THEN 'delete'
    WHEN kind = 'tombstone' THEN 'tombstone'
    WHEN {UPDATES} OR (began AND ended) THEN 'update'
    WHEN action IN ('create', 'import') OR began THEN 'create'
    WHEN kind = 'revive' THEN 'create'
    ELSE kind END AS kind)
FROM (
    SELECT l.*, entry.action,
           l."offset" IN (SELECT "offset" FROM refusals WHERE {OWN} AND "offset" {BETWEEN}) AS is_dropped,
           l."offset" IN (SELECT origin_offset FROM state WHERE {OWN} AND origin_offset {BETWEEN}) AS began,
           l."offset" IN (SELECT valid_to_offset FROM state WHERE {OWN} AND valid_to_offset {BETWEEN}) AS ended
    FROM (SELECT * FROM lifelines WHERE {WHERE_REPLICA} AND "offset" {BETWEEN}) AS l
    LEFT JOIN (
        SELECT "offset" AS entry_offset, any_value(entry_action) AS action FROM entries
        WHERE {WHERE_REPLICA} AND "offset" {BETWEEN} GROUP BY ALL
    ) AS entry ON l."offset" = entry.entry_offset
)
"""


def is_replayed(results: Results, replica: PartitionReplica) -> bool:
    """Whether a service reads the partition. Of a plain topic key and null value say all, however many records it has."""
    row = results.row(REPLAYED, replica=replica)
    return bool(row and row["is_replayed"])
