"""Filters in a link: no oracle for what it hides, and a link to a filtered page contains what the filter matches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
Made = Callable[..., tuple[Share, str]]
JOURNAL = PartitionReplica("journal", 0)
HIDING = {"payloads": False, "keys": False, "headers": False}


def payments(folder: Path) -> Path:
    rows = [
        {
            "key": b"smith-%d" % n,
            "value": b'{"amount": %d}' % (n * 100),
            "headers": [{"key": b"iban", "value": b"DE%d" % n}],
        }
        for n in range(10)
    ]
    return write_results(folder, records=records_table(*rows))


def shown(guest: Client, token: str, page: str = "records/", **query: str) -> str:
    answer = guest.get(f"/s/{token}/{page}", query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    "guess",
    [
        {"filter": "value.amount > 400"},
        {"filter": "-value.amount:400"},
        {"filter": "value:*400*"},
        {"filter": "value ~ /4.0/"},
        {"filter": "key:smith-*"},
        {"filter": "kind:create or key.id:4"},
        {"filter": "header.iban:DE4"},
        {"filter": "smith"},
        {"value": "400"},
        {"key": "smith"},
    ],
)
def test_a_link_that_hides_a_part_answers_no_guess_about_it(
    inspected: Any, share: Made, guest: Client, guess: dict[str, str]
) -> None:
    _, token = share(inspected(payments), **HIDING)
    for page in ("records/", "keys/"):
        text = shown(guest, token, page, **guess)
        assert "This link hides" in text
        assert "offset-4" not in text
        assert not re.search(r"smith-\d", text)


def test_completion_in_a_link_offers_nothing_that_it_hides(
    inspected: Any, share: Made, guest: Client
) -> None:
    _, token = share(inspected(payments), **HIDING)
    for typed in ("", "value.", "value.amount > ", "key:", "header.", "sm"):
        answer = json.loads(shown(guest, token, "filters/completion.json", filter=typed))
        told = str(answer["groups"])
        assert not any(word in told for word in ("amount", "smith", "iban", "DE4", "value.")), typed


def test_a_link_that_shows_values_filters_them(inspected: Any, share: Made, guest: Client) -> None:
    _, token = share(inspected(payments), payloads=True, keys=True, headers=True)
    text = shown(guest, token, filter="value.amount > 700 key:smith-* header.iban:*")
    assert "<strong>2</strong> of 10 records match" in text
    assert "Filter language" in shown(guest, token, "filters/")


@pytest.mark.parametrize("tab", ["report-records", "report-keys"])
def test_a_link_to_a_filtered_page_contains_what_matches(
    inspected: Any, share: Made, guest: Client, tab: str
) -> None:
    scope = Scope("tab", tab, JOURNAL, {"filter": "value.amount >= 700"})
    _, token = share(inspected(payments), scope, payloads=True, keys=True, headers=True)
    text = shown(guest, token)
    assert [n for n in range(10) if f'"offset-{n}"' in text] == [7, 8, 9]


def test_a_filter_that_cannot_be_read_shares_nothing(inspected: Any, share: Made, guest: Client) -> None:
    scope = Scope("tab", "report-records", JOURNAL, {"filter": "value.amount >="})
    _, token = share(inspected(payments), scope, payloads=True, keys=True, headers=True)
    assert "smith-" not in shown(guest, token)


@pytest.mark.parametrize(
    ("flags", "example"),
    [
        (HIDING, "kind:create offset:9.."),
        (HIDING | {"keys": True}, "kind:create key:smith-9"),
        (HIDING | {"payloads": True}, "kind:create offset:9.."),
    ],
    ids=["hidden", "keys", "payloads"],
)
def test_the_example_of_a_filter_is_one_that_works_in_the_link(
    inspected: Any, share: Made, guest: Client, flags: dict[str, bool], example: str
) -> None:
    _, token = share(inspected(payments), **flags)
    assert f'placeholder="Filter, such as {example}"' in shown(guest, token)


def test_a_link_says_what_stands_for_hidden_parts(inspected: Any, share: Made, guest: Client) -> None:
    inspection = inspected(payments)
    (_, hiding), (_, showing) = share(inspection, **HIDING), share(inspection, payloads=True)
    assert "except names that Kafka gives" in shown(guest, hiding, "files/")
    assert "except names that Kafka gives" not in shown(guest, showing, "files/")
