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
OPEN = "open"
PAGE = f"""
SELECT *, {START} AS start_offset, {END} AS end_offset FROM transactions
WHERE {CONDITION} AND {START} > $after AND ($outcome <> '' OR outcome <> '{OPEN}')
ORDER BY start_offset, producer_id LIMIT {TRANSACTIONS_PER_PAGE + 1}
"""
COUNTS = f"""
SELECT outcome, count(*) AS transactions, sum(records)::BIGINT AS records, bool_or(EXISTS (
    SELECT 1 FROM aborted_txns AS listed WHERE {WHERE_REPLICA} AND listed.producer_id = transactions.producer_id
        AND listed.first_offset <= transactions.last_offset AND listed.last_offset >= transactions.first_offset
)) AS is_listed, count_if(is_indexed) = count(*) AS are_indexed
FROM transactions WHERE {CONDITION}
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
OUTSIDE = f"""
SELECT DISTINCT "offset" FROM records WHERE {WHERE_REPLICA} AND control_type IS NULL AND "offset" NOT IN (
    SELECT "offset" FROM ({IN_TRANSACTIONS.format(records="records", chosen="true")})
)
"""
UNKNOWN = "unknown outcome"
LOST_ABORT = "aborted without marker"
RANGES_SHOWN = 60
DATA_FROM = f"""SELECT DISTINCT "offset" FROM records WHERE {WHERE_REPLICA} AND control_type IS NULL AND "offset" >= $first"""
RANGES = f"""
SELECT min("offset") AS first_offset, max("offset") AS last_offset, sum(count(*)) OVER ()::BIGINT AS records,
       count(*) OVER () AS ranges, max(max("offset")) OVER () AS last_of_all
FROM (SELECT "offset", "offset" - row_number() OVER (ORDER BY "offset") AS island FROM ({{offsets}}))
GROUP BY island ORDER BY first_offset LIMIT {RANGES_SHOWN}
"""


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
    """A page of transactions in order of their first offset, and whether more follow. The first page begins with the open ones."""
    rows = partition.rows(PAGE, vars(query))
    is_first = not query.outcome and query.after < 0
    open_rows = partition.rows(PAGE, vars(query) | {"outcome": OPEN}) if is_first else []
    page = [*open_rows[:TRANSACTIONS_PER_PAGE], *rows[:TRANSACTIONS_PER_PAGE]]
    return page, len(rows) > TRANSACTIONS_PER_PAGE


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
    """By offset, what became of the transaction that a record belongs to: `committed`, `aborted`, `open`, `LOST_ABORT` or `UNKNOWN`; a
    record of no transaction is left out."""
    rows = partition.rows(OUTCOMES_OF_RECORDS, {"offsets": list(offsets)})
    return {row["offset"]: outcome_of(row) for row in rows}


@dataclass(frozen=True)
class OffsetRanges:
    """Records by their offsets: how many in all, the first ranges (bounds inclusive), and how many more ranges there are."""

    records: int
    ranges: list[tuple[int, int]]
    more: int
    last: int | None = None  # offset of the last record


def hidden_from(partition: PartitionResults, last_stable_offset: int) -> OffsetRanges:
    """Records that readers of committed data do not get yet, whoever wrote them. Markers are no records to a reader."""
    return _ranges(partition, DATA_FROM, {"first": last_stable_offset})


def aborted_records(partition: PartitionResults) -> OffsetRanges:
    """Records that readers of committed data never get."""
    return _ranges(partition, ABORTED.format(records="records"), {})


def records_outside(partition: PartitionResults) -> OffsetRanges:
    """Records of no transaction."""
    return _ranges(partition, OUTSIDE, {})


def _ranges(partition: PartitionResults, offsets: str, values: dict[str, Any]) -> OffsetRanges:
    rows = partition.rows(RANGES.format(offsets=offsets), values)
    if not rows:
        return OffsetRanges(0, [], 0)
    ranges = [(row["first_offset"], row["last_offset"]) for row in rows]
    return OffsetRanges(rows[0]["records"], ranges, rows[0]["ranges"] - len(rows), rows[0]["last_of_all"])


def outcome_of(transaction: dict[str, Any]) -> str:
    """`committed`, `aborted`, `open`; of one whose marker is not there as far as something else tells it."""
    if transaction["outcome"] != "marker_missing":
        return str(transaction["outcome"])
    return {"committed": "committed", "aborted": LOST_ABORT}.get(transaction["ended_as"], UNKNOWN)
