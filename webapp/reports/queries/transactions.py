"""Transactions of a partition: a page of them, and those that a figure of a window of offsets draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows

TRANSACTIONS_PER_PAGE = 200
DRAWN = 2000  # spans in one figure
OUTCOMES = ("committed", "aborted", "open", "marker_missing")

# A transaction whose data is gone stands at its marker.
START, END = "coalesce(first_offset, marker_offset)", "coalesce(marker_offset, last_offset)"
DELIVERED = "($committed_before IS NULL OR (outcome = 'committed' AND first_offset < $committed_before))"
CONDITION = f"""
{WHERE_REPLICA} AND ($outcome = '' OR outcome = $outcome) AND ($producer_id IS NULL OR producer_id = $producer_id)
AND {DELIVERED}
"""
PAGE = f"""
SELECT *, {START} AS start_offset, {END} AS end_offset FROM transactions WHERE {CONDITION} AND {START} > $after
ORDER BY start_offset, producer_id LIMIT {TRANSACTIONS_PER_PAGE + 1}
"""
COUNTS = f"""
SELECT outcome, count(*) AS transactions, sum(records)::BIGINT AS records FROM transactions WHERE {CONDITION}
GROUP BY outcome ORDER BY outcome
"""
PRODUCERS = f"""
SELECT producer_id, count(*) AS transactions, min({START}) AS start_offset FROM transactions WHERE {WHERE_REPLICA}
GROUP BY producer_id ORDER BY start_offset, producer_id
"""
SPANS = f"""
SELECT producer_id, producer_epoch, first_offset, last_offset, marker_offset, outcome, records, is_indexed,
       {START} AS start_offset, {END} AS end_offset, count(*) OVER () AS all_spans
FROM transactions WHERE {WHERE_REPLICA} AND {END} >= $first AND {START} <= $last AND {DELIVERED}
ORDER BY outcome = 'committed', start_offset LIMIT {DRAWN}
"""

# Records with their transaction. Spans of one producer never overlap, so the last span that begins at or before a record is the
# one it may lie in.
IN_TRANSACTIONS = f"""
SELECT r."offset", r.producer_id, t.first_offset, t.outcome, t.ended_as FROM (
    SELECT producer_id, "offset" FROM {{records}} WHERE {WHERE_REPLICA} AND control_type IS NULL AND producer_id >= 0 AND {{chosen}}
) AS r ASOF JOIN (
    SELECT producer_id, first_offset, last_offset, outcome, ended_as FROM transactions
    WHERE {WHERE_REPLICA} AND first_offset IS NOT NULL
) AS t ON r.producer_id = t.producer_id AND r."offset" >= t.first_offset
WHERE r."offset" <= t.last_offset
"""
OUTCOMES_OF_RECORDS = IN_TRANSACTIONS.format(
    records="records", chosen='"offset" IN (SELECT unnest($offsets))'
)
ABORTED = f"""SELECT "offset" FROM ({IN_TRANSACTIONS.format(records="{records}", chosen="true")}) WHERE outcome = 'aborted'"""
UNKNOWN = "unknown outcome"


@dataclass(frozen=True)
class TransactionsQuery:
    """Filters and position of the list. Empty or None: no filter."""

    outcome: str = ""
    producer_id: int | None = None
    after: int = -1
    committed_before: int | None = (
        None  # only what readers of committed data get: committed, from before this offset
    )


def list_transactions(partition: PartitionResults, query: TransactionsQuery) -> tuple[Rows, bool]:
    """A page of transactions in order of their first offset, and whether more follow."""
    rows = partition.rows(PAGE, vars(query))
    return rows[:TRANSACTIONS_PER_PAGE], len(rows) > TRANSACTIONS_PER_PAGE


def count_by_outcome(partition: PartitionResults, query: TransactionsQuery) -> dict[str, dict[str, Any]]:
    values = {name: value for name, value in vars(query).items() if name != "after"}
    return {row["outcome"]: row for row in partition.rows(COUNTS, values)}


def producers_of(partition: PartitionResults) -> Rows:
    return partition.rows(PRODUCERS)


def spans_between(
    partition: PartitionResults, first: int, last: int, committed_before: int | None = None
) -> Rows:
    """Transactions that overlap a window; where they are many, the committed ones are left out first."""
    values = {"first": first, "last": last, "committed_before": committed_before}
    return partition.rows(SPANS, values)


def outcomes_of(partition: PartitionResults, offsets: Iterable[int]) -> dict[int, str]:
    """By offset, what became of the transaction that a record belongs to: `committed`, `aborted`, `open` or `unknown outcome`;
    a record of no transaction is left out."""
    rows = partition.rows(OUTCOMES_OF_RECORDS, {"offsets": list(offsets)})
    return {row["offset"]: outcome_of(row) for row in rows}


def outcome_of(transaction: dict[str, Any]) -> str:
    """`committed`, `aborted`, `open`; of one whose marker is not there as far as something else tells it."""
    if transaction["outcome"] != "marker_missing":
        return str(transaction["outcome"])
    return transaction["ended_as"] if transaction["ended_as"] in ("committed", "aborted") else UNKNOWN
