"""Groups and the records at which their consumers fail."""

from __future__ import annotations

from collections.abc import Collection

from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables

COMMITS = """
    SELECT entity_id, TRY_CAST(attributes->>'offset' AS BIGINT) AS committed FROM state
    WHERE entity_type = 'offset-commit' AND view = 'log' AND is_own AND valid_to_offset IS NULL AND suffix(entity_id, {})
"""


def commits(row: Row, tables: ResultTables) -> list[tuple[str, int]]:
    """Groups with their last committed offset for the row's partition."""
    suffix = f"/{row['topic']}/{row['partition']}"
    rows = tables.rows(COMMITS.format(quoted(suffix)))
    return [(str(commit["entity_id"]).removesuffix(suffix), commit["committed"]) for commit in rows]


def stopped(row: Row, offsets: Collection[int], tables: ResultTables) -> list[tuple[str, int]]:
    """Those whose committed offset is one of these: they have not passed it."""
    return [(group, committed) for group, committed in commits(row, tables) if committed in offsets]
