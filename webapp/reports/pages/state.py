"""State: what the service holds at an offset, by whose rules, before or after compaction; what it rejected."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpResponse

from webapp.reports.page import Page, report_page
from webapp.reports.pages import (
    DISPLAY,
    NAME,
    RECORD_TABLES,
    SEARCH,
    ReportAddress,
    ReportPage,
    _latest,
    _state_differences,
    _state_tree,
)
from webapp.reports.pages._state_frame import around, entity_url, read_query, state_url
from webapp.reports.pages._state_tree import GROWN
from webapp.reports.paging import page_of
from webapp.reports.queries.keys import attributes_at
from webapp.reports.queries.state import (
    ENTITIES_PER_PAGE,
    LAYOUTS,
    SHOWN,
    StateQuery,
    count_shown,
    count_types,
    first_fatal,
    lacking,
    list_state,
    profiles_of,
)
from webapp.reports.report import incident_titles
from webapp.reports.results import Rows
from webapp.reports.values.attributes import line
from webapp.reports.values.committed_offsets import with_committed_offsets
from webapp.reports.values.needed import needed

SHOWN_WORDS = {"held": "present", "gone": "deleted", "refused": "rejected"}


@report_page
def state(page: Page) -> HttpResponse:
    """The entities; with `from` and `to`, or `against`, what differs; the latest values where nobody replays."""
    profiles = profiles_of(page.partition)
    if not profiles:
        return _latest.latest(page)
    query = read_query(page, profiles)
    if _state_differences.is_requested(page):
        return _state_differences.differences(page, query, profiles)
    counts = count_shown(page.partition, query)
    return page.render(
        "reports/state.html",
        {
            "asked": query,
            **(_tree(page, query) if _state_tree.is_tree(query) else _list(page, query)),
            "types": _types(page, query),
            "fatal_at": fatal_at(page, query, profiles),
            "held": sum(row["entities"] for row in count_types(page.partition, query)),
            "crumbs": _crumbs(page, query),
            "missing": _missing(page, query),
            "shown_choices": [
                (
                    SHOWN_WORDS[presence],
                    counts[presence],
                    state_url(page, query, shown=presence, opened=""),
                    presence == query.shown,
                )
                for presence in SHOWN
            ],
            "layout_choices": [
                (layout, state_url(page, query, layout=layout), layout == query.layout) for layout in LAYOUTS
            ]
            if query.shown in GROWN
            else [],
            "clear_url": state_url(page, query, entity_type="", under="", contains="", opened=""),
            **around(page, query, profiles),
        },
    )


def _tree(page: Page, query: StateQuery) -> dict[str, Any]:
    trees, total = _state_tree.grown(page, query)
    return {"trees": trees, "total": total}


def _list(page: Page, query: StateQuery) -> dict[str, Any]:
    rows, total = list_state(page.partition, query)
    if query.shown == "refused":
        attributes = attributes_at(page.partition, [row["offset"] for row in rows])
        rows = [row | {"needs": needed(row, attributes.get(row["offset"]))} for row in rows]
    return {
        "rows": with_committed_offsets(page, [shown_row(page, query, row) for row in rows]),
        "outcomes": page.outcomes(
            row["offset"] if query.shown == "refused" else row["valid_from_offset"] for row in rows
        ),
        **page_of(query.number, ENTITIES_PER_PAGE, rows, total, lambda n: state_url(page, query, number=n)),
    }


def _missing(page: Page, query: StateQuery) -> dict[str, Any] | None:
    """How many entities are missing that rejected entries need, where findings say so; None for none."""
    by_offset = page.report.worst_by_offset(page.replica)
    rows = lacking(page.partition, query, list(by_offset)) if by_offset else []
    if not rows:
        return None
    counts = Counter(needs.partition(":")[0] for needs in {row["needs"] for row in rows})
    findings = page.report.findings_on([row["offset"] for row in rows], page.replica)
    findings = [finding for finding in findings if finding.consequence_of is None] or findings
    titles = incident_titles(page.report.document)
    return {
        "counts": counts.most_common(),
        "is_single": counts.total() == 1,
        "finding": findings[0],
        "title": titles.get(findings[0].incident or "", findings[0].title),
        "more": len({finding.incident or finding.id for finding in findings}) - 1,
    }


def fatal_at(page: Page, query: StateQuery, profiles: Rows) -> int | None:
    """Offset at which the journal's own service stops when it starts; None if that is after `query.at`."""
    is_own = any(row["is_own"] and row["profile"] == query.replay.profile for row in profiles)
    offset = first_fatal(page.partition) if is_own else None
    return offset if offset is not None and offset <= query.at else None


def shown_row(page: Page, query: StateQuery, row: dict[str, Any]) -> dict[str, Any]:
    """A row of the list with links and texts."""
    entity_type, entity_id = row["entity_type"], row["entity_id"]
    parts = parts_of_id(entity_id or "")
    reason = row.get("reason")
    return row | {
        "url": entity_url(page, query.replay, entity_type, entity_id),
        "parents": [
            (part, state_url(page, query, under="/".join(parts[: at + 1]), entity_type="", opened=""))
            for at, part in enumerate(parts[:-1])
        ],
        "name": parts[-1],
        "line": line(row.get("attributes"), entity_id or ""),
        "why": page.why_rejected(reason) if reason else "",
    }


def parts_of_id(entity_id: str) -> list[str]:
    """Parts of `group/artifact/2`. JSON in an id is one part."""
    beginning, brace, rest = entity_id.partition("{")
    parts = beginning.split("/")
    return [*parts[:-1], parts[-1] + brace + rest]


def _types(page: Page, query: StateQuery) -> list[dict[str, Any]]:
    return [
        row | {"url": state_url(page, query, entity_type=row["entity_type"], shown="held", opened="")}
        for row in count_types(page.partition, query)
    ]


def _crumbs(page: Page, query: StateQuery) -> list[tuple[str, str]]:
    parts = query.under.split("/") if query.under else []
    return [
        (part, state_url(page, query, under="/".join(parts[: at + 1]), opened=""))
        for at, part in enumerate(parts)
    ]


page = ReportPage(
    name="report-state",
    path="state/",
    view=state,
    title="State",
    position=50,
    tables=RECORD_TABLES | {"state"},
    filters={
        "at": DISPLAY,
        "view": DISPLAY,
        "show": DISPLAY,
        "as": DISPLAY,
        "from": DISPLAY,
        "to": DISPLAY,
        "type": NAME,
        "q": SEARCH,
    },
    read_as="state.read",
    shared=True,
    further=(
        ReportAddress(
            "report-state-branch", "state/branch/", _state_tree.branch, read_as="state.read", shared=True
        ),
    ),
)
