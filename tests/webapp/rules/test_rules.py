"""Rules of a project: versions that stay, who may do what, and what an inspection uses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from django.db.utils import IntegrityError

from tests.webapp.rules.conftest import rule_text
from webapp.audit.models import Event
from webapp.rejected import Rejected
from webapp.rules import changes
from webapp.rules.changes import pin
from webapp.rules.models import Rule, RuleUse


def test_a_change_is_a_new_version_and_the_old_one_stays(make_rule: Any, admin: Any) -> None:
    rule = make_rule()
    first = rule.versions.get()
    second = changes.change(rule, rule_text(title="Another title"), admin, based_on=1)
    assert [(one.number, one.title, one.created_by.username) for one in rule.versions.all()] == [
        (2, "Another title", "admin"),
        (1, "Records with the key a", "reviewer"),
    ]
    assert changes.change(rule, rule_text(title="Another title"), admin, based_on=2) == second
    first.text = "something else"
    with pytest.raises(TypeError, match="does not change"):
        first.save()
    assert list(Event.objects.values_list("action", flat=True)) == ["rule.changed", "rule.created"]


def test_two_who_edit_at_once_do_not_overwrite_each_other(make_rule: Any, admin: Any, reviewer: Any) -> None:
    rule = make_rule()
    changes.change(rule, rule_text(title="Theirs"), admin, based_on=1)
    with pytest.raises(Rejected, match="admin saved version 2 in the meantime"):
        changes.change(rule, rule_text(title="Mine"), reviewer, based_on=1)
    assert rule.versions.count() == 2


def test_a_rule_keeps_its_name_and_a_name_is_given_once(make_rule: Any, reviewer: Any, project: Any) -> None:
    rule = make_rule()
    with pytest.raises(Rejected, match="keeps its name"):
        changes.change(rule, rule_text(name="other"), reviewer, based_on=1)
    with pytest.raises(Rejected, match="has a rule no-a already"):
        changes.create(project, rule_text(), reviewer)


def test_an_inspection_keeps_the_versions_it_used(make_rule: Any, inspection: Any, admin: Any) -> None:
    active = make_rule(name="active", is_active=True)
    make_rule(name="asleep")
    given = pin(inspection)
    assert given == [{"id": "rule:default/active", "version": 1, "text": rule_text(name="active")}]
    changes.change(active, rule_text(name="active", title="Newer"), admin, based_on=1)
    assert [use.version.number for use in RuleUse.objects.filter(inspection=inspection)] == [1]
    assert [one["version"] for one in pin(inspection)] == [2]
    assert [use.version.number for use in RuleUse.objects.filter(inspection=inspection)] == [2]


def test_rules_of_another_project_are_not_used(make_rule: Any, inspection: Any, db: Any) -> None:
    from webapp.accounts.models import Project

    make_rule(of=Project.objects.create(slug="other", name="Other"), is_active=True)
    assert pin(inspection) == []


def test_a_project_has_so_many_active_rules_and_no_more(
    make_rule: Any, reviewer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX_RULES", 1)
    make_rule(name="one", is_active=True)
    with pytest.raises(Rejected, match="1 active rules at most"):
        make_rule(name="two", is_active=True)


def test_a_reviewer_writes_changes_and_switches_on(sign_in: Any, reviewer: Any, project: Any) -> None:
    browser = sign_in(reviewer)
    assert "large-values" in browser.get("/review/rules/new/default/").content.decode()
    made = browser.post("/review/rules/create/default/", {"text": rule_text().replace("\n", "\r\n")})
    assert made.headers["Location"] == "/review/rules/of/default/no-a/"
    broken = browser.post(
        made.headers["Location"] + "save/", {"text": "name: no-a\ncolour: red", "based_on": 1}
    )
    page = broken.content.decode()
    assert broken.status_code == 422
    assert "Line 2: a rule has no member &#x27;colour&#x27;" in page
    assert "colour: red\n</textarea>" in page
    browser.post(made.headers["Location"] + "save/", {"text": rule_text(title="Newer"), "based_on": 1})
    browser.post(made.headers["Location"] + "active/", {"active": 1})
    rule = Rule.objects.get()
    assert (rule.is_active, rule.current.number, rule.current.text) == (True, 2, rule_text(title="Newer"))
    changed = browser.get(made.headers["Location"] + "versions/2/").content.decode()
    assert '<span class="is-removed">- title: Records with the key a</span>' in changed
    assert '<span class="is-added">+ title: Newer</span>' in changed
    assert "use it" in browser.get("/review/rules/").content.decode()


def test_a_viewer_reads_and_does_nothing_else(
    sign_in: Any, viewer: Any, make_rule: Any, inspection: Any
) -> None:
    make_rule()
    browser = sign_in(viewer)
    page = browser.get("/review/rules/of/default/no-a/").content.decode()
    assert "name: no-a" in page
    assert "<textarea" not in page
    assert "New rule" not in browser.get("/review/rules/").content.decode()
    assert browser.get("/review/rules/new/default/").status_code == 403
    for path in ("create/default/", "of/default/no-a/save/", "of/default/no-a/active/", "try/default/"):
        sent = {"text": rule_text(title="Mine"), "active": 1, "based_on": 1, "inspection": inspection.pk}
        assert browser.post(f"/review/rules/{path}", sent).status_code == 403
    assert (Rule.objects.get().is_active, Rule.objects.get().versions.count()) == (False, 1)


def test_support_tries_and_does_not_save(sign_in: Any, owner: Any, make_rule: Any, inspection: Any) -> None:
    make_rule()
    browser = sign_in(owner)
    assert "Save as version" not in browser.get("/review/rules/of/default/no-a/").content.decode()
    assert browser.post("/review/rules/of/default/no-a/save/", {"text": "x"}).status_code == 403
    assert (
        browser.post(
            "/review/rules/try/default/", {"text": rule_text(), "inspection": inspection.pk}
        ).status_code
        == 200
    )


def test_for_a_stranger_there_are_no_rules(
    sign_in: Any, stranger: Any, make_rule: Any, inspection: Any
) -> None:
    make_rule()
    browser = sign_in(stranger)
    for path in ("", "new/default/", "of/default/no-a/", "of/default/no-a/versions/1/"):
        assert browser.get(f"/review/rules/{path}").status_code == 404
    for path in ("create/default/", "try/default/", "of/default/no-a/save/", "of/default/no-a/active/"):
        assert browser.post(f"/review/rules/{path}").status_code == 404


def test_members_of_another_project_see_nothing_of_this_one(
    sign_in: Any, reviewer: Any, stranger: Any, make_rule: Any, inspection: Any
) -> None:
    from webapp.accounts.models import Project

    make_rule()
    other = Project.objects.create(slug="other", name="Other")
    other.memberships.create(user=stranger, role="admin")
    browser = sign_in(stranger)
    page = browser.get("/review/rules/").content.decode()
    assert "no-a" not in page
    assert browser.get("/review/rules/of/default/no-a/").status_code == 404
    tried = browser.post("/review/rules/try/other/", {"text": rule_text(), "inspection": inspection.pk})
    assert tried.status_code == 404
    assert browser.get("/catalogue/detectors/rule:default/no-a/").status_code == 404


def test_a_finding_of_a_rule_leads_to_the_rule(sign_in: Any, viewer: Any, make_rule: Any) -> None:
    make_rule()
    answer = sign_in(viewer).get("/catalogue/detectors/rule:default/no-a/")
    assert answer.headers["Location"] == "/review/rules/of/default/no-a/"


def test_the_language_loads_neither_spark_nor_arrow() -> None:
    code = "import sys, spark.rules.language, spark.rules.query; print([n for n in ('pyspark', 'pyarrow', 'numba') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_version_number_is_given_once(make_rule: Any) -> None:
    rule = make_rule()
    with pytest.raises(IntegrityError):
        rule.versions.create(number=1, title="x", severity="low", over="keys", text="x")
