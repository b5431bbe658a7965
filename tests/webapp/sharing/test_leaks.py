"""A share that hides payloads and keys is crawled to its last link: none of the journal's marks is in any byte."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from spark.redaction.columns import ColumnKind
from spark.tables.replica import PartitionReplica
from tests.webapp.sharing.marked import EVERY_MARK, MARKS, REPORT_MARK, found_in, marked
from tests.webapp.sharing.planted.answers import crawled, everything, stored_in
from webapp.reports.pages import report_addresses
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
PLACE = PartitionReplica(MARKS[ColumnKind.TOPIC], 0, MARKS[ColumnKind.COPY])


@pytest.fixture
def closed(inspected: Any, share: Callable[..., Any]) -> tuple[Share, str]:
    """A share of everything that shows nothing."""
    return share(inspected(marked), names=False)


def test_the_marks_are_found_where_they_are_not_hidden(inspected: Any) -> None:
    """Without this the other tests would prove nothing."""
    folder = marked(inspected(marked).results)
    found = {one.split(" as ")[0] for _, data in stored_in(folder) for one in found_in(data)}
    assert found == set(EVERY_MARK)


def test_no_byte_on_disk_holds_a_mark(closed: tuple[Share, str]) -> None:
    leaks = [(where, found) for where, data in stored_in(closed[0].results) if (found := found_in(data))]
    assert leaks == []


def test_no_page_figure_fragment_or_error_page_holds_a_mark(closed: tuple[Share, str], guest: Client) -> None:
    token = closed[1]
    wrong = [f"/s/{token}/nothing/", f"/s/{token}/records/99/", f"/s/{token}/keys/{'0' * 32}/"]
    wrong += [f"/s/{token}/records/3/value.bin", f"/s/{token}/compare/", f"/s/{token}/repair/"]
    pages = set()
    for address, response in crawled(guest, f"/s/{token}/", *wrong):
        assert found_in(everything(response)) == [], address
        assert response.status_code in (200, 302, 404), address
        if response.status_code == 200:
            pages.add(response.resolver_match.url_name)
    shared = {name for name, address in report_addresses().items() if address.shared}
    assert pages >= shared - {"report-record-bytes"}


def test_a_page_of_the_share_is_more_than_an_error(closed: tuple[Share, str], guest: Client) -> None:
    page = guest.get(f"/s/{closed[1]}/records/?columns=key.value").content.decode()
    assert "Shared report, read-only." in page
    assert "key-" in page
    assert "[hidden, fingerprint " in page


def test_who_searches_for_what_is_hidden_finds_nothing(closed: tuple[Share, str], guest: Client) -> None:
    address = f"/s/{closed[1]}/records/"
    assert guest.get(address, {"key": MARKS[ColumnKind.KEY]}).context["found"].offsets == []
    assert guest.get(address, {"value": MARKS[ColumnKind.VALUE]}).context["found"].offsets == []
    assert guest.get(f"/s/{closed[1]}/keys/", {"q": MARKS[ColumnKind.KEY]}).context["rows"] == []


def test_addresses_of_the_report_lead_nowhere_in_the_share(closed: tuple[Share, str], guest: Client) -> None:
    from tests.builders import key_hash
    from webapp.reports.queries.keys import key_id

    unsalted = key_id(*key_hash(f"{MARKS[ColumnKind.KEY]}-1".encode()))
    assert guest.get(f"/s/{closed[1]}/keys/{unsalted}/").status_code == 404
    assert guest.get(f"/s/{closed[1]}/records/3/value.bin").status_code == 404
    assert guest.get(f"/s/{closed[1]}/records/3/key.bin").status_code == 404


@pytest.mark.parametrize(
    "scope",
    [
        Scope("finding", "Zq7ReportMarkId"),
        pytest.param(
            Scope("tab", "report-records", PLACE, {"value": "Zq7ValueMark"}), marks=pytest.mark.long
        ),
        pytest.param(Scope("record", "3", PLACE), marks=pytest.mark.long),
    ],
    ids=["finding", "filtered tab", "record"],
)
def test_a_part_leaks_no_more_than_the_whole(
    inspected: Any, share: Callable[..., Any], guest: Client, scope: Scope
) -> None:
    made, token = share(inspected(marked), scope, names=False)
    assert [found for _, data in stored_in(made.results) if (found := found_in(data))] == []
    for address, response in crawled(guest, f"/s/{token}/"):
        assert found_in(everything(response)) == [], address
        assert response.status_code in (200, 302, 404), address


def test_neither_token_nor_marks_get_into_logs_or_the_audit_log(
    closed: tuple[Share, str], guest: Client, caplog: pytest.LogCaptureFixture
) -> None:
    from webapp.audit.models import Event
    from webapp.sharing.models import ShareView

    with caplog.at_level(logging.DEBUG):
        guest.get(f"/s/{closed[1]}/")
    told = repr(list(Event.objects.values())) + repr(list(ShareView.objects.values()))
    assert closed[1] not in told
    assert found_in(told.encode(), (REPORT_MARK, MARKS[ColumnKind.KEY], MARKS[ColumnKind.VALUE])) == []
