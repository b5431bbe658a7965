"""Writes that lost their race for an offset, and whether what they meant to write was written after all.

A node reads to the end, writes with seq = next offset, and compares: where another node was quicker the record stands
behind its seq and is ignored, and the node tries again. A retry stands within RACE_REACH offsets.
"""

from __future__ import annotations

from spark.detectors.schemas._writes import MISPLACED, RACE_REACH, Gaps, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables

LOSERS = f'{MISPLACED} AND seq < "offset"'
# A schema is there after all when a record of it counts that was written after the loser had read the log.
UNAPPLIED = f"""
    WITH losers AS (
        SELECT {REPLICA_COLUMNS}, "offset", subject, text, seq, node, version, id FROM ({LOSERS})
        WHERE entry_type = 'SCHEMA' AND entry_action = 'register'
    ),
    applied AS (
        SELECT {REPLICA_COLUMNS}, subject, text, max("offset") AS applied_offset FROM registry_writes
        WHERE counts AND entry_type = 'SCHEMA' AND entry_action IN ('register', 'soft-delete')
            AND ({REPLICA_COLUMNS}, subject) IN (SELECT ({REPLICA_COLUMNS}, subject) FROM losers)
        GROUP BY ALL
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max("offset") AS end_offset FROM registry_writes GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, subject, text, list("offset" ORDER BY "offset") AS offsets, list(seq ORDER BY "offset") AS seqs,
        list(DISTINCT coalesce(node, 'unnamed') ORDER BY coalesce(node, 'unnamed')) AS nodes, arg_max(version, "offset") AS version,
        arg_max(id, "offset") AS id, any_value(end_offset) AS end_offset
    FROM losers LEFT JOIN applied USING ({REPLICA_COLUMNS}, subject, text) JOIN ends USING ({REPLICA_COLUMNS})
    WHERE applied_offset IS NULL OR applied_offset < seq
    GROUP BY {REPLICA_COLUMNS}, subject, text ORDER BY {REPLICA_COLUMNS}, min("offset")
"""


def never_applied(tables: ResultTables) -> list[Row]:
    """One row per subject and schema that lost and was not written again, as far as the log is whole there."""
    rows = prepared(tables).rows(UNAPPLIED)
    if not rows:
        return []
    gaps = Gaps(tables)
    return [row for row in rows if not gaps.any_in(replica_of(row), row["seqs"][0], reach(row))]


def reach(row: Row) -> int:
    """Up to here the retry would stand."""
    return min(row["offsets"][-1] + RACE_REACH, row["end_offset"])
