"""Findings by API: the queue's filters, decisions with If-Match, bulk changes, comments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webapp.review.conftest import journal, make_findings  # noqa: F401
from webapp.audit.models import Event
from webapp.review.models import Finding


@pytest.fixture
def findings(make_findings: Any) -> list[Finding]:  # noqa: F811
    """Three critical ones, two high ones."""
    return make_findings(3) + make_findings(2, severity="high", title="Something else")


def ids(response: Any) -> list[int]:
    assert response.status_code == 200, response.content
    return [one["id"] for one in response.json()["results"]]


def test_a_viewer_lists_findings_with_the_queues_filters(
    viewer: Any, program: Any, findings: list[Finding]
) -> None:
    caller = program(viewer, "read")
    every = sorted(one.pk for one in findings)
    assert ids(caller.get("/findings/")) == every
    assert ids(caller.get("/findings/?severity=high")) == every[3:]
    assert ids(caller.get("/findings/?q=else&state=any")) == every[3:]
    assert ids(caller.get("/findings/?assignee=me")) == []
    first = caller.get("/findings/?limit=2").json()
    assert [one["id"] for one in first["results"]] == every[:2]
    assert ids(caller.get(first["next"]))[0] == every[2]
    assert caller.get("/findings/?state=lost").status_code == 400


def test_of_two_who_decide_the_second_is_told(reviewer: Any, program: Any, findings: list[Finding]) -> None:
    caller = program(reviewer, "read", "review")
    path = f"/findings/{findings[0].pk}/"
    etag = caller.get(path)["ETag"]
    first = caller.patch(path, {"state": "confirmed", "assignee": "me", "comment": "seen"}, If_Match=etag)
    assert first.status_code == 200, first.content
    assert (first.json()["state"], first.json()["assignee"]) == ("confirmed", "reviewer")
    late = caller.patch(path, {"state": "false_positive"}, If_Match=etag)
    assert late.status_code == 412
    assert caller.get(path).json()["state"] == "confirmed"
    assert caller.get(path, If_None_Match=first["ETag"]).status_code == 304
    history = caller.get(f"{path}history/").json()["results"]
    assert [(step["what"], step["after"], step["by"]) for step in history] == [
        ("state", "confirmed", "reviewer"),
        ("assignee", "reviewer", "reviewer"),
    ]
    assert Event.objects.filter(action="finding.decided", actor_id=reviewer.pk).count() == 1


def test_many_are_decided_by_id_or_by_filter(reviewer: Any, program: Any, findings: list[Finding]) -> None:
    caller = program(reviewer)
    chosen = [findings[0].pk, findings[1].pk]
    told = caller.post("/findings/decide/", {"findings": chosen, "state": "acknowledged"}).json()
    assert told == {"changed": chosen, "unchanged": 0}
    told = caller.post(
        "/findings/decide/",
        {"matching": {"severity": "high"}, "state": "suppressed", "until": "2099-01-01T00:00:00Z"},
    ).json()
    assert len(told["changed"]) == 2
    told = caller.post("/findings/assign/", {"findings": chosen, "assignee": "reviewer"}).json()
    assert told["changed"] == chosen
    both = {"findings": chosen, "matching": {}, "state": "resolved"}
    assert caller.post("/findings/decide/", both).status_code == 400
    assert caller.post("/findings/decide/", {"state": "resolved"}).status_code == 400


def test_support_comments_and_does_not_judge(owner: Any, program: Any, findings: list[Finding]) -> None:
    caller = program(owner)
    path = f"/findings/{findings[0].pk}/"
    assert caller.patch(path, {"state": "resolved"}).status_code == 403
    assert (
        caller.post("/findings/decide/", {"findings": [findings[0].pk], "state": "resolved"}).status_code
        == 403
    )
    said = caller.post(f"{path}comments/", {"text": "See offset 6.", "records": ["6"]})
    assert said.status_code == 201, said.content
    assert said.json()["records"][0]["offset"] == 6
    assert [one["text"] for one in caller.get(f"{path}comments/").json()["results"]] == ["See offset 6."]
    assert caller.post(f"{path}comments/", {"text": "x", "records": ["nothing"]}).status_code == 400


def test_who_does_not_review_cannot_be_given_a_finding(
    reviewer: Any, viewer: Any, stranger: Any, program: Any, findings: list[Finding]
) -> None:
    caller = program(reviewer)
    for name in ("viewer", "stranger", "nobody-of-this-name"):
        response = caller.patch(f"/findings/{findings[0].pk}/", {"assignee": name})
        assert response.status_code == 400
        assert "does not review" in response.json()["error"]


def test_a_finding_of_another_project_does_not_exist(
    reviewer: Any,
    program: Any,
    make_findings: Any,  # noqa: F811
    theirs: Any,
) -> None:
    (hidden,) = make_findings(1, of=theirs, title="HIDDENMARK")
    caller = program(reviewer)
    path = f"/findings/{hidden.pk}/"
    for response in (
        caller.get(path),
        caller.patch(path, {"state": "resolved"}),
        caller.get(f"{path}history/"),
        caller.get(f"{path}comments/"),
        caller.post(f"{path}comments/", {"text": "x"}),
        caller.post("/findings/decide/", {"findings": [hidden.pk], "state": "resolved"}),
        caller.post("/findings/assign/", {"findings": [hidden.pk], "assignee": None}),
    ):
        assert response.status_code == 404
    assert ids(caller.get("/findings/?state=any&kind=all")) == []
    told = caller.post("/findings/decide/", {"matching": {"state": "any"}, "state": "resolved"}).json()
    assert told == {"changed": [], "unchanged": 0}
