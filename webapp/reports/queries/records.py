"""Which records a page lists: narrow columns decide (lifelines or marks), then only those are read whole.

A page holds whole offsets: records that share an offset are never parted by a page's border.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webapp.rejected import Rejected
from webapp.reports.filters.bounds import offsets_within
from webapp.reports.filters.compiled import FittingRecords, compiled, reads_documents, reads_records
from webapp.reports.filters.decoded import DecodedRange, decode_range
from webapp.reports.filters.former import RecordFilter
from webapp.reports.queries.partitions import Facts
from webapp.reports.results import WHERE_REPLICA, PartitionResults

RECORDS_PER_PAGE = 200
VALUES_SEARCHED = 1_000_000  # offsets that one page's search in records goes through
FILTER_SECONDS = 10  # of a page; an answer that takes longer is broken off
DECODING_SECONDS = 4
DECODED_BACKWARDS = 20_000  # offsets
EXPORT_SECONDS = 60
TOO_LONG = "This filter takes longer than {0:g} seconds. Narrow it, for example with offset:{1}..{2}."

OFFSETS = f"""
SELECT "offset" FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}} AND "offset" {{beyond}} $start
ORDER BY "offset" {{direction}} LIMIT $most
"""
ALL_OFFSETS = f'SELECT "offset" FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}} ORDER BY "offset"'
COUNT = f"SELECT count(*) FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}}"


@dataclass(frozen=True)
class RecordPosition:
    """Where in a list of records a page is: behind an offset, or ahead of one."""

    after: int | None = None
    before: int | None = None

    @property
    def is_backwards(self) -> bool:
        """Whether the page is read towards lower offsets."""
        return self.before is not None


@dataclass(frozen=True)
class FoundOffsets:
    """Offsets of a page, in the order they were read. `total` is None where only a range of offsets was `searched`."""

    offsets: list[int]
    total: int | None = None
    searched: tuple[int, int] | None = None


@dataclass(frozen=True)
class RecordsPage:
    """Offsets in their order; `total` is None where records were searched a range at a time, `searched` then says which."""

    offsets: list[int]
    total: int | None
    searched: tuple[int, int] | None
    has_more: bool


def list_records(
    partition: PartitionResults,
    records: RecordFilter,
    facts: Facts,
    position: RecordPosition = RecordPosition(),
) -> RecordsPage:
    """Raises Rejected for a filter that takes too long."""
    page_offsets = find_offsets(partition, records, facts, position, RECORDS_PER_PAGE)
    return RecordsPage(
        sorted(page_offsets.offsets),
        page_offsets.total,
        page_offsets.searched,
        len(page_offsets.offsets) >= RECORDS_PER_PAGE,
    )


def find_offsets(
    partition: PartitionResults, records: RecordFilter, facts: Facts, position: RecordPosition, most: int
) -> FoundOffsets:
    """The first `most` offsets that match, from a position on. Raises Rejected for a filter that takes too long."""
    with in_time(partition, facts.bounds, FILTER_SECONDS):
        if not reads_records(records.tree):
            fitting = compiled(partition, records.tree, records.zone_info)
            offsets = _page(partition, fitting, facts.bounds, position, most)
            total = facts.marks if fitting.is_all else partition.value(fitting.of(COUNT), fitting.values)
            return FoundOffsets(offsets, total)
        if (
            facts.marks <= VALUES_SEARCHED
            and (every := _every_offset(partition, records, facts.bounds)) is not None
        ):
            return FoundOffsets(_slice(every, position, most), len(every))
        return _search(partition, records, facts.bounds, position, most)


@contextmanager
def in_time(partition: PartitionResults, bounds: tuple[int, int], seconds: float) -> Iterator[None]:
    """Break questions off that together take longer: Rejected, with what to do."""
    try:
        with partition.results.deadline(seconds):
            yield
    except TimeoutError as late:
        raise Rejected(TOO_LONG.format(seconds, bounds[0], min(bounds[1], bounds[0] + 99_999)), 422) from late


def whole_filter(
    partition: PartitionResults,
    records: RecordFilter,
    bounds: tuple[int, int],
    seconds: float = EXPORT_SECONDS,
) -> FittingRecords:
    """All records that match, for an export. Raises Rejected where schemas cannot read all values in time."""
    low, high = offsets_within(records.tree, bounds)
    decoded = _decoded(partition, records, (low, high), seconds)
    if decoded and decoded.reached < high:
        raise Rejected(TOO_LONG.format(seconds, low, decoded.reached), 422)
    return compiled(
        partition, records.tree, records.zone_info, documents=decoded.documents if decoded else None
    )


def _decoded(
    partition: PartitionResults, records: RecordFilter, within: tuple[int, int], seconds: float
) -> DecodedRange | None:
    """None: the filter asks for nothing that a schema must tell."""
    if not records.decodes or not reads_documents(records.tree):
        return None
    return decode_range(partition, *within, seconds)


def _every_offset(
    partition: PartitionResults, records: RecordFilter, bounds: tuple[int, int]
) -> NDArray[np.int64] | None:
    """All that match, once for all pages of the list; None where schemas cannot read all values in time."""

    def read() -> NDArray[np.int64] | None:
        within = offsets_within(records.tree, bounds)
        decoded = _decoded(partition, records, within, DECODING_SECONDS)
        if decoded and decoded.reached < within[1]:
            return None
        documents = decoded.documents if decoded else None
        fitting = compiled(partition, records.tree, records.zone_info, within, documents)
        columns = partition.columns(fitting.of(ALL_OFFSETS), fitting.values)
        return np.ma.getdata(columns["offset"]).astype(np.int64)

    every: NDArray[np.int64] | None = partition.remembered(("offsets of a filter", records), read)
    return every


def _slice(every: NDArray[np.int64], position: RecordPosition, most: int) -> list[int]:
    if position.before is not None:
        end = int(np.searchsorted(every, position.before, "left"))
        return every[max(0, end - most) : end][::-1].tolist()
    start = 0 if position.after is None else int(np.searchsorted(every, position.after, "right"))
    return every[start : start + most].tolist()


def _search(
    partition: PartitionResults,
    records: RecordFilter,
    bounds: tuple[int, int],
    position: RecordPosition,
    most: int,
) -> FoundOffsets:
    """A range of offsets, as large as a page may read."""
    asks_schemas = records.decodes and reads_documents(records.tree)
    low, high = searched_offsets(position, offsets_within(records.tree, bounds), asks_schemas)
    if decoded := _decoded(partition, records, (low, high), DECODING_SECONDS):
        high = min(high, max(decoded.reached, low))
    documents = decoded.documents if decoded else None
    fitting = compiled(partition, records.tree, records.zone_info, (low, high), documents)
    offsets = _page(partition, fitting, bounds, position, most)
    if len(offsets) >= most:  # the search stopped here, so no more than this is known
        low, high = (offsets[-1], high) if position.is_backwards else (low, offsets[-1])
    return FoundOffsets(offsets, None, (low, high))


def searched_offsets(
    position: RecordPosition, within: tuple[int, int], asks_schemas: bool = False
) -> tuple[int, int]:
    """Range of offsets that one page's search covers."""
    low, high = within
    if position.before is not None:
        high = min(high, position.before - 1)
        return max(low, high - (DECODED_BACKWARDS if asks_schemas else VALUES_SEARCHED) + 1), high
    low = max(low, position.after + 1) if position.after is not None else low
    return low, min(high, low + VALUES_SEARCHED - 1)


def _page(
    partition: PartitionResults,
    fitting: FittingRecords,
    bounds: tuple[int, int],
    position: RecordPosition,
    most: int,
) -> list[int]:
    sql = fitting.of(OFFSETS).replace("{beyond}", "<" if position.is_backwards else ">")
    sql = sql.replace("{direction}", "DESC" if position.is_backwards else "")
    start = position.before if position.before is not None else position.after
    start = bounds[0] - 1 if start is None else start
    columns = partition.columns(sql, fitting.values | {"start": start, "most": most})
    return np.ma.getdata(columns["offset"]).tolist()
