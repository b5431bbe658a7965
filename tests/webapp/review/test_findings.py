"""What runs do to findings: created, still there, gone, back; and what they never do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from webapp.audit.models import Event
from webapp.journals import deletion
from webapp.journals.models import Inspection, Journal
from webapp.review import decisions, findings, suppressions
from webapp.review.models import Change, Finding, Intake, Sighting
from webapp.review.states import FindingState


def presences() -> dict[str, str]:
    return dict(Finding.objects.values_list("fingerprint", "presence"))


def the(fingerprint: str) -> Finding:
    return Finding.objects.get(fingerprint=fingerprint)


def decide(fingerprint: str, user: Any, state: str, **more: Any) -> Any:
    return decisions.decide([the(fingerprint).pk], user, state, **more)


def test_a_report_makes_a_row_for_each_finding(inspect: Any, journal: Journal) -> None:
    inspection = inspect("cause", {"identity": "led-to", "consequence_of": "cause"})
    cause, consequence = the("cause"), the("led-to")
    assert (cause.severity, cause.rank, cause.evidence_count) == ("critical", 0, 1)
    assert (cause.state, cause.presence, cause.journal) == (FindingState.NEW, "created", journal)
    assert (cause.last_inspection, cause.lineage) == (inspection, journal.lineage)
    assert cause.is_root
    assert not consequence.is_root
    assert cause.due_at - timezone.now() < timedelta(days=1)


def test_the_same_inspection_twice_changes_nothing(inspect: Any) -> None:
    inspect("a", "b")
    inspection = inspect("b", "c")
    counted = [model.objects.count() for model in (Finding, Sighting, Change, Intake)]
    before = list(Finding.objects.order_by("pk").values())
    findings.ingest_findings(inspection)
    assert list(Finding.objects.order_by("pk").values()) == before
    assert [model.objects.count() for model in (Finding, Sighting, Change, Intake)] == counted


def test_a_run_says_created_still_gone_and_back(inspect: Any) -> None:
    inspect("a", "b")
    inspect("b", "c")
    assert presences() == {"a": "gone", "b": "still", "c": "created"}
    inspect("a", "c")
    assert presences() == {"a": "back", "b": "gone", "c": "still"}
    told = the("a").changes.filter(what="presence").order_by("pk").values_list("before", "after")
    assert list(told) == [("created", "gone"), ("gone", "back")]


@pytest.mark.parametrize("state", [state for state in FindingState.values if state != FindingState.NEW])
def test_a_second_run_keeps_the_verdict(inspect: Any, reviewer: Any, state: str) -> None:
    inspect("a")
    decide("a", reviewer, state)
    decisions.assign([the("a").pk], reviewer, reviewer)
    for found in ((), ("a",), ("a", "b")):
        inspect(*found)
        assert (the("a").state, the("a").assignee) == (state, reviewer)


def test_a_newer_dump_is_the_same_journal(inspect: Any, newer_dump: Any, reviewer: Any) -> None:
    inspect("a", "b")
    decide("a", reviewer, FindingState.CONFIRMED)
    newer = newer_dump()
    inspect("a", of=newer)
    assert Finding.objects.count() == 2
    assert (the("a").journal, the("a").state, the("a").presence) == (newer, FindingState.CONFIRMED, "still")
    assert the("b").presence == "gone"


def test_an_old_dump_inspected_again_says_nothing_about_now(
    inspect: Any, journal: Journal, newer_dump: Any
) -> None:
    inspect("a")
    inspect("b", of=newer_dump())
    inspect({"identity": "a", "severity": "low"}, "c", of=journal)
    assert presences() == {"a": "gone", "b": "created", "c": "gone"}
    assert the("a").severity == "critical"


def test_another_journal_has_rows_of_its_own(inspect: Any, project: Any) -> None:
    inspect("a")
    inspect("a", of=Journal.objects.create(project=project, name="another"))
    assert Finding.objects.filter(fingerprint="a", presence="created").count() == 2


@pytest.mark.parametrize(
    "changed",
    [{"severity": "high"}, {"title": "Content 2 is lost, and with it 3 artifacts"}, {"evidence": [6, 10]}],
    ids=["severity", "title", "evidence"],
)
def test_a_suppression_ends_when_the_finding_changes(
    inspect: Any, reviewer: Any, changed: dict[str, Any]
) -> None:
    inspect("a")
    decide("a", reviewer, FindingState.SUPPRESSED)
    inspect("a")
    assert the("a").state == FindingState.SUPPRESSED
    inspect({"identity": "a", **changed})
    assert the("a").state == FindingState.NEW
    last = the("a").changes.filter(what="state").first()
    assert (last.before, last.after, last.by) == (FindingState.SUPPRESSED, FindingState.NEW, None)
    assert "changed since it was suppressed" in last.why


def test_a_suppression_ends_on_its_day(inspect: Any, reviewer: Any) -> None:
    inspect("a")
    until = timezone.now() + timedelta(days=3)
    decide("a", reviewer, FindingState.SUPPRESSED, until=until)
    assert suppressions.end_those_over() == 0
    assert suppressions.end_those_over(until + timedelta(seconds=1)) == 1
    assert (the("a").state, the("a").suppressed_until) == (FindingState.NEW, None)
    assert the("a").due_at > timezone.now()
    assert Event.objects.get(action="finding.suppression_ended").detail == {"findings": [the("a").pk]}
    assert suppressions.end_those_over(until + timedelta(seconds=1)) == 0


def test_a_worse_severity_is_written_down_and_due_sooner(inspect: Any) -> None:
    inspect({"identity": "a", "severity": "low"})
    late = the("a").due_at
    inspect("a")
    assert (the("a").severity, the("a").rank) == ("critical", 0)
    assert the("a").due_at < late
    change = the("a").changes.get(what="severity")
    assert (change.before, change.after) == ("low", "critical")


def test_a_project_says_when_findings_are_due(inspect: Any, project: Any) -> None:
    project.due_days = {"critical": 10, "high": None}
    project.save()
    inspect("a", {"identity": "b", "severity": "high"}, {"identity": "c", "severity": "info"})
    assert (the("a").due_at - timezone.now()).days == 9
    assert the("b").due_at is None
    assert the("c").due_at is None


def test_deleting_the_last_inspection_that_saw_it_deletes_it(inspect: Any, house: Any) -> None:
    first, second = inspect("a", "b"), inspect("b")
    deletion.delete_inspection(first)
    assert presences() == {"b": "created"}
    deletion.delete_inspection(second)
    assert not Finding.objects.exists()


def test_deleting_the_newest_dump_leaves_what_the_older_one_showed(
    inspect: Any, journal: Journal, newer_dump: Any, house: Any
) -> None:
    inspect("a", "b")
    newer = newer_dump()
    inspect("b", "c", of=newer)
    deletion.delete_journal(newer)
    assert presences() == {"a": "created", "b": "created"}
    assert the("b").journal == journal
    deletion.delete_journal(journal)
    assert not Finding.objects.exists()


def test_what_was_inspected_before_there_was_a_queue_is_taken_in(inspect: Any) -> None:
    inspect("a", taken=False)
    inspect(taken=False)
    broken = inspect("b", taken=False)
    (broken.results / "report.json").unlink()
    assert findings.catch_up() == 3
    assert presences() == {"a": "gone"}
    assert Intake.objects.count() == 2
    assert findings.catch_up() == 0


def test_a_failure_loses_no_report_and_leaves_nothing_half_made(
    inspect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    inspection = inspect("a", taken=False)
    (inspection.results / "report.json").write_text('{"findings": [{"id": "a"}]}')
    findings.ingest_findings_logged(inspection)
    assert "could not be added to the queue" in caplog.text
    assert [model.objects.count() for model in (Finding, Intake)] == [0, 0]
    inspection.refresh_from_db()
    assert inspection.state == Inspection.State.DONE


def test_names_of_damaged_bytes_are_stored(inspect: Any) -> None:
    inspect({"identity": "a", "title": "Key \x00\ud800 is lost", "key": "\x00"})
    assert the("a").title == "Key ␀? is lost"


def test_a_journal_that_moves_takes_its_findings_along(
    inspect: Any, journal: Journal, other_project: Any
) -> None:
    inspect("a")
    journal.project = other_project
    journal.save()
    assert the("a").project == other_project


def test_many_findings_take_few_statements(inspect: Any, django_assert_max_num_queries: Any) -> None:
    found = [{"identity": f"{n}", "title": f"Finding {n}"} for n in range(1200)]
    inspect(*found)
    again = inspect(*found, taken=False)
    with django_assert_max_num_queries(60):
        findings.ingest_findings(again)
