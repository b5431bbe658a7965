"""Rules by API: written, changed, switched, tried."""

from __future__ import annotations

from typing import Any

from tests.webapp.rules.conftest import inspection, make_rule, rule_text
from webapp.audit.models import Event
from webapp.journals.models import Inspection
from webapp.rules import changes
from webapp.rules.models import Rule

__all__ = ["inspection", "make_rule"]

RULES = "/projects/default/rules/"
TRY = "/projects/default/try-rule/"


def test_a_rule_is_written_changed_and_switched_on(reviewer: Any, viewer: Any, program: Any) -> None:
    caller, reader = program(reviewer, "review"), program(viewer, "read")
    made = caller.post(RULES, {"text": rule_text().replace("\n", "\r\n")})
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["name"], told["is_active"], told["version"]["number"]) == ("no-a", False, 1)
    assert told["version"]["text"] == rule_text()
    assert told["detector"] == "rule:default/no-a"
    changed = caller.post(f"{RULES}no-a/versions/", {"text": rule_text(title="Another"), "based_on": 1})
    assert (changed.status_code, changed.json()["number"]) == (201, 2)
    assert caller.patch(f"{RULES}no-a/", {"is_active": True}).json()["is_active"] is True
    one = reader.get(f"{RULES}no-a/").json()
    assert (one["version"]["title"], one["version"]["created_by"]) == ("Another", "reviewer")
    assert reader.get(RULES).json()["results"] == [one]
    versions = reader.get(f"{RULES}no-a/versions/?limit=1").json()
    assert [version["number"] for version in versions["results"]] == [1]
    assert [one["number"] for one in reader.get(versions["next"]).json()["results"]] == [2]
    events = Event.objects.filter(action__startswith="rule.").order_by("pk")
    assert [event.action for event in events] == ["rule.created", "rule.changed", "rule.activated"]
    assert all(event.actor_name == "reviewer" and event.detail["token"] for event in events)


def test_what_is_wrong_with_a_rule_is_said_and_nothing_saved(
    reviewer: Any, program: Any, make_rule: Any
) -> None:
    caller = program(reviewer)
    broken = caller.post(RULES, {"text": "name: x"})
    assert (broken.status_code, "Line 1: the rule lacks title" in broken.json()["error"]) == (400, True)
    assert caller.post(RULES, {"text": "#" * 30_000}).json()["field"] == "text"
    make_rule()
    assert caller.post(RULES, {"text": rule_text()}).status_code == 409
    versions = f"{RULES}no-a/versions/"
    assert "keeps its name" in caller.post(versions, {"text": rule_text("b"), "based_on": 1}).json()["error"]
    stale = caller.post(versions, {"text": rule_text(title="Mine"), "based_on": 7})
    assert (stale.status_code, "in the meantime" in stale.json()["error"]) == (409, True)
    assert caller.post(versions, {"text": rule_text(), "based_on": 1}).json()["number"] == 1
    assert Rule.objects.get().versions.count() == 1


def test_trying_counts_and_shows_rows_and_is_written_down(
    owner: Any, program: Any, inspection: Inspection
) -> None:
    caller = program(owner, "review")
    tried = caller.post(TRY, {"text": rule_text(), "inspection": str(inspection.pk)})
    assert tried.status_code == 200, tried.content
    told = tried.json()
    assert (told["rule"], told["count"], told["places"], len(told["rows"])) == ("no-a", 29, 1, 20)
    assert told["rows"][0]["text"] == "The value is <b>0</b>."
    assert told["rows"][0]["url"].startswith(f"/inspections/{inspection.pk}/report/records/0/")
    assert not Rule.objects.exists()
    event = Event.objects.get(action="rule.tried")
    assert (event.actor_name, event.detail["rows"]) == ("owner", 20)
    (inspection.results / "tables.json").unlink()
    assert caller.post(TRY, {"text": rule_text(), "inspection": str(inspection.pk)}).status_code == 410
    Inspection.objects.update(state="running")
    assert caller.post(TRY, {"text": rule_text(), "inspection": str(inspection.pk)}).status_code == 409


def test_too_low_a_role_or_scope_writes_no_rule(
    owner: Any, viewer: Any, reviewer: Any, stranger: Any, program: Any, make_rule: Any, inspection: Any
) -> None:
    make_rule()
    calls = [
        ("POST", RULES, {"text": rule_text("b")}),
        ("POST", f"{RULES}no-a/versions/", {"text": rule_text(title="B"), "based_on": 1}),
        ("PATCH", f"{RULES}no-a/", {"is_active": True}),
    ]
    trying = ("POST", TRY, {"text": rule_text(), "inspection": str(inspection.pk)})
    for method, path, asked in calls:
        assert program(owner).send(method, path, asked).status_code == 403, path
    for method, path, asked in (*calls, trying):
        assert program(viewer).send(method, path, asked).status_code == 403, path
        assert program(reviewer, "read", "share").send(method, path, asked).status_code == 403, path
        assert program(stranger).send(method, path, asked).status_code == 404, path
    assert program(stranger).get(RULES).status_code == 404
    rule = Rule.objects.get()
    assert (rule.is_active, rule.current.number) == (False, 1)


def test_rules_of_another_project_do_not_exist(
    reviewer: Any, program: Any, theirs: Any, inspection: Any
) -> None:
    hidden = changes.create(theirs.project, rule_text("hidden", title="HIDDENMARK"), None)
    caller, there = program(reviewer), f"/projects/{theirs.project.slug}"
    text = rule_text()
    for method, path, asked in (
        ("GET", f"{there}/rules/", None),
        ("POST", f"{there}/rules/", {"text": text}),
        ("GET", f"{there}/rules/hidden/", None),
        ("PATCH", f"{there}/rules/hidden/", {"is_active": True}),
        ("GET", f"{there}/rules/hidden/versions/", None),
        ("POST", f"{there}/rules/hidden/versions/", {"text": text, "based_on": 1}),
        ("POST", f"{there}/try-rule/", {"text": text, "inspection": str(inspection.pk)}),
        ("POST", TRY, {"text": text, "inspection": str(theirs.latest.pk)}),
        ("GET", f"{RULES}hidden/", None),
    ):
        answer = caller.send(method, path, asked)
        assert answer.status_code == 404, (method, path)
        assert b"HIDDENMARK" not in answer.content
    assert caller.get(RULES).json()["results"] == []
    theirs.project.memberships.create(user=reviewer, role="reviewer")
    # in both projects: still nothing of the one on the other's address
    elsewhere = program(reviewer).post(TRY, {"text": text, "inspection": str(theirs.latest.pk)})
    assert elsewhere.status_code == 404
    hidden.refresh_from_db()
    assert hidden.is_active is False
