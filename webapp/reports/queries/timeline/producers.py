"""Lanes by producer and by transaction: each record is joined with the producer id of its batch.

Spans of one producer never overlap, so the last transaction that begins at or before a record is the one it may lie in
(`webapp.reports.queries.transactions`); a marker belongs to the transaction that it ends.
"""

from __future__ import annotations

from typing import Any

from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.lanes import Lanes
from webapp.reports.queries.transactions import IN_TRANSACTIONS, START, outcome_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows

LANES = 30
NO_PRODUCER = "no producer id"
NO_TRANSACTION = "no transaction"
OTHER_PRODUCERS = "all other producers"
OTHER_TRANSACTIONS = "all other transactions"
PRODUCERS = f"""
SELECT producer_id, count(*) AS records FROM records WHERE {WHERE_REPLICA} AND producer_id >= 0
GROUP BY producer_id ORDER BY records DESC, producer_id LIMIT {LANES}
"""
BY_PRODUCER = f"""
SELECT marks.*, CASE WHEN coalesce(of_record.producer_id, -1) < 0 THEN '{NO_PRODUCER}'
                     ELSE coalesce(top.lane, '{OTHER_PRODUCERS}') END AS lane
FROM (SELECT * FROM ({{kinds}}) WHERE {{column}} BETWEEN $first AND $last) AS marks
LEFT JOIN (
    SELECT "offset", any_value(producer_id) AS producer_id FROM records
    WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last GROUP BY "offset"
) AS of_record USING ("offset")
LEFT JOIN (SELECT unnest($producers) AS producer_id, unnest($names) AS lane) AS top
ON of_record.producer_id = top.producer_id
"""
TRANSACTIONS = f"""
SELECT producer_id, {START} AS start_offset, outcome, ended_as FROM transactions
WHERE {WHERE_REPLICA} AND coalesce(marker_{{name}}, last_{{name}}, $last) >= $first
AND coalesce(first_{{name}}, marker_{{name}}, $first) <= $last
ORDER BY outcome <> 'open', outcome = 'committed', coalesce(records, 0) DESC, start_offset LIMIT {LANES}
"""
CHOSEN = """
SELECT producer_id, {start} AS start_offset, outcome, ended_as FROM transactions
WHERE {replica} AND producer_id = $producer AND {start} = $start LIMIT 1
"""
BY_TRANSACTION = f"""
SELECT marks.*, CASE WHEN inside.producer_id IS NULL THEN '{NO_TRANSACTION}'
                     ELSE coalesce(top.lane, '{OTHER_TRANSACTIONS}') END AS lane
FROM (SELECT * FROM ({{kinds}}) WHERE {{column}} BETWEEN $first AND $last) AS marks
LEFT JOIN (
    SELECT "offset", any_value(producer_id) AS producer_id, any_value(start_offset) AS start_offset FROM (
        SELECT "offset", producer_id, first_offset AS start_offset FROM
        ({IN_TRANSACTIONS.format(records="records", chosen="{column} BETWEEN $first AND $last")})
        UNION ALL SELECT marker_offset, producer_id, {START} FROM transactions
        WHERE {WHERE_REPLICA} AND marker_offset IS NOT NULL
    ) GROUP BY "offset"
) AS inside USING ("offset")
LEFT JOIN (
    SELECT unnest($producers) AS producer_id, unnest($starts) AS start_offset, unnest($names) AS lane
) AS top ON inside.producer_id = top.producer_id AND inside.start_offset = top.start_offset
"""
NAMES = {"offset": "offset", "time": "timestamp_ms"}


def lanes_by_producer(partition: PartitionResults, pinned: list[str]) -> Lanes:
    """A lane for each of the producers with most records in the partition, and those that are pinned (`7`)."""
    ids = [row["producer_id"] for row in partition.rows(PRODUCERS)]
    ids += [int(text) for text in pinned if text.isdecimal() and len(text) < 19 and int(text) not in ids]
    names = [f"Producer {producer}" for producer in ids]
    values = {"producers": ids or [-2], "names": names or [""]}
    addresses = {name: f"producer:{producer}" for name, producer in zip(names, ids, strict=True)}
    return Lanes(BY_PRODUCER, values, [NO_PRODUCER, OTHER_PRODUCERS, *names[::-1]], ids=addresses)


def lanes_by_transaction(partition: PartitionResults, span: AxisRange, pinned: list[str]) -> Lanes:
    """A lane for each transaction of the window, those that are open first, then without a COMMIT, then the largest; and those that are
    pinned (`7:12`: producer id and first offset). The lanes of open ones are above the others."""
    sql = TRANSACTIONS.replace("{name}", NAMES[span.axis])
    rows = partition.rows(sql, {"first": span.first, "last": span.last})
    in_window = {(row["producer_id"], row["start_offset"]) for row in rows}
    extra = _pinned(partition, pinned)
    rows += [row for row in extra if (row["producer_id"], row["start_offset"]) not in in_window]
    rows.sort(key=lambda row: (row["outcome"] != "open", row["start_offset"], row["producer_id"]))
    names = [transaction_name(row) for row in rows]
    values = {
        "producers": [row["producer_id"] for row in rows] or [-2],
        "starts": [row["start_offset"] for row in rows] or [-2],
        "names": names or [""],
    }
    addresses = {
        name: f"transaction:{row['producer_id']}:{row['start_offset']}"
        for name, row in zip(names, rows, strict=True)
    }
    return Lanes(BY_TRANSACTION, values, [NO_TRANSACTION, OTHER_TRANSACTIONS, *names[::-1]], ids=addresses)


def transaction_name(row: dict[str, Any]) -> str:
    """`7: 12, open`: producer id, first offset, outcome."""
    return f"{row['producer_id']}: {row['start_offset']}, {outcome_of(row)}"


def _pinned(partition: PartitionResults, pinned: list[str]) -> Rows:
    sql = CHOSEN.format(start=START, replica=WHERE_REPLICA)
    numbers = [text.split(":") for text in pinned]
    chosen = [pair for pair in numbers if len(pair) == 2 and all(n.isdecimal() and len(n) < 19 for n in pair)]
    return [
        row
        for producer, start in chosen
        for row in partition.rows(sql, {"producer": int(producer), "start": int(start)})
    ]
