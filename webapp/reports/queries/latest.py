"""The latest value of each key at an offset: the state of a journal that nobody replays.

A record holds from its offset on until the next one of its key; a tombstone holds nothing. A page is cut out of the
narrow lifelines first, newest record first; only then its keys and values are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.reports.queries.keys import HAS_KEY
from webapp.reports.queries.partitions import LANE
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, all_of

KEYS_PER_PAGE = 200
VALUE_BYTES = 400

IS_DATA = (
    "kind NOT IN ('tombstone', 'control', 'restart', 'aborted') AND (key_hash_1 <> 0 OR key_hash_2 <> 0)"
)
HELD = f'"offset" <= $at AND (superseded_by IS NULL OR superseded_by > $at) AND {IS_DATA}'
LATEST = f"""
SELECT "offset", timestamp_ms, key_hash_1, key_hash_2, {LANE} AS entry_type, value_size_bytes
FROM lifelines WHERE {WHERE_REPLICA} AND {HELD} AND {{condition}}
"""
BYTES = f"""
SELECT "offset", "key", "value"[1:{VALUE_BYTES}] AS value_start FROM records
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""
NEIGHBOURS = f"""
SELECT max("offset") FILTER ("offset" < $at) AS before, min("offset") FILTER ("offset" > $at) AS after
FROM lifelines WHERE {WHERE_REPLICA} AND kind NOT IN ('control', 'restart') AND {{condition}}
"""
# Of the records after $at_a only the last of each key up to $at_b counts, and what held at $at_a before it.
DIFFERENCES = f"""
SELECT coalesce(b.key_hash_1, a.key_hash_1) AS key_hash_1, coalesce(b.key_hash_2, a.key_hash_2) AS key_hash_2,
       a."offset" AS origin_before, b."offset" AS origin_after,
       CASE WHEN a."offset" IS NULL THEN 'added' WHEN b."offset" IS NULL THEN 'removed' ELSE 'changed' END AS difference,
       coalesce(b."offset", a.superseded_by) AS moment
FROM (SELECT * FROM lifelines WHERE {WHERE_REPLICA} AND {IS_DATA} AND "offset" <= $at_a
      AND superseded_by > $at_a AND superseded_by <= $at_b) AS a
FULL JOIN (SELECT * FROM lifelines WHERE {WHERE_REPLICA} AND {IS_DATA} AND "offset" > $at_a AND "offset" <= $at_b
           AND (superseded_by IS NULL OR superseded_by > $at_b)) AS b
ON a.key_hash_1 = b.key_hash_1 AND a.key_hash_2 = b.key_hash_2
"""
PAGE_OF_DIFFERENCES = f"""
SELECT * FROM ({DIFFERENCES}) WHERE $difference IN ('', difference) ORDER BY moment DESC LIMIT {KEYS_PER_PAGE} OFFSET $skip
"""
COUNT_DIFFERENCES = f"SELECT difference, count(*) AS entities FROM ({DIFFERENCES}) GROUP BY difference"


@dataclass(frozen=True)
class LatestQuery:
    """Offset, filters and page."""

    at: int
    entry_type: str = ""
    contains: str = ""
    page: int = 1


def list_latest(partition: PartitionResults, query: LatestQuery) -> tuple[Rows, int]:
    """One page of keys with their latest values, and the number of all."""
    condition, values = _condition(query)
    sql = LATEST.replace("{condition}", condition)
    rows, total = partition.page(sql, '"offset" DESC', values, query.page, KEYS_PER_PAGE)
    return with_bytes(partition, rows, "offset"), total


def neighbours(partition: PartitionResults, query: LatestQuery) -> dict[str, Any]:
    """The offsets of the records `before` and `after`, of what the filters leave; null at the ends."""
    condition, values = _condition(query)
    return partition.row(NEIGHBOURS.replace("{condition}", condition), values) or {}


def count_key_differences(partition: PartitionResults, before: int, after: int) -> Rows:
    """Number of keys `added`, `removed` and `changed` between two offsets."""
    values = {"at_a": before, "at_b": after}
    return partition.rows(COUNT_DIFFERENCES, values)


def list_key_differences(
    partition: PartitionResults, before: int, after: int, difference: str = "", page: int = 1
) -> Rows:
    """One page of differing keys with their values, newest first."""
    values = {"at_a": before, "at_b": after, "difference": difference, "skip": (page - 1) * KEYS_PER_PAGE}
    rows = partition.rows(PAGE_OF_DIFFERENCES, values)
    rows = with_bytes(partition, rows, "origin_before", "before_")
    return with_bytes(partition, rows, "origin_after", "after_")


def with_bytes(partition: PartitionResults, rows: Rows, column: str, prefix: str = "") -> Rows:
    """The same rows with the `key` and the first bytes of the value of the record that a column names."""
    offsets = [row[column] for row in rows if row[column] is not None]
    records = partition.rows(BYTES, {"offsets": offsets}) if offsets else []
    by_offset = {row["offset"]: row for row in records}
    for row in rows:
        record = by_offset.get(row[column], {})
        row["key"] = record.get("key") if row.get("key") is None else row["key"]
        row[f"{prefix}value_start"] = record.get("value_start")
    return rows


def _condition(query: LatestQuery) -> tuple[str, dict[str, Any]]:
    condition, values = all_of(
        entry_type=(f"{LANE} = $entry_type", query.entry_type), key=(HAS_KEY, query.contains)
    )
    return condition, values | {"at": query.at}
