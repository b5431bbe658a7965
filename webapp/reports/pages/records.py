"""Records: a page of them with a filter and chosen columns; an offset typed goes straight to its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from spark.tables.evidence import within
from webapp.rejected import Rejected
from webapp.reports.filters.bounds import offsets_within
from webapp.reports.filters.former import RecordFilter, read_time
from webapp.reports.filters.line import filter_line, filter_of, parts_that_exclude
from webapp.reports.filters.reading import FilterError
from webapp.reports.page import Page, report_page
from webapp.reports.pages import (
    CHOICE,
    DISPLAY,
    NAME,
    OFFSET,
    POSITION,
    RECORD_TABLES,
    SEARCH,
    TIME,
    ReportPage,
)
from webapp.reports.paging import whole_number
from webapp.reports.queries.gaps import gap_at
from webapp.reports.queries.record import read_neighbours
from webapp.reports.queries.records import RecordPosition, RecordsPage, find_offsets, list_records
from webapp.reports.record_table.columns import PARAM, STANDARD, choose_columns
from webapp.reports.record_table.rows import rows_of

NOTHING = RecordsPage([], 0, None, False)
ROWS_BEFORE = 8  # above the record that a page was opened for


@dataclass(frozen=True)
class FilteredList:
    """What a page lists, and why it may list nothing: a mistake in the filter, or a filter that takes too long."""

    records: RecordFilter
    position: RecordPosition
    page: RecordsPage
    mistake: FilterError | None = None
    rejected: str = ""


@report_page
def records(page: Page) -> HttpResponse:
    """The list, with the record of `offset=` marked and in view, and that of `record=` opened."""
    sought = whole_number(page.request.GET.get("offset") or page.request.GET.get("record"))
    columns = choose_columns(page)
    filtered = read_list(page, sought)
    listed = filtered.page
    around = _neighbour_pages(page, filtered)
    return page.render(
        "reports/records.html",
        {
            "clear_url": page.url("report-records", columns=columns.in_address),
            "problems": [*_problems(page), *([filtered.rejected] if filtered.rejected else [])],
            "filter_line": filter_line(page, filtered.records, filtered.mistake),
            "filtered": filtered.records.tree is not None,
            "found": listed,
            "without": parts_that_exclude(page, filtered.records) if listed.total == 0 else [],
            "rows": rows_of(page, listed.offsets, columns.chosen, around["next_url"] is None),
            "columns": columns,
            "standard_url": _list_url(page, filtered.records, columns=STANDARD),
            "flagged": page.report.worst_by_offset(page.replica),
            "sought": sought,
            "missing": _missing(page, sought),
            "within": within(page.replica.replica),
            "jump": page.request.GET.get("offset", ""),
            "place_fields": page.replica_params(page.replica)
            | page.reader.query
            | ({PARAM: columns.in_address} if columns.in_address else {}),
            "kept_fields": filtered.records.query,
            **around,
        },
    )


def read_list(page: Page, sought: int | None) -> FilteredList:
    """The page of the list that the address asks for; that of the record sought, where it does not say which. Nothing is listed for
    a filter with a mistake."""
    position = RecordPosition(*(whole_number(page.request.GET.get(name)) for name in ("after", "before")))
    try:
        record_filter = filter_of(page)
    except FilterError as mistake:
        return FilteredList(RecordFilter(), position, NOTHING, mistake)
    try:
        listed = list_records(page.partition, record_filter, page.facts, position)
        if sought is not None and position == RecordPosition() and sought not in listed.offsets:
            above = RecordPosition(before=sought)
            before = find_offsets(page.partition, record_filter, page.facts, above, ROWS_BEFORE).offsets
            position = RecordPosition(after=min(before) - 1 if before else None)
            listed = list_records(page.partition, record_filter, page.facts, position)
    except Rejected as rejected:
        return FilteredList(record_filter, position, NOTHING, rejected=str(rejected))
    return FilteredList(record_filter, position, listed)


def _problems(page: Page) -> list[str]:
    """Filters that cannot be parsed, as sentences."""
    params = page.request.GET
    numbers = {"first": "From offset", "last": "To offset", "offset": "Go to offset"}
    times = {"since": "Since", "until": "Until"}
    wrong = [
        label for name, label in numbers.items() if params.get(name) and whole_number(params[name]) is None
    ]
    wrong_times = [
        label for name, label in times.items() if params.get(name) and read_time(params[name]) is None
    ]
    return [f"“{label}” is not a whole number, so it was left out." for label in wrong] + [
        f"“{label}” is not a time such as 2024-02-06 10:30, so it was left out." for label in wrong_times
    ]


def _missing(page: Page, offset: int | None) -> dict[str, Any] | None:
    """Why the offset has no record, and the nearest records; None if it has one."""
    if offset is None or page.bounds[1] < page.bounds[0]:
        return None
    gap = gap_at(page.partition, offset)
    outside = not page.bounds[0] <= offset <= page.bounds[1]
    if gap is None and not outside:
        return None
    return {"offset": offset, "gap": gap, **read_neighbours(page.partition, offset)}


def _neighbour_pages(page: Page, filtered: FilteredList) -> dict[str, Any]:
    listed, position, record_filter = filtered.page, filtered.position, filtered.records
    first, last = listed.searched or (
        (listed.offsets[0], listed.offsets[-1]) if listed.offsets else (None, None)
    )
    low, high = offsets_within(record_filter.tree, page.bounds)
    has_later = last is not None and last < high
    has_earlier = first is not None and first > low
    if not listed.searched and not listed.has_more:  # the page is the end of what was read
        has_later = has_later and position.is_backwards
        has_earlier = has_earlier and not position.is_backwards
    is_later = position.after is not None or position.is_backwards
    has_earlier = has_earlier and is_later
    return {
        "next_url": _list_url(page, record_filter, after=last) if has_later else None,
        "previous_url": _list_url(page, record_filter, before=first) if has_earlier else None,
        "start_url": _list_url(page, record_filter) if is_later else None,
    }


def _list_url(page: Page, record_filter: RecordFilter, **position: Any) -> str:
    """Another page of the list with the same filter and columns."""
    query = record_filter.query | {PARAM: page.request.GET.get(PARAM)}
    return page.url("report-records", **(query | position))


page = ReportPage(
    name="report-records",
    path="records/",
    view=records,
    title="Records",
    position=40,
    tables=RECORD_TABLES,
    filters={
        "filter": SEARCH,
        "first": OFFSET,
        "last": OFFSET,
        "since": TIME,
        "until": TIME,
        "type": NAME,
        "kind": CHOICE,
        "key": SEARCH,
        "value": SEARCH,
        "offset": POSITION,
        "record": POSITION,
        "after": POSITION,
        "before": POSITION,
        PARAM: DISPLAY,
    },
    reader="rows",
    read_as="records.read",
    shared=True,
)
