"""Records: a page of them with filters; an offset typed goes straight to its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse

from webapp.reports.page import Page, report_page
from webapp.reports.pages import CHOICE, NAME, OFFSET, POSITION, RECORD_TABLES, SEARCH, TIME, ReportPage
from webapp.reports.paging import whole_number
from webapp.reports.queries.gaps import gap_at
from webapp.reports.queries.kinds import FORMER_KINDS, KINDS
from webapp.reports.queries.record import read_neighbours
from webapp.reports.queries.records import RecordFilters, RecordsPage, list_records

FILTERS = ("first", "last", "since", "until", "type", "kind", "key", "value")


@report_page
def records(page: Page) -> HttpResponse:
    """The list, with the record of `record=` or `offset=` opened."""
    query = read_query(page)
    listed = list_records(page.partition, query, page.facts)
    opened = whole_number(page.request.GET.get("record") or page.request.GET.get("offset"))
    return page.render(
        "reports/records.html",
        {
            "asked": query,
            "clear_url": page.url("report-records"),
            "problems": _problems(page),
            "filters": {name: page.request.GET.get(name, "") for name in FILTERS} | {"kind": query.kind},
            "filtered": any(page.request.GET.get(name) for name in FILTERS),
            "found": listed,
            "outcomes": page.outcomes(row["offset"] for row in listed.rows),
            "flagged": page.report.worst_by_offset(page.replica),
            "kinds": KINDS,
            "types": page.survey.lanes_of(page.replica),
            "opened": opened,
            "missing": _missing(page, opened),
            "jump": page.request.GET.get("offset", ""),
            **_neighbour_pages(page, query, listed),
        },
    )


def read_query(page: Page) -> RecordFilters:
    """The list's filters from the address; an offset to jump to begins the page there."""
    params = page.request.GET
    jump = whole_number(params.get("offset"))
    return replace(
        records_query(params.dict()),
        after=max(page.bounds[0], jump - 20) - 1 if jump is not None else whole_number(params.get("after")),
        before=whole_number(params.get("before")),
    )


def records_query(params: Mapping[str, str]) -> RecordFilters:
    """The filters, without the position in the list."""
    kind = params.get("kind", "")
    return RecordFilters(
        first_offset=whole_number(params.get("first")),
        last_offset=whole_number(params.get("last")),
        first_timestamp_ms=read_time(params.get("since")),
        last_timestamp_ms=read_time(params.get("until")),
        entry_type=params.get("type", ""),
        kind=FORMER_KINDS.get(kind, kind),
        key=params.get("key", ""),
        value=params.get("value", ""),
    )


def read_time(text: str | None) -> int | None:
    """Milliseconds of a time as a form sends it or a person writes it (UTC); a number is taken as it is."""
    number = whole_number(text)
    if number is not None or not text:
        return number
    try:
        moment = datetime.fromisoformat(text.strip().replace(" UTC", ""))
    except ValueError:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


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


def _neighbour_pages(page: Page, query: RecordFilters, listed: RecordsPage) -> dict[str, Any]:
    first = listed.rows[0]["offset"] if listed.rows else None
    last = listed.rows[-1]["offset"] if listed.rows else None
    if query.value and listed.searched:
        last = listed.searched[1]
        first = listed.searched[0]
    more_after = last is not None and last < min(page.bounds[1], _or(query.last_offset, page.bounds[1]))
    more_before = first is not None and first > max(page.bounds[0], _or(query.first_offset, page.bounds[0]))
    if not query.value and not query.backwards and not listed.has_more:
        more_after = False
    if not query.value and query.backwards and not listed.has_more:
        more_before = False
    filters = {name: page.request.GET.get(name) for name in FILTERS}
    return {
        "next_url": page.url("report-records", **filters, after=last) if more_after else None,
        "previous_url": page.url("report-records", **filters, before=first) if more_before else None,
        "start_url": page.url("report-records", **filters)
        if query.after is not None or query.backwards
        else None,
    }


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


page = ReportPage(
    name="report-records",
    path="records/",
    view=records,
    title="Records",
    position=40,
    tables=RECORD_TABLES,
    filters={
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
