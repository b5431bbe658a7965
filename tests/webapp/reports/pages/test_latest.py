"""State of a journal that nobody replays: committed records make it, a switch shows all."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.webapp.reports.ledger import ledger


@pytest.fixture
def page(inspected: Any, get: Any) -> Any:
    """`page(at=3)`: the State page of a topic with a committed, an aborted and an open transaction."""
    inspection = inspected(ledger)
    return lambda **query: get(inspection, "report-state", **query)


def latest(response: Any) -> dict[bytes, bytes]:
    return {bytes(row["key"]): bytes(row["value_start"]) for row in response.context["rows"]}


def test_aborted_and_open_records_are_not_in_the_state_and_replace_nothing(page: Any) -> None:
    assert latest(page()) == {b"a": b"2", b"b": b"1"}
    assert latest(page(at=4)) == {b"a": b"1", b"b": b"1"}


def test_the_switch_shows_the_state_of_all_records_and_stays_in_the_addresses(page: Any) -> None:
    response = page(isolation="read_uncommitted")
    assert latest(response) == {b"a": b"2", b"b": b"2", b"c": b"1", b"d": b"1"}
    html = response.content.decode()
    assert '<input type="hidden" name="isolation" value="read_uncommitted">' in html
    on = re.findall(r'<a class="btn btn-sm active" href="([^"]*)" aria-current="true">(read_\w+)</a>', html)
    assert [(name, "isolation=read_uncommitted" in address) for address, name in on] == [
        ("read_uncommitted", True)
    ]


def test_differences_between_two_offsets_are_of_committed_records_too(page: Any) -> None:
    changed = {bytes(row["key"]): row["difference"] for row in page(**{"from": 1, "to": 8}).context["rows"]}
    assert changed == {b"a": "changed"}
    both = page(**{"from": 1, "to": 8, "isolation": "read_uncommitted"}).context["rows"]
    assert {bytes(row["key"]): row["difference"] for row in both} == {
        b"a": "changed", b"b": "changed", b"c": "added", b"d": "added",
    }  # fmt: skip


def test_the_end_is_the_last_stable_offset_for_read_committed_consumers(page: Any) -> None:
    assert page().context["limit"] == {"stable": 6, "hidden": 2}
    html = re.sub(r"<[^>]+>", "", page().content.decode())
    assert "which stop at the last stable offset 6. 2 records from there on are hidden." in html, html[
        html.index("A plain") :
    ][:200]
    assert page(isolation="read_uncommitted").context["limit"] == {}
