"""Saved filters by API: one's own and the team's; counts; decisions taken back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webapp.review.conftest import journal, make_findings  # noqa: F401
from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.review import saved
from webapp.review.models import SavedFilter

ASKED = {"severity": "high", "due": "overdue", "sort": "due"}


def test_a_filter_is_saved_used_renamed_and_deleted(
    reviewer: Any,
    program: Any,
    make_findings: Any,  # noqa: F811
) -> None:
    make_findings(2, severity="high")
    caller = program(reviewer, "read", "review")
    made = caller.post("/filters/", {"name": "worst", "filter": {"severity": "high"}})
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["owner"], told["project"]) == ("reviewer", None)
    assert (told["filter"], told["page"]) == ({"state": "open", "severity": "high"}, "/review/?severity=high")
    assert caller.get("/filters/").json()["results"] == [told]
    decided = caller.post("/findings/decide/", {"matching": told["filter"], "state": "confirmed"})
    assert len(decided.json()["changed"]) == 2
    one = f"/filters/{told['id']}/"
    assert caller.patch(one, {"name": "overdue"}).json()["filter"] == told["filter"]
    changed = caller.patch(one, {"filter": ASKED}).json()
    assert (changed["name"], changed["filter"]) == ("overdue", ASKED | {"state": "open"})
    assert caller.delete(one).status_code == 204
    assert caller.get(one).status_code == 404
    actions = Event.objects.filter(action__startswith="filter.").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == ["filter.saved"] * 3 + ["filter.deleted"]


def test_the_same_name_again_replaces_and_another_ones_name_is_refused(reviewer: Any, program: Any) -> None:
    caller = program(reviewer)
    first = caller.post("/filters/", {"name": "one", "filter": {}}).json()
    again = caller.post(
        "/filters/", {"name": "one", "filter": {"presence": "not_mended", "state": "any"}}
    ).json()
    assert (again["id"], again["filter"]["presence"]) == (first["id"], "not_mended")
    other = caller.post("/filters/", {"name": "two", "filter": {}}).json()
    refused = caller.patch(f"/filters/{other['id']}/", {"name": "one"})
    assert (refused.status_code, "Another filter" in refused.json()["error"]) == (400, True)
    assert caller.post("/filters/", {"name": " ", "filter": {}}).status_code == 400


def test_a_filter_too_many_is_refused_and_one_may_still_be_replaced(
    reviewer: Any, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "MAX_OWN", 1)
    caller = program(reviewer)
    assert caller.post("/filters/", {"name": "one", "filter": {}}).status_code == 201
    assert caller.post("/filters/", {"name": "one", "filter": ASKED}).status_code == 201
    assert "Delete one first" in caller.post("/filters/", {"name": "two", "filter": {}}).json()["error"]


def test_a_teams_filter_is_used_by_its_reviewers_and_changed_by_owner_or_admin(
    reviewer: Any, admin: Any, viewer: Any, program: Any, project: Any
) -> None:
    made = (
        program(reviewer).post("/filters/", {"name": "ours", "filter": ASKED, "project": project.slug}).json()
    )
    own = program(reviewer).post("/filters/", {"name": "mine", "filter": {}}).json()
    one = f"/filters/{made['id']}/"
    assert [kept["name"] for kept in program(admin).get("/filters/").json()["results"]] == ["ours"]
    assert program(admin).get(f"/filters/{own['id']}/").status_code == 404
    assert program(viewer).get("/filters/").status_code == 403
    assert program(viewer).get(one).status_code == 404
    colleague = type(reviewer).objects.create_user("colleague")
    project.memberships.create(user=colleague, role="reviewer")
    assert program(colleague).get(one).json()["name"] == "ours"
    for answer in (program(colleague).patch(one, {"name": "x"}), program(colleague).delete(one)):
        assert answer.status_code == 403
    assert program(admin).patch(one, {"name": "everybody's"}).json()["owner"] == "reviewer"
    Project.objects.create(slug="elsewhere", name="Elsewhere")
    lost = program(reviewer).post("/filters/", {"name": "x", "filter": {}, "project": "elsewhere"})
    assert lost.status_code == 404
    assert SavedFilter.objects.count() == 2


def test_counts_are_those_of_the_queue(
    reviewer: Any,
    viewer: Any,
    program: Any,
    make_findings: Any,  # noqa: F811
) -> None:
    found = make_findings(3)
    caller = program(reviewer)
    assert caller.get("/findings/counts/").json()["open"] == 3
    caller.patch(f"/findings/{found[0].pk}/", {"state": "resolved", "assignee": "me"})
    counts = caller.get("/findings/counts/").json()
    assert (counts["open"], counts["done"]) == (2, 1)
    assert program(viewer).get("/findings/counts/").status_code == 403


def test_ones_own_last_decision_is_taken_back(
    reviewer: Any,
    admin: Any,
    program: Any,
    make_findings: Any,  # noqa: F811
) -> None:
    one = make_findings(1)[0]
    caller = program(reviewer)
    caller.patch(f"/findings/{one.pk}/", {"state": "confirmed"})
    (step,) = caller.get(f"/findings/{one.pk}/history/").json()["results"]
    assert program(admin).post("/findings/undo/", {"changes": [step["id"]]}).json()["changed"] == []
    assert caller.post("/findings/undo/", {"changes": [step["id"]]}).json()["changed"] == [one.pk]
    one.refresh_from_db()
    assert one.state == "new"
    assert caller.post("/findings/undo/", {"changes": [step["id"]]}).json() == {"changed": [], "unchanged": 1}


def test_filters_of_records_are_none_of_the_queue(reviewer: Any, program: Any) -> None:
    of_records = saved.keep(reviewer, "large", "filter=key%3Ab", None, "apicurio-v2")
    caller = program(reviewer)
    assert caller.get("/filters/").json()["results"] == []
    assert caller.get(f"/filters/{of_records.pk}/").status_code == 404
    assert caller.delete(f"/filters/{of_records.pk}/").status_code == 404
