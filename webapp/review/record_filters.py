"""Saved filters of records: what of a report's filter line is kept, and for which journal type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from webapp.accounts.roles import has_role
from webapp.rejected import Rejected
from webapp.reports.filters.former import read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.filters.tree import FieldTest, tests_of
from webapp.reports.page import Page
from webapp.reports.report import Report
from webapp.review.access import can_change_filter, record_filters

UNKNOWN_TYPE = "plain"


def journal_type_of(report: Report, topic: str) -> str:
    """The dialect that reads the topic."""
    return str(report.journal(topic).get("dialect") or UNKNOWN_TYPE)


def record_query(text: str, zone: str) -> str:
    """The filter as an address has it, with the zone only where it compares times. Raises Rejected."""
    try:
        records = read_filter({"filter": text, "zone": zone})
    except FilterError as mistake:
        raise Rejected(mistake.with_place) from mistake
    if not any(isinstance(test, FieldTest) and test.name == "time" for test in tests_of(records.tree)):
        records = replace(records, zone="")
    if not records.query:
        raise Rejected("The filter is empty. Enter a filter first, then save it.")
    return urlencode(records.query)


def filters_on(page: Page, filter_line: dict[str, Any]) -> dict[str, Any]:
    """What the menus beside a filter line show: saved filters as addresses of this page, and whether its own can be saved."""
    assert page.source.inspection is not None
    user, journal = page.request.user, page.source.inspection.journal
    match = page.request.resolver_match
    address = (match and match.url_name) or "report-records"
    text = "" if filter_line["mistake"] else filter_line["text"]
    query = record_query(text, filter_line["zone"]) if text else ""
    rows = [
        (
            row,
            page.url(address, **QueryDict(row.query).dict()),
            can_change_filter(user, row),
            row.query == query,
        )
        for row in record_filters(user, journal_type_of(page.report, page.replica.topic), journal.project_id)
    ]
    return {
        "saved": rows,
        "text": text,
        "zone": filter_line["zone"],
        "is_saved": any(is_here for *_, is_here in rows),
        "project": journal.project if has_role(user, "support", journal.project_id) else None,
        "inspection": page.source.inspection,
        "topic": page.replica.topic,
        "journal_type": page.report.journal(page.replica.topic).get("dialect_title") or UNKNOWN_TYPE,
        "back": page.request.get_full_path(),
    }
