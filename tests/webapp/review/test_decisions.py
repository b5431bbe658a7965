"""Deciding and assigning: one road, with history, audit and rights."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from webapp.audit.models import Event
from webapp.review.decisions import Rejected, assign, decide, replaced_words, undo
from webapp.review.models import Change, Finding
from webapp.review.states import FindingState


@pytest.fixture
def finding(make_findings: Any) -> Finding:
    return make_findings(1)[0]


def state(finding: Finding) -> str:
    return str(Finding.objects.get(pk=finding.pk).state)


def test_a_decision_is_kept_with_its_history_and_in_the_audit_log(finding: Finding, reviewer: Any) -> None:
    outcome = decide([finding.pk], reviewer, FindingState.CONFIRMED, comment="Seen in the dump of Monday.")
    change = Change.objects.get()
    assert [change.pk for change in outcome.changes] == [change.pk]
    assert (change.by, change.before, change.after) == (reviewer, FindingState.NEW, FindingState.CONFIRMED)
    assert change.why == "Seen in the dump of Monday."
    event = Event.objects.get(action="finding.decided")
    assert (event.actor_name, event.target_id) == ("reviewer", str(finding.pk))
    assert event.detail == {"findings": [finding.pk], "state": "confirmed"}


def test_the_audit_log_names_no_title(finding: Finding, reviewer: Any) -> None:
    Finding.objects.update(title="Artifact secret-name is lost", key="secret-name")
    decide([finding.pk], reviewer, FindingState.CONFIRMED)
    event = Event.objects.get(action="finding.decided")
    assert "secret-name" not in f"{event.target_name} {event.detail}"


def test_what_is_so_already_is_no_change(finding: Finding, reviewer: Any) -> None:
    decide([finding.pk], reviewer, FindingState.CONFIRMED)
    again = decide([finding.pk], reviewer, FindingState.CONFIRMED)
    assert (again.changes, again.unchanged) == ([], 1)
    assert Change.objects.count() == 1


@pytest.mark.parametrize("who", ["viewer", "owner", "stranger"])
def test_only_reviewers_judge(finding: Finding, who: str, request: Any) -> None:
    with pytest.raises(PermissionDenied, match="role reviewer"):
        decide([finding.pk], request.getfixturevalue(who), FindingState.RESOLVED)
    with pytest.raises(PermissionDenied):
        assign([finding.pk], request.getfixturevalue(who), None)
    assert state(finding) == FindingState.NEW


def test_one_finding_that_is_not_theirs_refuses_all(
    finding: Finding, make_findings: Any, other_project: Any, reviewer: Any
) -> None:
    theirs = make_findings(1, of=other_project.journals.get())[0]
    with pytest.raises(PermissionDenied):
        decide([finding.pk, theirs.pk], reviewer, FindingState.RESOLVED)
    assert {state(finding), state(theirs)} == {FindingState.NEW}


def test_a_rule_decides_as_journalscope(finding: Finding) -> None:
    decide([finding.pk], None, FindingState.SUPPRESSED, comment="Rule quiet-hours.")
    assert Change.objects.get().by is None
    assert Event.objects.get(action="finding.decided").actor_id is None


@pytest.mark.parametrize(
    ("state", "days"),
    [("nonsense", None), (FindingState.RESOLVED, 3), (FindingState.SUPPRESSED, -1)],
    ids=str,
)
def test_what_makes_no_sense_is_refused_in_words(
    finding: Finding, reviewer: Any, state: str, days: int | None
) -> None:
    until = timezone.now() + timedelta(days=days) if days else None
    with pytest.raises(Rejected, match=r"\.$"):
        decide([finding.pk], reviewer, state, until=until)


def test_the_last_of_two_reviewers_is_told_what_was_replaced(
    finding: Finding, reviewer: Any, admin: Any
) -> None:
    both_looked = timezone.now()
    decide([finding.pk], reviewer, FindingState.CONFIRMED, seen_at=both_looked)
    late = decide([finding.pk], admin, FindingState.FALSE_POSITIVE, seen_at=both_looked)
    assert state(finding) == FindingState.FALSE_POSITIVE
    assert late.changes[0].before == FindingState.CONFIRMED
    assert replaced_words(late.replaced).startswith("reviewer had meanwhile made it: confirmed.")
    own = decide([finding.pk], admin, FindingState.RESOLVED, seen_at=both_looked)
    assert own.replaced == []
    looked_again = decide([finding.pk], reviewer, FindingState.CONFIRMED, seen_at=timezone.now())
    assert looked_again.replaced == []


def test_work_is_given_to_reviewers_only(finding: Finding, reviewer: Any, admin: Any, viewer: Any) -> None:
    assign([finding.pk], reviewer, admin)
    finding.refresh_from_db()
    assert finding.assignee == admin
    with pytest.raises(Rejected, match="viewer does not review"):
        assign([finding.pk], reviewer, viewer)
    assign([finding.pk], reviewer, None)
    told = Change.objects.filter(what="assignee").order_by("pk").values_list("before", "after")
    assert list(told) == [("", "admin"), ("admin", "")]


def test_undo_gives_each_its_own_state_back(make_findings: Any, reviewer: Any, admin: Any) -> None:
    first, second, third = make_findings(3)
    until = timezone.now() + timedelta(days=9)
    decide([second.pk], reviewer, FindingState.SUPPRESSED, until=until)
    outcome = decide([first.pk, second.pk, third.pk], reviewer, FindingState.RESOLVED)
    decide([third.pk], admin, FindingState.CONFIRMED)
    undone = undo([change.pk for change in outcome.changes], reviewer)
    assert (len(undone.changes), undone.unchanged) == (2, 1)
    assert [state(finding) for finding in (first, second, third)] == [
        FindingState.NEW,
        FindingState.SUPPRESSED,
        FindingState.CONFIRMED,
    ]
    second.refresh_from_db()
    assert second.suppressed_until == until


def test_undo_takes_back_ones_own_decisions_only(finding: Finding, reviewer: Any, admin: Any) -> None:
    outcome = decide([finding.pk], reviewer, FindingState.RESOLVED)
    assert undo([change.pk for change in outcome.changes], admin).changes == []
    assert state(finding) == FindingState.RESOLVED


def test_a_thousand_take_few_statements(
    make_findings: Any, reviewer: Any, django_assert_max_num_queries: Any
) -> None:
    make_findings(1000)
    with django_assert_max_num_queries(30):
        outcome = decide(Finding.objects.all(), reviewer, FindingState.ACKNOWLEDGED, seen_at=timezone.now())
    assert len(outcome.changes) == 1000


def test_a_suppression_remembers_what_the_finding_looked_like(make_findings: Any, reviewer: Any) -> None:
    finding = make_findings(1, title="Lost: 100 % of 'it' | and more", evidence_count=3)[0]
    decide([finding.pk], reviewer, FindingState.SUPPRESSED)
    finding.refresh_from_db()
    assert finding.suppressed_digest == finding.digest
    decide([finding.pk], reviewer, FindingState.NEW)
    finding.refresh_from_db()
    assert finding.suppressed_digest == ""
