"""Differences between two states: at two offsets, before and after compaction, or by the rules of two services."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from django.http import HttpResponse

from webapp.reports.page import Page
from webapp.reports.pages._state_frame import around, entity_url, profile_words, replay_params, views_of
from webapp.reports.paging import page_of, whole_number
from webapp.reports.queries.state import VIEWS, ReplayView, StateQuery
from webapp.reports.queries.state_differences import (
    DIFFERENCES_PER_PAGE,
    Side,
    count_differences,
    list_differences,
)
from webapp.reports.results import Rows
from webapp.reports.values.attributes import changes, line

WORDS = {
    "offsets": {"added": "added", "removed": "removed", "changed": "changed"},
    "compaction": {"added": "reappears", "removed": "lost", "changed": "changed"},
    "profiles": {"added": "only there", "removed": "only here", "changed": "different"},
}


@dataclass(frozen=True)
class Compared:
    """The two states. `kind`: offsets | compaction | profiles."""

    kind: str
    before: Side
    after: Side
    title: str


def is_requested(page: Page) -> bool:
    return any(page.request.GET.get(name) for name in ("from", "to", "against"))


def differences(page: Page, query: StateQuery, profiles: Rows) -> HttpResponse:
    compared = read_compared(page, query, [row["profile"] for row in profiles])
    chosen = page.request.GET.get("difference", "")
    chosen = chosen if chosen in WORDS["offsets"] else ""
    counts = count_differences(page.partition, compared.before, compared.after)
    fitting = [
        row
        for row in counts
        if query.entity_type in ("", row["entity_type"]) and chosen in ("", row["difference"])
    ]
    total = sum(row["entities"] for row in fitting)
    rows = list_differences(
        page.partition, compared.before, compared.after, query.entity_type, chosen, query.number
    )
    here = partial(_url, page, compared, query.entity_type, chosen)
    return page.render(
        "reports/state_differences.html",
        {
            **around(page, query, profiles),
            "asked": query,
            "compared": compared,
            "groups": _groups([_shown(page, compared, row) for row in rows], counts),
            "in_all": sum(row["entities"] for row in counts),
            "choices": _choices(page, compared, counts, query, chosen),
            **page_of(query.number, DIFFERENCES_PER_PAGE, rows, total, here),
            "clear_url": _url(page, compared, "", ""),
            "back_url": page.url("report-state", **replay_params(page, query.replay)),
        },
    )


def read_compared(page: Page, query: StateQuery, profiles: list[str]) -> Compared:
    against = page.request.GET.get("against", "")
    last = page.bounds[1]
    if against != "log" and against in views_of(page):
        log = replace(query.replay, view="log")
        other = Side(replace(log, view=against), last)
        return Compared("compaction", Side(log, last), other, f"current and {VIEWS[against]}")
    if against and against in profiles:
        other = Side(replace(query.replay, profile=against), query.at)
        title = f"as {profile_words(query.replay.profile)} and as {profile_words(against)} read the journal"
        return Compared("profiles", Side(query.replay, query.at), other, title)
    low, high = sorted((offset_of(page, "from", page.bounds[0]), offset_of(page, "to", last)))
    title = f"between offset {low} and offset {high}"
    return Compared("offsets", Side(query.replay, low), Side(query.replay, high), title)


def offset_of(page: Page, name: str, otherwise: int) -> int:
    """An offset of the address; before the first one there is nothing, which may be asked for."""
    number = whole_number(page.request.GET.get(name))
    first, last = page.bounds
    return otherwise if number is None else max(first - 1, min(number, last))


def _shown(page: Page, compared: Compared, row: dict[str, Any]) -> dict[str, Any]:
    is_removed = row["difference"] == "removed"
    side: ReplayView = compared.before.replay if is_removed else compared.after.replay
    return row | {
        "url": entity_url(page, side, row["entity_type"], row["entity_id"]),
        "words": WORDS[compared.kind][row["difference"]],
        "changes": changes(row["before"], row["after"]) if row["difference"] == "changed" else [],
        "line": line(row["before"] if is_removed else row["after"], row["entity_id"]),
        "origin": row["origin_before"] if is_removed else row["origin_after"],
    }


def _groups(rows: Rows, counts: Rows) -> list[dict[str, Any]]:
    """Rows below headings of their own: one for each difference and type, with the number in all."""
    numbers = {(row["difference"], row["entity_type"]): row["entities"] for row in counts}
    return [
        {"difference": difference, "entity_type": entity_type, "rows": list(same)}
        | {"entities": numbers[difference, entity_type]}
        for (difference, entity_type), same in groupby(
            rows, lambda row: (row["difference"], row["entity_type"])
        )
    ]


def _choices(
    page: Page, compared: Compared, counts: Rows, query: StateQuery, chosen: str
) -> list[dict[str, Any]]:
    """Counts by difference and type; each is a filter."""
    return [
        {
            "words": WORDS[compared.kind][row["difference"]],
            "difference": row["difference"],
            "entity_type": row["entity_type"],
            "entities": row["entities"],
            "url": _url(page, compared, row["entity_type"], row["difference"]),
            "is_on": (query.entity_type, chosen) == (row["entity_type"], row["difference"]),
        }
        for row in counts
    ]


def _url(page: Page, compared: Compared, entity_type: str, difference: str, number: int = 1) -> str:
    params = replay_params(page, compared.before.replay)
    if compared.kind == "offsets":
        params |= {"from": compared.before.at, "to": compared.after.at}
    elif compared.kind == "compaction":
        params |= {"against": compared.after.replay.view}
    else:
        params |= {"against": compared.after.replay.profile, "at": compared.after.at}
    filters = {"type": entity_type, "difference": difference, "page": None if number == 1 else number}
    return page.url("report-state", **params, **filters)
