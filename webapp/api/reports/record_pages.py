"""Pages of whole records: narrow columns decide which offsets (lifelines or marks), then only those are read.

A page holds whole offsets, so one with several records at an offset may hold a few more than was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.api.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, Rows
from webapp.api.rest.cursors import within_page
from webapp.api.rest.errors import ApiError
from webapp.reports.filters.bounds import offsets_within
from webapp.reports.filters.former import RecordFilter, read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.queries.partitions import Facts
from webapp.reports.queries.records import RecordPosition, find_offsets
from webapp.reports.whole_rows import whole

SIZES = f"""
SELECT "offset", sum(key_size_bytes + value_size_bytes + coalesce(list_sum(list_transform(headers,
    lambda header: coalesce(octet_length(header."key"), 0) + coalesce(octet_length(header."value"), 0) + 16)), 0))::BIGINT AS size
FROM records WHERE {WHERE_REPLICA} AND {AT_OFFSETS} GROUP BY "offset" ORDER BY "offset"
"""


@dataclass(frozen=True)
class RecordPage:
    """Records of a page; `after` is where the next one begins, None at the end of the partition."""

    rows: Rows
    after: int | None


def filter_of(params: dict[str, Any]) -> RecordFilter:
    """The filter of an address. Raises ApiError with the place of a mistake."""
    try:
        return read_filter({name: str(value) for name, value in params.items()})
    except FilterError as mistake:
        raise ApiError(mistake.with_place, "filter", position=mistake.start + 1) from mistake


def page_of_records(
    partition: PartitionResults, facts: Facts, records: RecordFilter, after: int | None, limit: int
) -> RecordPage:
    """Records of one copy of a partition behind an offset. `facts`: of the whole copy, whoever reads it."""
    page_offsets = find_offsets(partition, records, facts, RecordPosition(after), limit + 1)
    if len(page_offsets.offsets) > limit:
        last = page_offsets.offsets[-1]
        page = [
            offset for offset in dict.fromkeys(page_offsets.offsets) if offset < last
        ] or page_offsets.offsets[:1]
        page = page[: _fitting(partition, page)]
        return RecordPage(whole(partition, page), page[-1])
    page = list(dict.fromkeys(page_offsets.offsets))
    if (count := _fitting(partition, page)) < len(page):
        return RecordPage(whole(partition, page[:count]), page[count - 1])
    end = offsets_within(records.tree, facts.bounds)[1]
    has_more = page_offsets.searched is not None and page_offsets.searched[1] < end
    return RecordPage(
        whole(partition, page), page_offsets.searched[1] if has_more and page_offsets.searched else None
    )


def _fitting(partition: PartitionResults, offsets: list[int]) -> int:
    """How many of these records fit a page."""
    if not offsets:
        return 0
    rows = partition.rows(SIZES, {"offsets": offsets, "low": offsets[0], "high": offsets[-1]})
    sizes = {row["offset"]: row["size"] for row in rows}
    return within_page([sizes.get(offset, 0) for offset in offsets])
