"""Records: a page of them with a filter; an offset typed goes straight to its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from webapp.rejected import Rejected
from webapp.reports.filters.bounds import offsets_within
from webapp.reports.filters.former import RecordFilter, read_filter, read_time
from webapp.reports.filters.line import filter_line
from webapp.reports.filters.reading import FilterError
from webapp.reports.page import Page, report_page
from webapp.reports.pages import CHOICE, NAME, OFFSET, POSITION, RECORD_TABLES, SEARCH, TIME, ReportPage
from webapp.reports.paging import whole_number
from webapp.reports.queries.gaps import gap_at
from webapp.reports.queries.record import read_neighbours
from webapp.reports.queries.records import RecordPosition, RecordsPage, list_records

NOTHING = RecordsPage([], 0, None, False)


@dataclass(frozen=True)
class FilteredList:
    """What a page lists, and why it may list nothing: a mistake in the filter, or a filter that takes too long."""

    records: RecordFilter
    page: RecordsPage
    mistake: FilterError | None = None
    rejected: str = ""


@report_page
def records(page: Page) -> HttpResponse:
    """The list, with the record of `record=` or `offset=` opened."""
    opened = whole_number(page.request.GET.get("record") or page.request.GET.get("offset"))
    position = read_position(page)
    filtered = read_list(page, position)
    listed = filtered.page
    return page.render(
        "reports/records.html",
        {
            "clear_url": page.url("report-records"),
            "problems": [*_problems(page), *([filtered.rejected] if filtered.rejected else [])],
            "filter_line": filter_line(page, filtered.records, filtered.mistake),
            "filtered": filtered.records.tree is not None,
            "found": listed,
            "outcomes": page.outcomes(row["offset"] for row in listed.rows),
            "flagged": page.report.worst_by_offset(page.replica),
            "opened": opened,
            "missing": _missing(page, opened),
            "jump": page.request.GET.get("offset", ""),
            **_neighbour_pages(page, filtered.records, position, listed),
        },
    )


def read_position(page: Page) -> RecordPosition:
    """From the address; an offset to jump to begins the page there."""
    params = page.request.GET
    if (jump := whole_number(params.get("offset"))) is not None:
        return RecordPosition(after=max(page.bounds[0], jump - 20) - 1)
    return RecordPosition(whole_number(params.get("after")), whole_number(params.get("before")))


def read_list(page: Page, position: RecordPosition) -> FilteredList:
    """Nothing is listed for a filter with a mistake."""
    try:
        wanted = filter_of(page)
    except FilterError as mistake:
        return FilteredList(RecordFilter(), NOTHING, mistake)
    try:
        return FilteredList(wanted, list_records(page.partition, wanted, page.facts, position))
    except Rejected as rejected:
        return FilteredList(wanted, NOTHING, rejected=str(rejected))


def filter_of(page: Page) -> RecordFilter:
    """The filter of the page's address. Raises FilterError."""
    return read_filter(page.request.GET.dict(), page.source.unfiltered, decodes=page.source.decodes)


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


def _neighbour_pages(
    page: Page, records: RecordFilter, position: RecordPosition, listed: RecordsPage
) -> dict[str, Any]:
    offsets = [row["offset"] for row in listed.rows]
    first, last = listed.searched or (offsets[0], offsets[-1]) if offsets or listed.searched else (None, None)
    low, high = offsets_within(records.tree, page.bounds)
    more_after = last is not None and last < high
    more_before = first is not None and first > low
    if not listed.searched and not listed.has_more:  # the page is the end of what was read
        more_after, more_before = (
            more_after and position.is_backwards,
            more_before and not position.is_backwards,
        )
    query = records.query
    return {
        "next_url": page.url("report-records", **query, after=last) if more_after else None,
        "previous_url": page.url("report-records", **query, before=first) if more_before else None,
        "start_url": page.url("report-records", **query)
        if position.after is not None or position.is_backwards
        else None,
    }


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
    },
    reader="rows",
    read_as="records.read",
    shared=True,
)
