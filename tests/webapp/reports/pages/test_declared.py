"""What follows from the declarations of the report pages."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from webapp.reports import pages
from webapp.reports.pages import NAME, SEARCH, report_addresses, report_filters, report_pages, tab_of


def test_tabs_are_in_the_order_of_their_positions() -> None:
    positions = [page.position for page in report_pages() if page.title]
    assert positions == sorted(set(positions))
    assert (report_pages()[0].title, report_pages()[len(positions) - 1].title) == ("Overview", "Files")


def test_no_two_addresses_have_one_name_or_one_path() -> None:
    every = [address for page in report_pages() for address in (page, *page.further)]
    assert len(every) == len(report_addresses()) == len({address.path for address in every})


def test_a_page_below_a_tab_names_a_tab() -> None:
    tabs = {page.name for page in report_pages() if page.title}
    assert {page.tab for page in report_pages() if page.tab} <= tabs
    assert tab_of("report-key") == "report-keys"
    assert tab_of("review") == "review"


def test_a_tab_that_is_shared_alone_is_shared() -> None:
    assert [page.name for page in report_pages() if page.tables and not (page.shared and page.title)] == []


def test_a_search_is_never_logged() -> None:
    searches = {name for name, filter_type in report_filters().items() if filter_type == SEARCH}
    assert searches == {"filter", "key", "value", "q", "id", "name"}


def test_one_name_with_two_types_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    records = report_addresses()["report-records"]
    other = SimpleNamespace(values=lambda: [records, replace(records, filters={"key": NAME})])
    monkeypatch.setattr(pages, "report_addresses", lambda: other)
    with pytest.raises(TypeError, match="key"):
        report_filters.__wrapped__()
