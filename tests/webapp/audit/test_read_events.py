"""Every address below an inspection either leaves an event when it is read, or is known to show no payloads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import get_resolver

from webapp.audit.read_events import action_of

# Figures, places, sizes, times and words about them.
WITHOUT_PAYLOADS = {
    "inspection",
    "inspection-progress",
    "inspection-log",
    "record-filter-save",
    "report-filter-language",
    "report-strip-figure",
    "report-timeline",
    "report-timeline-figure",
    "report-transactions",
    "report-transactions-figure",
    "report-log",
    "report-log-figure",
    "report-profile-figure",
    "report-formats",
    "report-files",
    "report-sql",
    "report-repair",
    "report-repair-older",
    "report-repair-state",
    "report-compare",
    "report-comparison-state",
    "share",
    "share-ticket",
    *(
        f"api-{name}"
        for name in ("inspection-detail", "marks", "transactions", "batches", "gaps", "damage", "epochs")
    ),
    *(f"api-{name}" for name in ("formats", "cleanings", "files", "repair-list")),
}
# These change something and record it themselves.
OTHERS = (
    "cancel",
    "retry",
    "read-as",
    "text-format",
    "delete",
    "start",
    "again",
    "sql-run",
    "export",
    "evidence",
    "create",
)


def addresses(resolver: Any, before: str = "") -> Iterator[tuple[str, str]]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from addresses(pattern, route)
        else:
            yield pattern.name or "", route


def test_every_address_of_an_inspection_is_decided_about() -> None:
    undecided = [
        name
        for name, route in addresses(get_resolver())
        if "<uuid:inspection_id>" in route
        and action_of(name) is None
        and name not in WITHOUT_PAYLOADS
        and not name.endswith(OTHERS)
    ]
    assert undecided == [], (
        "name them in webapp/audit/read_events.py (a report page: read_as), or here if they show no keys and values"
    )
