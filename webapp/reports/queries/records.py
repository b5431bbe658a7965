"""A page of records: narrow columns decide which (lifelines), then only those are read whole (records).

A page holds whole offsets: records that share an offset are never parted by a page's border.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.reports.queries.keys import HAS_KEY, TEXT_OF
from webapp.reports.queries.partitions import LANE, Facts
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, all_of

RECORDS_PER_PAGE = 200
VALUES_SEARCHED = 1_000_000  # offsets that one page's search in values goes through

OFFSETS = f"""
SELECT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND {{condition}} AND "offset" {{beyond}} $start
ORDER BY "offset" {{direction}} LIMIT {RECORDS_PER_PAGE}
"""
COUNT = f"SELECT count(*) FROM lifelines WHERE {WHERE_REPLICA} AND {{condition}}"
VALUES = f"""
SELECT "offset" FROM records WHERE {WHERE_REPLICA} AND "offset" BETWEEN $low AND $high
AND contains({TEXT_OF.format(column='"value"')}, $value) AND {{in_lifelines}}
ORDER BY "offset" {{direction}} LIMIT {RECORDS_PER_PAGE}
"""
WHOLE = f"""
SELECT r."offset", r.file, r.batch_position, r.timestamp_ms, r.timestamp_type, r."key", r.key_is_null,
       r.value_is_null, r.key_size_bytes, r.value_size_bytes, r.control_type, r.entry_type, r.entry_action,
       r.key_hash_1, r.key_hash_2, r."value"[1:400] AS value_start
FROM records AS r WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
ORDER BY r."offset", r.file, r.batch_position
"""
ENTRIES = f"""
SELECT "offset", file, entity_id, decode_error FROM entries
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""


@dataclass(frozen=True)
class RecordFilters:
    """What somebody asks of the list of records; None or empty: no such filter."""

    first_offset: int | None = None
    last_offset: int | None = None
    first_timestamp_ms: int | None = None
    last_timestamp_ms: int | None = None
    entry_type: str = ""
    kind: str = ""
    key: str = ""
    value: str = ""
    after: int | None = None  # the next page begins behind this offset
    before: int | None = None  # the page before ends ahead of it

    @property
    def backwards(self) -> bool:
        """Whether the page is read towards lower offsets."""
        return self.before is not None


@dataclass(frozen=True)
class RecordsPage:
    """Records in offset order; `total` is None when values were searched, `searched` then says which offsets."""

    rows: Rows
    total: int | None
    searched: tuple[int, int] | None
    has_more: bool


def list_records(partition: PartitionResults, query: RecordFilters, facts: Facts) -> RecordsPage:
    """A page of records of the partition that `facts` are about."""
    bounds = facts.bounds
    condition, parameters = condition_of(query)
    searched = None
    if query.value:
        offsets, searched = _offsets_by_value(partition, query, bounds, condition, parameters)
        total = None
    else:
        offsets = _offsets(partition, query, bounds, condition, parameters)
        count = COUNT.replace("{condition}", condition)
        total = facts.marks if condition == "true" else partition.value(count, parameters)
    rows = _with_entries(partition, offsets) if offsets else []
    return RecordsPage(rows, total, searched, len(offsets) >= RECORDS_PER_PAGE)


def _with_entries(partition: PartitionResults, offsets: list[int]) -> Rows:
    """Whole records with the `entity_id` and `decode_error` of what the dialect read in them."""
    entries = {(row["offset"], row["file"]): row for row in partition.rows(ENTRIES, {"offsets": offsets})}
    nothing = {"entity_id": None, "decode_error": None}
    rows = partition.rows(WHOLE, {"offsets": offsets})
    return [entries.get((row["offset"], row["file"]), nothing) | row for row in rows]


def _offsets(
    partition: PartitionResults,
    query: RecordFilters,
    bounds: tuple[int, int],
    condition: str,
    parameters: dict[str, Any],
) -> list[int]:
    sql = OFFSETS.replace("{condition}", condition).replace("{beyond}", "<" if query.backwards else ">")
    sql = sql.replace("{direction}", "DESC" if query.backwards else "")
    start = query.before if query.before is not None else query.after
    start = bounds[0] - 1 if start is None else start
    return [row["offset"] for row in partition.rows(sql, parameters | {"start": start})]


def _offsets_by_value(
    partition: PartitionResults,
    query: RecordFilters,
    bounds: tuple[int, int],
    condition: str,
    parameters: dict[str, Any],
) -> tuple[list[int], tuple[int, int]]:
    low, high = searched_offsets(query, bounds)
    narrow = "true"
    if condition != "true":
        inner = f'SELECT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND {condition} '
        narrow = f'"offset" IN ({inner} AND "offset" BETWEEN $low AND $high)'
    sql = VALUES.replace("{in_lifelines}", narrow).replace("{direction}", "DESC" if query.backwards else "")
    rows = partition.rows(sql, parameters | {"low": low, "high": high, "value": query.value})
    offsets = [row["offset"] for row in rows]
    if len(offsets) >= RECORDS_PER_PAGE:  # the search stopped here, so no more than this is known
        low, high = (offsets[-1], high) if query.backwards else (low, offsets[-1])
    return offsets, (low, high)


def searched_offsets(query: RecordFilters, bounds: tuple[int, int]) -> tuple[int, int]:
    """The stretch of offsets that one page's search in values goes through."""
    low = max(bounds[0], query.first_offset if query.first_offset is not None else bounds[0])
    high = min(bounds[1], query.last_offset if query.last_offset is not None else bounds[1])
    if query.before is not None:
        high = min(high, query.before - 1)
        return max(low, high - VALUES_SEARCHED + 1), high
    low = max(low, query.after + 1) if query.after is not None else low
    return low, min(high, low + VALUES_SEARCHED - 1)


def condition_of(query: RecordFilters) -> tuple[str, dict[str, Any]]:
    """SQL on a row of `lifelines` that fits all filters but that on values, and its values."""
    return all_of(
        first_offset=('"offset" >= $first_offset', query.first_offset),
        last_offset=('"offset" <= $last_offset', query.last_offset),
        first_time=("timestamp_ms >= $first_time", query.first_timestamp_ms),
        last_time=("timestamp_ms <= $last_time", query.last_timestamp_ms),
        entry_type=(f"{LANE} = $entry_type", query.entry_type),
        kind=("kind = $kind", query.kind),
        key=(HAS_KEY, query.key),
    )
