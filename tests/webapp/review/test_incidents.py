"""Findings with one cause are one item of the queue; each can be decided alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from webapp.journals.models import Journal
from webapp.review.counts import waiting_for
from webapp.review.filters import preset_counts
from webapp.review.models import Finding
from webapp.review.states import FindingState

TITLE = "The restart at offset 9 emptied 3 content items"


@pytest.fixture
def client(reviewer: Any, sign_in: Any) -> Any:
    """The reviewer's browser."""
    return sign_in(reviewer)


@pytest.fixture
def emptied(make_findings: Any) -> list[Finding]:
    """Three findings that one restart made."""
    return list(make_findings(3, incident="restart", incident_title=TITLE))


def test_an_incident_is_one_row_with_its_findings_below(
    client: Any, emptied: Any, make_findings: Any
) -> None:
    alone = make_findings(1, title="A batch is corrupt", severity="high")
    page = client.get("/review/").content.decode()
    assert len(re.findall(r'<tr id="finding-', page)) == 2
    assert page.count(TITLE) == 2  # the link, and the name of its box
    assert [page.count(finding.get_absolute_url()) > 0 for finding in (*emptied, *alone)] == [True] * 4
    assert "3 findings" in page


def test_it_counts_once_in_the_header_and_in_the_views(
    emptied: Any, make_findings: Any, reviewer: Any
) -> None:
    make_findings(1)
    assert waiting_for(reviewer) == "2"
    assert preset_counts(reviewer)["open"] == 2


def test_the_header_counts_what_the_queue_shows_whoever_has_it(
    make_findings: Any, reviewer: Any, owner: Any
) -> None:
    (finding,) = make_findings(1)
    Finding.objects.filter(pk=finding.pk).update(assignee=owner)
    assert waiting_for(reviewer) == "1" == str(preset_counts(reviewer)["open"])


def test_the_same_incident_of_another_journal_is_another_one(
    make_findings: Any, journal: Any, reviewer: Any
) -> None:
    other = Journal.objects.create(project=journal.project, name="other")
    make_findings(2, incident="restart")
    make_findings(2, of=other, incident="restart")
    assert waiting_for(reviewer) == "2"


def test_a_decision_on_its_row_is_one_about_all_its_findings(client: Any, emptied: Any) -> None:
    page = client.get("/review/").content.decode()
    (box,) = re.findall(r'name="finding" value="([0-9]+,[0-9,]+)"', page)
    client.post("/review/decide/", {"finding": box, "state": "acknowledged"})
    assert {one.state for one in Finding.objects.all()} == {FindingState.ACKNOWLEDGED}


def test_what_was_decided_alone_is_not_among_them(client: Any, emptied: Any) -> None:
    client.post("/review/decide/", {"finding": emptied[0].pk, "state": "false_positive"})
    page = client.get("/review/").content.decode()
    (box,) = re.findall(r'name="finding" value="([0-9]+,[0-9]+)"', page)
    assert box.split(",") == [str(one.pk) for one in emptied[1:]]
    assert "2 findings" in page


def test_an_inspection_says_which_findings_are_one_incident(ingested: Any) -> None:
    rows = Finding.objects.values_list("fingerprint", "incident", "incident_title")
    assert set(rows) == {("a", "restart", TITLE), ("b", "restart", TITLE), ("c", "c", "")}


@pytest.fixture
def ingested(inspect: Any) -> Any:
    """An inspection with an incident of two findings, and one finding alone."""
    incident = {"id": "restart", "severity": "critical", "title": TITLE, "findings": ["a", "b"]}
    named = [{"identity": name, "incident": "restart"} for name in "ab"]
    return inspect(*named, "c", incidents=[incident])
