"""Keys: the list of a partition's keys, and the versions of one key with their differences.

A key goes by the name of what its newest record is about, where its service says that; its bytes stand behind it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from webapp.rejected import Rejected
from webapp.reports.filters.compiled import FittingRecords
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.line import filter_line, filter_of
from webapp.reports.filters.reading import FilterError
from webapp.reports.older_dump import predecessors_elsewhere
from webapp.reports.page import Page, report_page
from webapp.reports.pages import DISPLAY, NAME, RECORD_TABLES, SEARCH, ReportAddress, ReportPage
from webapp.reports.paging import page_number, page_of, whole_number
from webapp.reports.queries.entity import types_of, what_a_record_did
from webapp.reports.queries.keys import (
    HARM,
    KEYS_PER_PAGE,
    SORTS,
    KeysQuery,
    entries_at,
    find_exact_key,
    find_key,
    life_of,
    list_keys,
    missing_create,
)
from webapp.reports.queries.kinds import kind_word, kinds_at
from webapp.reports.queries.record import REJECTIONS, read_values, reasons_among
from webapp.reports.queries.records import DECODING_SECONDS, whole_filter
from webapp.reports.record_table.keys import flagged_keys, rows_of_keys
from webapp.reports.values.attributes import line, members_changed
from webapp.reports.values.differences import Difference, compare, compare_texts
from webapp.reports.values.embedded_text import held_text

FINDINGS_SHOWN = 5
EARLIER_SHOWN = 4  # records of a key that another dump has
ORDERS = (
    (HARM, "Findings first"),
    ("last", "Last written"),
    ("versions", "Most changed"),
    ("live", "Largest"),
)
COLUMNS = (
    ("type", "Type"),
    ("key", "Name"),
    ("versions", "Records"),
    ("tombstones", "Tombstones"),
    ("first", "First offset"),
    ("last", "Last offset"),
    ("live", "Live"),
    ("dead", "Dead"),
)


@report_page
def keys(page: Page) -> HttpResponse:
    """The list. `key=` with a complete key redirects to its page."""
    exact = page.request.GET.get("key", "")
    row = find_exact_key(page.partition, exact.encode()) if exact else None
    if row:
        return redirect(page.key_url(row))
    flagged = flagged_keys(page)
    query = read_query(page, flagged)
    record_filter, matching, mistake, rejected = read_matching(page)
    rows, total = list_keys(page.partition, query, matching) if matching else ([], 0)
    return page.render(
        "reports/keys.html",
        {
            "filter_line": filter_line(page, record_filter, mistake, "Filter keys", ("key", "versions")),
            "filtered": record_filter.tree is not None or mistake is not None,
            "rejected": rejected,
            "clear_url": page.url("report-keys"),
            "rows": rows_of_keys(page, rows, flagged),
            "outcomes": page.outcomes(row["last_offset"] for row in rows),
            "of_all": page.facts.keys,
            "orders": [
                (
                    title,
                    _list_url(page, replace(query, sort=name, descending=True), record_filter),
                    query.sort == name,
                )
                for name, title in ORDERS
                if flagged or name != HARM
            ],
            "columns": [_column(page, query, record_filter, *column) for column in COLUMNS],
            **page_of(query.page, KEYS_PER_PAGE, rows, total, partial(_list_url, page, query, record_filter)),
        },
    )


@report_page
def key(page: Page, key_id: str) -> HttpResponse:
    """All versions of a key."""
    row = find_key(page.partition, key_id)
    if row is None:
        raise Http404("This partition does not contain this key.")
    start = whole_number(page.request.GET.get("from"))
    entries = entries_at(page.partition, [row["first_offset"], row["last_offset"]])
    newest = entries.get(row["last_offset"], {})
    versions, following = life_of(page.partition, key_id, start if start is not None else row["first_offset"])
    missing = missing_create(page.partition, entries.get(row["first_offset"], {}))
    return page.render(
        "reports/key.html",
        {
            "key": row,
            "key_id": key_id,
            "name": newest.get("entity_id") or "",
            "entry_type": newest.get("entry_type") or "",
            "entities": _entities(page, newest, row["last_offset"]),
            "missing": missing,
            "predecessors": predecessors_elsewhere(page, row["first_offset"], EARLIER_SHOWN)
            if missing
            else [],
            "versions": _with_differences(page, versions),
            "outcomes": page.outcomes(row["offset"] for row in versions),
            "shown": len(versions),
            "findings": page.report.findings_on([row["offset"] for row in versions], page.replica)[
                :FINDINGS_SHOWN
            ],
            "next_url": page.url("report-key", key_id, **{"from": following})
            if following is not None
            else None,
            "first_url": page.url("report-key", key_id) if start is not None else None,
            "records_url": page.url("report-records", first=row["first_offset"], last=row["last_offset"]),
        },
    )


def read_query(page: Page, flagged: Collection[tuple[int, int]]) -> KeysQuery:
    params = page.request.GET
    usual = HARM if flagged else "last"
    sort = params.get("sort", usual)
    return KeysQuery(
        harmed=tuple(first for first, _ in flagged),
        sort=sort if sort in SORTS or sort == usual else "last",
        descending=params.get("order", "desc" if sort != "key" else "asc") == "desc",
        page=page_number(page),
    )


def read_matching(page: Page) -> tuple[RecordFilter, FittingRecords | None, FilterError | None, str]:
    """The filter, its records, a mistake in it, why it takes too long. A key is listed if one of its records matches."""
    try:
        record_filter = filter_of(page)
    except FilterError as mistake:
        return RecordFilter(), None, mistake, ""
    try:
        return (
            record_filter,
            whole_filter(page.partition, record_filter, page.bounds, DECODING_SECONDS),
            None,
            "",
        )
    except Rejected as rejected:
        return record_filter, None, None, str(rejected)


def _entities(page: Page, newest: dict[str, Any], offset: int) -> list[dict[str, Any]]:
    """Entities that the newest version of a key sets or ends; of a rejected one what it is about."""
    rows = what_a_record_did(page.partition, offset)
    name = newest.get("entity_id")
    rows = rows or page.partition.rows(REJECTIONS, {"offset": offset})
    if not rows and name:
        types = types_of(page.partition, [name]).get(name, [])
        rows = [{"entity_type": entity_type, "entity_id": name} for entity_type in types]
    return [
        row | {"url": page.url("report-entity", type=row["entity_type"], id=row["entity_id"])}
        for row in rows
        if row["entity_type"]
    ]


def _with_differences(page: Page, versions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Versions with their kind and with what changed from the one before: members that its service reads, and text."""
    before = [row["previous_offset"] for row in versions[:1] if row["previous_offset"] is not None]
    offsets = before + [row["offset"] for row in versions]
    values, entries = read_values(page.partition, offsets), entries_at(page.partition, offsets)
    kinds = kinds_at(page.partition, offsets)
    are_hidden, reasons = "value" in page.source.hidden, reasons_among(page.partition, offsets)
    return [
        _version(row, kinds, entries, _difference(row, values, are_hidden))
        | {"why": page.why_rejected(reasons[row["offset"]]) if row["offset"] in reasons else ""}
        for row in versions
    ]


def _version(
    row: dict[str, Any],
    kinds: dict[int, str],
    entries: dict[int, dict[str, Any]],
    difference: Difference | None,
) -> dict[str, Any]:
    of_bytes = row["kind"]
    entry, before = entries.get(row["offset"], {}), entries.get(row["previous_offset"], {})
    kind, action = kinds.get(row["offset"], of_bytes), entry.get("entry_action") or ""
    return row | {
        "kind": kind,
        "word": kind_word(kind),
        "action": action if action != kind else "",
        "is_revived": of_bytes == "revive",
        "value_is_null": of_bytes in ("tombstone", "restart"),
        "line": line(entry.get("attributes"), entry.get("entity_id") or "", left_out={"action"}),
        "changes": members_changed(before, entry, has_text=bool(difference and difference.lines)),
        "difference": difference,
    }


def _difference(row: dict[str, Any], values: dict[int, bytes | None], are_hidden: bool) -> Difference | None:
    previous = row["previous_offset"]
    if previous is None or previous not in values:
        return None
    before, after = values[previous], values.get(row["offset"])
    if are_hidden and before != after and before is not None:
        return Difference(
            [], "The value is deleted." if after is None else "Other bytes; this link hides them."
        )
    texts = held_text(before), held_text(after)
    if before != after and None not in texts:
        return compare_texts(*texts)  # type: ignore[arg-type]
    return compare(before, after)


def _column(
    page: Page, query: KeysQuery, record_filter: RecordFilter, name: str, title: str
) -> dict[str, Any]:
    is_sorted = query.sort == name
    descending = not query.descending if is_sorted else name not in ("key", "type", "first")
    direction = "none"
    if is_sorted:
        direction = "descending" if query.descending else "ascending"
    return {
        "name": name,
        "title": title,
        "url": _list_url(page, replace(query, sort=name, descending=descending), record_filter),
        "direction": direction,
        "is_number": name not in ("key", "type"),
    }


def _list_url(page: Page, query: KeysQuery, record_filter: RecordFilter, number: int | None = None) -> str:
    order = {"sort": query.sort, "order": "desc" if query.descending else "asc"}
    return page.url("report-keys", **record_filter.query, **order, page=number)


page = ReportPage(
    name="report-keys",
    path="keys/",
    view=keys,
    title="Keys",
    position=30,
    tables=RECORD_TABLES,
    filters={
        "filter": SEARCH,
        "q": SEARCH,
        "key": SEARCH,
        "type": NAME,
        "only": DISPLAY,
        "sort": DISPLAY,
        "order": DISPLAY,
    },
    reader="rows",
    read_as="keys.read",
    shared=True,
    further=(
        ReportAddress(
            "report-key",
            "keys/<key_id:key_id>/",
            key,
            filters={"key_id": NAME, "from": DISPLAY},
            read_as="key.read",
            shared=True,
        ),
    ),
)
