"""State of a journal that is not replayed: the latest value of each key, at an offset or between two.

Where the partition has transactions, of committed records; a switch shows those of all.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpResponse

from webapp.reports.page import Page
from webapp.reports.pages._state_differences import is_requested, offset_of
from webapp.reports.pages._state_frame import at_of, slider
from webapp.reports.paging import page_number, page_of
from webapp.reports.queries.isolation import IsolationView, committed_state, hidden_behind
from webapp.reports.queries.latest import (
    KEYS_PER_PAGE,
    LatestQuery,
    count_key_differences,
    list_key_differences,
    list_latest,
    neighbours,
)
from webapp.reports.replica_choice import REPLICA_PARAMS
from webapp.reports.results import PartitionResults
from webapp.reports.state_strip import draw

DIFFERENCES = ("added", "removed", "changed")


def latest(page: Page) -> HttpResponse:
    """The keys at an offset, or the difference between two offsets."""
    if page.bounds[1] < page.bounds[0]:
        return page.render("reports/latest.html", _journal(page))
    isolated = _isolated(page)
    return _differences(isolated) if is_requested(page) else _list(isolated, _limit(isolated, page.partition))


def _limit(page: Page, whole: PartitionResults) -> dict[str, int]:
    """Where read_committed consumers stop before the end, and how many records are `hidden` there. `whole`: all records."""
    stable = page.options.last_stable_offset
    if stable is None or not page.reader.committed:
        return {}
    return {"stable": stable, "hidden": hidden_behind(whole, stable)}


def _isolated(page: Page) -> Page:
    """The page as a consumer of the isolation level sees it: read_committed, unless the address says otherwise."""
    reader = IsolationView(committed=page.request.GET.get("isolation") != "read_uncommitted")
    if not page.options.transactions:
        return page
    parts = committed_state(page.options) if reader.committed else {}
    return replace(page, reader=reader, results=page.results.restricted(parts) if parts else page.results)


def _isolation(page: Page) -> dict[str, str]:
    """Query parameters of the isolation level."""
    is_all = page.options.transactions and not page.reader.committed
    return {"isolation": "read_uncommitted"} if is_all else {}


def _switches(page: Page) -> list[dict[str, Any]]:
    """Switch for the isolation level, if the partition has transactions."""
    if not page.options.transactions:
        return []
    query = {
        name: value for name, value in page.request.GET.items() if name not in ("isolation", *REPLICA_PARAMS)
    }
    choices = [
        ("read_committed", page.url("report-state", **query), page.reader.committed),
        (
            "read_uncommitted",
            page.url("report-state", **query, isolation="read_uncommitted"),
            not page.reader.committed,
        ),
    ]
    return [{"label": "Isolation", "term": "isolation level", "choices": choices}]


def _list(page: Page, limit: dict[str, int]) -> HttpResponse:
    query = read_query(page)
    rows, total = list_latest(page.partition, query)
    return page.render(
        "reports/latest.html",
        {
            "asked": query,
            "limit": limit,
            "rows": [row | {"url": page.key_url(row)} for row in rows],
            "outcomes": page.outcomes(row["offset"] for row in rows),
            "types": page.survey.lanes_of(page.replica),
            "clear_url": _url(page, LatestQuery(query.at)),
            **page_of(query.page, KEYS_PER_PAGE, rows, total, partial(_url, page, query)),
            "readers": _switches(page),
            "place_fields": page.replica_params(page.replica) | _isolation(page),
            **_around(page, query),
        },
    )


def _differences(page: Page) -> HttpResponse:
    first, last = page.bounds
    low, high = sorted((offset_of(page, "from", first), offset_of(page, "to", last)))
    chosen = page.request.GET.get("difference", "")
    chosen = chosen if chosen in DIFFERENCES else ""
    counts = {row["difference"]: row["entities"] for row in count_key_differences(page.partition, low, high)}
    number = page_number(page)
    rows = list_key_differences(page.partition, low, high, chosen, number)
    total = counts.get(chosen, 0) if chosen else sum(counts.values())

    def url(difference: str, number: int | None = None) -> str:
        span = {"from": low, "to": high, "difference": difference, **_isolation(page)}
        return page.url("report-state", **span, page=number)

    return page.render(
        "reports/latest_differences.html",
        {
            "low": low,
            "high": high,
            "rows": [row | {"url": page.key_url(row)} for row in rows],
            "in_all": sum(counts.values()),
            "choices": [
                (name, counts[name], url(name), name == chosen) for name in DIFFERENCES if name in counts
            ],
            "clear_url": url(""),
            "back_url": page.url("report-state", **_isolation(page)),
            "readers": _switches(page),
            "place_fields": page.replica_params(page.replica) | _isolation(page),
            **page_of(number, KEYS_PER_PAGE, rows, total, partial(url, chosen)),
            **_journal(page),
        },
    )


def read_query(page: Page) -> LatestQuery:
    params = page.request.GET
    return LatestQuery(at_of(page), params.get("type", ""), params.get("q", ""), page_number(page))


def _around(page: Page, query: LatestQuery) -> dict[str, Any]:
    near = neighbours(page.partition, query)
    strip = draw(page.partition, page.report, page.bounds, [])
    hidden = {"type": query.entry_type, "q": query.contains, **_isolation(page)}
    return {
        **slider(page, query.at, strip, near, hidden, lambda at: _url(page, replace(query, at=at))),
        **_journal(page),
    }


def _journal(page: Page) -> dict[str, Any]:
    """The journal's type in words, empty for a plain topic, and whether Journalscope replays this type."""
    journal = page.report.journal(page.replica.topic)
    is_plain = journal.get("dialect") in (None, "", "plain")
    title = "" if is_plain else journal.get("dialect_title") or journal["dialect"]
    return {"dialect": title, "is_replayed": journal.get("is_replayed", True)}


def _url(page: Page, query: LatestQuery, number: int = 1) -> str:
    params = {
        "at": None if query.at == page.bounds[1] else query.at,
        "type": query.entry_type,
        "q": query.contains,
        "page": None if number == 1 else number,
        **_isolation(page),
    }
    return page.url("report-state", **params)
