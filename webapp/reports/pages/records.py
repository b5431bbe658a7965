"""Records: a page of them with filters and chosen columns; an offset typed goes straight to its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse

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
from webapp.reports.queries.kinds import FORMER_KINDS, KINDS
from webapp.reports.queries.record import read_neighbours
from webapp.reports.queries.records import RecordFilters, RecordsPage, fitting_records, list_records
from webapp.reports.record_table.columns import PARAM, STANDARD, choose_columns
from webapp.reports.record_table.rows import rows_of
from webapp.reports.record_table.whole import offset_before

ROWS_ON_A_SCREEN = 25
FILTERS = ("first", "last", "since", "until", "type", "kind", "key", "value")


@report_page
def records(page: Page) -> HttpResponse:
    """The list, with the record of `offset=` marked and in view, and that of `record=` opened."""
    query = records_query(page.request.GET.dict())
    sought = whole_number(page.request.GET.get("offset") or page.request.GET.get("record"))
    columns = choose_columns(page)
    query, listed = _listed(page, query, sought)
    around = _neighbour_pages(page, query, listed)
    return page.render(
        "reports/records.html",
        {
            "asked": query,
            "clear_url": page.url("report-records", columns=columns.in_address),
            "problems": _problems(page),
            "filters": {name: page.request.GET.get(name, "") for name in FILTERS} | {"kind": query.kind},
            "filtered": sum(1 for name in FILTERS if page.request.GET.get(name)),
            "found": listed,
            "rows": rows_of(page, listed.offsets, columns.chosen, around["next_url"] is None),
            "columns": columns,
            "standard_url": _list_url(page, columns=STANDARD),
            "flagged": page.report.worst_by_offset(page.replica),
            "kinds": KINDS,
            "types": page.survey.lanes_of(page.replica),
            "sought": sought,
            "missing": _missing(page, sought),
            "jump": page.request.GET.get("offset", ""),
            "place_fields": page.replica_params(page.replica)
            | page.reader.query
            | ({PARAM: columns.in_address} if columns.in_address else {}),
            "kept_fields": {name: value for name in FILTERS if (value := page.request.GET.get(name))},
            **around,
        },
    )


def _listed(page: Page, query: RecordFilters, sought: int | None) -> tuple[RecordFilters, RecordsPage]:
    """The page of the list that the address asks for; that of the record sought, where it does not say which."""
    after, before = (whole_number(page.request.GET.get(name)) for name in ("after", "before"))
    placed = replace(query, after=after, before=before)
    is_asked = after is not None or before is not None
    listed = list_records(page.partition, placed, page.facts)
    if sought is None or sought in listed.offsets or is_asked:
        return placed, listed
    above = offset_before(page.partition, fitting_records(page.partition, query), sought)
    around = replace(query, after=above)
    listed = list_records(page.partition, around, page.facts)
    if len(listed.offsets) < ROWS_ON_A_SCREEN and above is not None:  # near the end: the last full page
        around = replace(query, before=page.bounds[1] + 1)
        listed = list_records(page.partition, around, page.facts)
    return around, listed


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
    first = listed.offsets[0] if listed.offsets else None
    last = listed.offsets[-1] if listed.offsets else None
    if query.value and listed.searched:
        last = listed.searched[1]
        first = listed.searched[0]
    more_after = last is not None and last < min(page.bounds[1], _or(query.last_offset, page.bounds[1]))
    more_before = first is not None and first > max(page.bounds[0], _or(query.first_offset, page.bounds[0]))
    if not query.value and not query.backwards and not listed.has_more:
        more_after = False
    if not query.value and query.backwards and not listed.has_more:
        more_before = False
    is_later = query.after is not None or query.backwards
    return {
        "next_url": _list_url(page, after=last) if more_after else None,
        "previous_url": _list_url(page, before=first) if more_before else None,
        "start_url": _list_url(page) if is_later else None,
    }


def _list_url(page: Page, **position: Any) -> str:
    """Another page of the list with the same filters and columns."""
    filters = {name: page.request.GET.get(name) for name in (*FILTERS, PARAM)}
    return page.url("report-records", **(filters | position))


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
        PARAM: DISPLAY,
    },
    reader="rows",
    read_as="records.read",
    shared=True,
)
