"""Which records a page lists: narrow columns decide (lifelines or marks); only those are read whole afterwards.

A page holds whole offsets: records that share an offset are never parted by a page's border.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.reports.queries.keys import HAS_KEY, TEXT_OF
from webapp.reports.queries.kinds import OF_BYTES, all_kinds
from webapp.reports.queries.partitions import LANE, Facts
from webapp.reports.results import WHERE_REPLICA, PartitionResults, all_of

RECORDS_PER_PAGE = 200
VALUES_SEARCHED = 1_000_000  # offsets that one page's search in values goes through

OFFSETS = f"""
SELECT "offset" FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}} AND "offset" {{beyond}} $start
ORDER BY "offset" {{direction}} LIMIT {RECORDS_PER_PAGE}
"""
COUNT = f"SELECT count(*) FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}}"
BETWEEN = f"""
SELECT "offset" FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}} AND "offset" BETWEEN $low AND $high
"""
VALUES = f"""
SELECT "offset" FROM records WHERE {WHERE_REPLICA} AND "offset" BETWEEN $low AND $high
AND contains({TEXT_OF.format(column='"value"')}, $value) AND {{among}}
ORDER BY "offset" {{direction}} LIMIT {RECORDS_PER_PAGE}
"""


@dataclass(frozen=True)
class RecordFilters:
    """Filters and position of the list of records. None or empty: no filter."""

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
class FittingRecords:
    """SQL of the narrow rows (columns of `marks`) that fit filters: what to put behind FROM and WHERE, and the values."""

    table: str
    condition: str
    values: dict[str, Any]

    @property
    def is_all(self) -> bool:
        """Whether there is no filter."""
        return self.condition == "true"

    def of(self, query: str) -> str:
        """The query with `{fitting}` and `{condition}` replaced."""
        return query.replace("{fitting}", self.table).replace("{condition}", self.condition)


@dataclass(frozen=True)
class RecordsPage:
    """Offsets of records in their order; `total` is None when values were searched, `searched` then says where."""

    offsets: list[int]
    total: int | None
    searched: tuple[int, int] | None
    has_more: bool


def list_records(partition: PartitionResults, query: RecordFilters, facts: Facts) -> RecordsPage:
    bounds = facts.bounds
    fitting = fitting_records(partition, query)
    searched = None
    if query.value:
        offsets, searched = _offsets_by_value(partition, query, bounds, fitting)
        total = None
    else:
        offsets = _offsets(partition, query, bounds, fitting)
        total = facts.marks if fitting.is_all else partition.value(fitting.of(COUNT), fitting.values)
    return RecordsPage(sorted(offsets), total, searched, len(offsets) >= RECORDS_PER_PAGE)


def _offsets(
    partition: PartitionResults,
    query: RecordFilters,
    bounds: tuple[int, int],
    fitting: FittingRecords,
) -> list[int]:
    sql = fitting.of(OFFSETS).replace("{beyond}", "<" if query.backwards else ">")
    sql = sql.replace("{direction}", "DESC" if query.backwards else "")
    start = query.before if query.before is not None else query.after
    start = bounds[0] - 1 if start is None else start
    return [row["offset"] for row in partition.rows(sql, fitting.values | {"start": start})]


def _offsets_by_value(
    partition: PartitionResults,
    query: RecordFilters,
    bounds: tuple[int, int],
    fitting: FittingRecords,
) -> tuple[list[int], tuple[int, int]]:
    low, high = searched_offsets(query, bounds)
    narrow = "true" if fitting.is_all else f'"offset" IN ({fitting.of(BETWEEN)})'
    sql = VALUES.replace("{among}", narrow).replace("{direction}", "DESC" if query.backwards else "")
    rows = partition.rows(sql, fitting.values | {"low": low, "high": high, "value": query.value})
    offsets = [row["offset"] for row in rows]
    if len(offsets) >= RECORDS_PER_PAGE:  # the search stopped here, so no more than this is known
        low, high = (offsets[-1], high) if query.backwards else (low, offsets[-1])
    return offsets, (low, high)


def searched_offsets(query: RecordFilters, bounds: tuple[int, int]) -> tuple[int, int]:
    """Range of offsets that one page's search in values covers."""
    low = max(bounds[0], query.first_offset if query.first_offset is not None else bounds[0])
    high = min(bounds[1], query.last_offset if query.last_offset is not None else bounds[1])
    if query.before is not None:
        high = min(high, query.before - 1)
        return max(low, high - VALUES_SEARCHED + 1), high
    low = max(low, query.after + 1) if query.after is not None else low
    return low, min(high, low + VALUES_SEARCHED - 1)


def fitting_records(partition: PartitionResults, query: RecordFilters) -> FittingRecords:
    """Records that match all filters except the one on values."""
    condition, values = all_of(
        from_offset=('"offset" >= $from_offset', query.first_offset),
        to_offset=('"offset" <= $to_offset', query.last_offset),
        first_time=("timestamp_ms >= $first_time", query.first_timestamp_ms),
        last_time=("timestamp_ms <= $last_time", query.last_timestamp_ms),
        entry_type=(f"{LANE} = $entry_type", query.entry_type),
        kind=("kind = $kind", query.kind),
        key=(HAS_KEY, query.key),
    )
    if query.kind in ("", *OF_BYTES):
        return FittingRecords("lifelines", condition, values)
    kinds, of_kinds = all_kinds(partition)
    return FittingRecords(f"({kinds})", condition, values | of_kinds)
