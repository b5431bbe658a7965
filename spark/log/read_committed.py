"""Committed: the entries of a partition without those of transactions that were aborted or not ended.

What a service sees that takes the entries of a transaction for valid only once it is committed, such as Kafka's group
coordinator. The log cleaner does so, too: an aborted record supersedes nothing and goes, an open one supersedes nothing
yet and stays. A print of the log shows no transactions: there, all entries are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from spark.tables.store import ResultTables

ANY_TRANSACTION = "SELECT 1 FROM batches WHERE {where} AND is_transactional LIMIT 1"
# Each batch of a transaction with the next marker of its producer.
NOT_COMMITTED = """
    WITH markers AS (
        SELECT producer_id, "offset", control_type FROM records WHERE {where} AND control_type IN ('commit', 'abort')
    ),
    written AS (
        SELECT producer_id, base_offset, last_offset FROM batches WHERE {where} AND is_transactional AND NOT is_control
    )
    SELECT base_offset, last_offset, m.control_type IS NULL AS is_open
    FROM written w ASOF LEFT JOIN markers m ON w.producer_id = m.producer_id AND w.base_offset < m."offset"
    WHERE m.control_type IS DISTINCT FROM 'commit' ORDER BY base_offset
"""

# The newest record of each key, of those that count for the cleaner, and what of open transactions stays besides.
LEFT_BY_CLEANER = """
    WITH uncommitted AS ({not_committed}),
    keyed AS (
        SELECT "offset", kind, key_hash_1, key_hash_2 FROM lifelines
        WHERE {where} AND (key_hash_1 <> 0 OR key_hash_2 <> 0)
    ),
    placed AS (
        SELECT k.*, coalesce(k."offset" <= u.last_offset, false) AS is_uncommitted, u.is_open
        FROM keyed k ASOF LEFT JOIN uncommitted u ON k."offset" >= u.base_offset
    ),
    newest AS (
        SELECT max("offset") AS "offset", arg_max(kind, "offset") AS kind FROM placed
        WHERE NOT is_uncommitted GROUP BY key_hash_1, key_hash_2
    )
    SELECT "offset" FROM newest WHERE {condition}
    UNION SELECT "offset" FROM placed WHERE is_uncommitted AND is_open
    ORDER BY "offset"
"""


def has_transactions(of: str, tables: ResultTables) -> bool:
    return bool(tables.rows(ANY_TRANSACTION.format(where=of)))


def left_by_cleaner(of: str, condition: str, tables: ResultTables) -> np.ndarray:
    """Offsets that the cleaner leaves of a partition with transactions, ascending; `condition` on a key's newest record."""
    not_committed = NOT_COMMITTED.format(where=of)
    query = LEFT_BY_CLEANER.format(where=of, condition=condition, not_committed=not_committed)
    return tables.arrow(query).column("offset").to_numpy()


def committed(entries: Iterable[pa.Table], of: str, tables: ResultTables) -> Iterator[pa.Table]:
    """The entries that count; `of`: condition in SQL, rows of the partition."""
    if not has_transactions(of, tables):
        yield from entries
        return
    ranges = tables.arrow(NOT_COMMITTED.format(where=of))
    first, last = (ranges.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    for portion in entries:
        yield portion.filter(pa.array(~inside(portion.column("offset").to_numpy(), first, last)))


def inside(offsets: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Which offsets lie in one of the ranges, which are in order and apart."""
    if not len(first):
        return np.zeros(len(offsets), dtype=bool)
    position = np.searchsorted(first, offsets, side="right") - 1
    return (position >= 0) & (offsets <= last[np.maximum(position, 0)])
