"""A comparison taken along: as a ticket's text, as CSV, as JSON; for those who may."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.urls import reverse

from tests.webapp.reports.comparison.results import difference, noted, page_of, state, with_state
from webapp.audit.models import Event

pytestmark = pytest.mark.django_db
LOST = difference("lost", "=4", 3, None, before='{"size": 12}')


@pytest.fixture
def compared(inspected: Any, get: Any) -> Any:
    """Two inspections whose comparison is done, and its page."""
    left = inspected(with_state(state("content", "=4", 3, None, size=12), state("content", "5", 4)))
    right = inspected(with_state(state("content", "5", 4)))
    return left, right, page_of(left, right, noted([LOST], lost=1, same=1), get)


def exported(compared: Any, get: Any, layout: str, **query: Any) -> Any:
    left, right, _ = compared
    return get(left, "report-comparison-export", right.pk, layout, **query)


def rows(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_page_offers_a_text_for_the_ticket_in_each_markup(compared: Any) -> None:
    page = compared[2]
    for title in ("Markdown", "Jira", "Plain text"):
        assert title in page
    assert "Between these dumps content 4 was lost." in page
    assert "Lost: 1 entity" in page
    assert reverse("report-comparison", args=[compared[0].pk, compared[1].pk]) in page


def test_entities_are_rows_that_no_spreadsheet_runs(compared: Any, get: Any) -> None:
    response = exported(compared, get, "entities.csv")
    assert response["Content-Type"].startswith("text/csv")
    (row,) = rows(response)
    assert (row["consequence"], row["entity_type"], row["entity_id"]) == ("lost", "content", "'=4")
    assert (row["before_side"], row["before_offset"], row["after"]) == ("Before", "3", "missing")
    assert Event.objects.filter(action="export.made").count() == 1


def test_the_file_follows_the_offsets_and_the_order_of_the_page(compared: Any, get: Any) -> None:
    assert rows(exported(compared, get, "entities.csv", before_at="2")) != []
    swapped = rows(exported(compared, get, "entities.csv", before="right"))
    assert [row["consequence"] for row in swapped] == ["new"]


def test_ranges_and_the_document_are_there_too(compared: Any, get: Any) -> None:
    ranges = rows(exported(compared, get, "records.csv"))
    assert [row["kind"] for row in ranges] == ["same", "different", "new"]
    document = json.loads(exported(compared, get, "comparison.json").content)
    assert document["partitions"][0]["entities"]["counts"]["lost"] == 1


def test_only_those_who_may_share_take_it_along(
    compared: Any, get: Any, sign_in: Any, stranger: Any, viewer: Any
) -> None:
    left, right, page = compared
    address = reverse("report-comparison-export", args=[left.pk, right.pk, "entities.csv"])
    assert address in page
    assert sign_in(stranger).get(address).status_code == 404
    assert sign_in(viewer).get(address).status_code == 403
    assert exported(compared, get, "entities.xls").status_code == 404


def test_what_was_never_compared_has_no_file(inspected: Any, get: Any) -> None:
    left, right = inspected(), inspected()
    assert get(left, "report-comparison-export", right.pk, "comparison.json").status_code == 404
