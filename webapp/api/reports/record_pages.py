"""Pages of whole records: narrow columns decide which offsets (lifelines or marks), then only those are read.

A page holds whole offsets, so one with several records at an offset may hold a few more than was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.api.reports.results import WHERE_REPLICA, PartitionResults, ResultTables, Rows
from webapp.api.rest.cursors import within_page
from webapp.api.rest.errors import ApiError
from webapp.reports.filters.bounds import offsets_within
from webapp.reports.filters.former import RecordFilter, read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.queries.kinds import kinds_at
from webapp.reports.queries.partitions import Facts, survey
from webapp.reports.queries.records import RecordPosition, find_offsets
from webapp.reports.values.decoded_values import decoded_document

# the bounds, too: they tell which row groups need not be read
AMONG = '"offset" BETWEEN $low AND $high AND "offset" IN (SELECT unnest($offsets))'
WHOLE = f"""
SELECT r.*, e.entity_id, e.decode_error, e.attributes, e.file IS NOT NULL AS is_entry FROM records AS r
LEFT JOIN (SELECT "offset", file, entity_id, decode_error, attributes FROM entries
           WHERE {WHERE_REPLICA} AND {AMONG}) AS e
  ON e."offset" = r."offset" AND e.file = r.file
WHERE r.topic = $topic AND r.partition = $partition AND r.replica = $replica
  AND r."offset" BETWEEN $low AND $high AND r."offset" IN (SELECT unnest($offsets))
ORDER BY r."offset", r.file, r.batch_position
"""


SIZES = f"""
SELECT "offset", sum(key_size_bytes + value_size_bytes + coalesce(list_sum(list_transform(headers,
    lambda header: coalesce(octet_length(header."key"), 0) + coalesce(octet_length(header."value"), 0) + 16)), 0))::BIGINT AS size
FROM records WHERE {WHERE_REPLICA} AND {AMONG} GROUP BY "offset" ORDER BY "offset"
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
    partition: PartitionResults, records: RecordFilter, after: int | None, limit: int
) -> RecordPage:
    """Records of one copy of a partition behind an offset."""
    facts = survey(partition.results).facts.get(partition.replica) or Facts()
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


def whole(partition: PartitionResults, offsets: list[int]) -> Rows:
    """All of the records at these offsets, decoded, with what the dialect read in them."""
    if not offsets:
        return []
    kinds = kinds_at(partition, offsets)
    rows = partition.rows(WHOLE, {"offsets": offsets, "low": min(offsets), "high": max(offsets)})
    return [_decoded(partition.results, row) | {"kind": kinds.get(row["offset"])} for row in rows]


def _decoded(results: ResultTables, row: dict[str, Any]) -> dict[str, Any]:
    own = dict(row)
    attributes, is_entry = own.pop("attributes"), own.pop("is_entry")
    key, value = (None if row[f"{side}_is_null"] else bytes(row[side] or b"") for side in ("key", "value"))
    of_value = None if row["decode_error"] else attributes
    return own | {
        "decoded_key": decoded_document(results, key, None, is_entry),
        "decoded_value": decoded_document(results, value, of_value, is_entry),
    }
