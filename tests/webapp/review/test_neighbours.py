"""From a finding's page to the next of the queue it was opened from."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.review.models import Finding

FILTER = "severity=critical"


@pytest.fixture
def client(reviewer: Any, sign_in: Any) -> Any:
    """The reviewer's browser."""
    return sign_in(reviewer)


def opened(client: Any, finding: Finding, at: int | str) -> Any:
    return client.get(f"/review/{finding.pk}/", {"within": FILTER, "at": at})


def test_a_row_leads_to_a_page_that_knows_its_neighbours(client: Any, make_findings: Any) -> None:
    first, second, third = make_findings(3)
    make_findings(2, severity="low")
    queue = client.get(f"/review/?{FILTER}").content.decode()
    assert f"/review/{second.pk}/?within=severity%3Dcritical&amp;at=1" in queue
    walk = opened(client, second, 1).context["neighbours"]
    assert (walk.at, walk.total, walk.queue) == (1, 3, f"/review/?{FILTER}")
    assert "Incident 2 of 3<" in opened(client, second, 1).content.decode()
    assert walk.previous.startswith(f"/review/{first.pk}/?")
    assert walk.following.startswith(f"/review/{third.pk}/?")
    assert opened(client, first, 0).context["neighbours"].previous == ""
    assert opened(client, third, 2).context["neighbours"].following == ""


def test_after_a_decision_the_next_is_what_moved_up(client: Any, make_findings: Any) -> None:
    first, second, third = make_findings(3)
    form = {"finding": second.pk, "back": second.pk, "state": "resolved", "within": FILTER, "at": "1"}
    page = client.post("/review/decide/", form, follow=True)
    assert page.redirect_chain[-1][0] == f"/review/{second.pk}/?within=severity%3Dcritical&at=1"
    walk = page.context["neighbours"]
    assert walk.previous.startswith(f"/review/{first.pk}/?")
    assert walk.following.startswith(f"/review/{third.pk}/?")
    assert "2 incidents match<" in page.content.decode(), "it is none of them any longer"


def test_a_comment_keeps_the_way(client: Any, make_findings: Any) -> None:
    finding = make_findings(2)[0]
    said = client.post(f"/review/{finding.pk}/comment/", {"text": "hello", "within": FILTER, "at": "0"})
    assert said["Location"].startswith(f"/review/{finding.pk}/?within=severity%3Dcritical&at=0#comment-")


@pytest.mark.parametrize("at", ["", "x", "9" * 20, "-1"])
def test_a_place_that_makes_no_sense_is_the_first(client: Any, make_findings: Any, at: str) -> None:
    finding = make_findings(1, severity="low")[0]
    other = make_findings(1)[0]
    assert opened(client, finding, at).context["neighbours"].following.startswith(f"/review/{other.pk}/?")


def test_who_only_reads_has_no_queue_to_walk_through(make_findings: Any, viewer: Any, sign_in: Any) -> None:
    finding = make_findings(2)[0]
    assert opened(sign_in(viewer), finding, 0).context["neighbours"] is None
