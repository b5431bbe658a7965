"""What the service does with each record when it replays the log: create, update, delete, rejected, tombstone.

The kind of a lifeline compares a record with the one before it that has the same key. A service does more: it deletes a
group by a record with a value, drops what lacks its content, and updates an entity whose first record was compacted away.
So the replay (`state`, `refusals`) and the entry's action decide, the lifeline's kind only where neither says anything.

The table `marks` has the answer for every record of a partition that a service reads. Results of before that table are asked
by the same query, a window at a time.
"""

from __future__ import annotations

DELETES = "regexp_matches(coalesce(action, ''), '^(delete|drop|clear|remove|terminate|soft-delete)')"
UPDATES = "regexp_matches(coalesce(action, ''), '^(update|alter)')"
BETWEEN = "BETWEEN $first_offset AND $last_offset"
OF_REPLAY = "{of} AND is_own AND view = 'log'"
# By name, the offsets of a partition that the replay tells of; each may stand for several rows.
REPLAY_OFFSETS = {
    "rejected": f'SELECT "offset" FROM refusals WHERE {OF_REPLAY}',
    "began": f'SELECT origin_offset AS "offset" FROM state WHERE {OF_REPLAY}',
    "ended": f'SELECT valid_to_offset AS "offset" FROM state WHERE {OF_REPLAY} AND valid_to_offset IS NOT NULL',
}
# `of`: condition of the partition; `rejected`, `began`, `ended`: what stands behind FROM for those offsets.
KINDS = f"""
SELECT * EXCLUDE (action, is_rejected, began, ended) REPLACE (CASE
    WHEN kind IN ('control', 'restart', 'aborted') THEN kind
    WHEN is_rejected AND NOT began THEN 'rejected'
    WHEN {DELETES} OR (kind = 'tombstone' AND ended AND NOT began) THEN 'delete'
    WHEN kind = 'tombstone' THEN 'tombstone'
    WHEN {UPDATES} OR (began AND ended) THEN 'update'
    WHEN action IN ('create', 'import') OR began THEN 'create'
    WHEN kind = 'revive' THEN 'create'
    ELSE kind END AS kind)
FROM (
    SELECT l.*, entry.action,
           l."offset" IN (SELECT "offset" FROM {{rejected}} WHERE "offset" {BETWEEN}) AS is_rejected,
           l."offset" IN (SELECT "offset" FROM {{began}} WHERE "offset" {BETWEEN}) AS began,
           l."offset" IN (SELECT "offset" FROM {{ended}} WHERE "offset" {BETWEEN}) AS ended
    FROM (SELECT * FROM lifelines WHERE {{of}} AND "offset" {BETWEEN}) AS l
    LEFT JOIN (
        SELECT "offset" AS entry_offset, any_value(entry_action) AS action FROM entries
        WHERE {{of}} AND "offset" {BETWEEN} GROUP BY ALL
    ) AS entry ON l."offset" = entry.entry_offset
)
"""


def kinds_of(of: str) -> str:
    """The lifelines of a partition between two offsets, their kind as the service sees it. Values: `first_offset`,
    `last_offset`."""
    return KINDS.format(
        of=of, **{name: f"({offsets.format(of=of)})" for name, offsets in REPLAY_OFFSETS.items()}
    )
