"""Who is told of findings, and that nobody is told twice or of what is theirs."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from webapp.journals.models import Inspection
from webapp.review import comments, decisions, notices
from webapp.review.findings import ingest_findings
from webapp.review.models import Finding


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What was handed to the notifications."""
    handed: list[dict[str, Any]] = []
    monkeypatch.setattr(notices, "notify", lambda kind, **members: handed.append({"kind": kind, **members}))
    return handed


def test_a_critical_cause_is_news_once(told: list[dict[str, Any]], inspect: Any, project: Any) -> None:
    low = {"identity": "b", "severity": "low"}
    inspection = inspect("a", low, {"identity": "c", "consequence_of": "a"}, taken=False)
    Inspection.objects.filter(pk=inspection.pk).update(finished_at=timezone.now())
    ingest_findings(inspection)
    again = inspect("a", {**low, "severity": "critical"}, taken=False)
    Inspection.objects.filter(pk=again.pk).update(finished_at=timezone.now())
    ingest_findings(again)
    subjects = [(one["kind"], one["subject"], one["path"]) for one in told]
    a, b = (Finding.objects.get(fingerprint=name) for name in "ab")
    assert subjects == [
        ("critical_found", "1 critical incident in kafkasql-journal", a.get_absolute_url()),
        ("critical_found", "1 critical incident in kafkasql-journal", b.get_absolute_url()),
    ]
    assert {one["project_id"] for one in told} == {project.pk}


def test_what_one_restart_did_is_one_line_of_news(
    told: list[dict[str, Any]], make_findings: Any, journal: Any
) -> None:
    findings = make_findings(3, incident="restart", incident_title="A restart emptied 3 content items")
    alone = make_findings(1, title="A batch is corrupt")
    notices.notify_critical([*findings, *alone], SimpleNamespace(pk=1, journal=journal))  # type: ignore[arg-type]
    (message,) = told
    assert message["subject"] == f"2 critical incidents in {journal.name}"
    assert message["text"] == "- A restart emptied 3 content items\n- A batch is corrupt"


def test_messages_about_one_incident_are_about_the_same_and_name_the_worst_severity(
    told: list[dict[str, Any]], make_findings: Any, journal: Any, owner: Any, reviewer: Any, admin: Any
) -> None:
    findings = make_findings(2, incident="restart", incident_title="A restart emptied 2 content items")
    Finding.objects.filter(pk=findings[1].pk).update(severity="high", rank=1)
    findings = list(Finding.objects.filter(pk__in=[finding.pk for finding in findings]))
    inspection = SimpleNamespace(pk=1, journal=journal)
    notices.notify_critical(findings, inspection)  # type: ignore[arg-type]
    comments.comment(findings[1], owner, "@reviewer look")
    notices.notify_critical([*findings, *make_findings(1)], inspection)  # type: ignore[arg-type]
    first, mention, several = told
    assert first["about"] == mention["about"] == f"incident:{findings[0].lineage}:restart"
    assert len(first["about"]) <= 100
    assert (first["severity"], mention["severity"]) == (findings[0].severity, "high")
    assert several["about"] == ""


def test_what_an_old_inspection_found_is_no_news(told: list[dict[str, Any]], inspect: Any) -> None:
    inspection = inspect("a", taken=False)
    Inspection.objects.filter(pk=inspection.pk).update(finished_at=timezone.now() - timedelta(days=3))
    ingest_findings(inspection)
    assert told == []


def test_who_is_given_work_is_told_in_one_message(
    told: list[dict[str, Any]], make_findings: Any, reviewer: Any, admin: Any
) -> None:
    ids = [finding.pk for finding in make_findings(7)]
    decisions.assign(ids, admin, reviewer)
    assert [(one["kind"], one["users"], one["subject"]) for one in told] == [
        ("assigned", [reviewer], "admin assigned 7 incidents to you")
    ]
    assert "… and 2 more" in told[0]["text"]
    decisions.assign(ids, reviewer, reviewer)
    decisions.assign(ids, admin, None)
    decisions.assign(ids, reviewer, reviewer)
    assert len(told) == 1


def test_who_is_mentioned_is_told_and_the_comment_stays_on_the_page(
    told: list[dict[str, Any]], make_findings: Any, owner: Any, reviewer: Any
) -> None:
    finding = make_findings(1)[0]
    comments.comment(finding, owner, "@reviewer @owner the customer's key is abc")
    assert [(one["kind"], one["users"]) for one in told] == [("mentioned", [reviewer])]
    assert "abc" not in str(told)


def test_what_is_due_is_told_once_a_day_to_whom_it_is_given(
    told: list[dict[str, Any]], make_findings: Any, reviewer: Any, house: Any
) -> None:
    now = timezone.now()
    make_findings(2, assignee=reviewer, due_at=now - timedelta(days=1))
    make_findings(1, assignee=reviewer, due_at=now + timedelta(hours=5))
    make_findings(1, assignee=reviewer, due_at=now + timedelta(days=5))
    make_findings(1, due_at=now)
    assert notices.notify_due() == 1
    assert told[0]["subject"] == "3 incidents assigned to you due until tomorrow, 2 overdue"
    assert told[0]["users"] == [reviewer]
    assert notices.notify_due() == 0
    house.flushall()
    notices.notify_due()
    assert told[0]["dedupe_key"] == told[1]["dedupe_key"]


def test_who_subscribed_gets_a_delivery_and_nobody_else(
    make_findings: Any, reviewer: Any, admin: Any, owner: Any
) -> None:
    from webapp.notifications.models import Delivery, Preferences

    for user in (reviewer, owner):
        Preferences.objects.create(user=user, kinds=["assigned", "mentioned"])
    findings = make_findings(3)
    decisions.assign([finding.pk for finding in findings], admin, reviewer)
    comments.comment(findings[0], reviewer, "@owner @admin look")
    told = Delivery.objects.order_by("message__kind").values_list(
        "user__username", "message__kind", "message__subject"
    )
    assert list(told) == [
        ("reviewer", "assigned", "admin assigned 3 incidents to you"),
        ("owner", "mentioned", "reviewer mentioned you in a comment"),
    ]
