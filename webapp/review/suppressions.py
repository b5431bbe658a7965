"""Suppressions end: on their day, or when the finding changes."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from webapp.audit.log import record
from webapp.journals.models import Inspection
from webapp.review.models import Change, Finding, by_project
from webapp.review.states import FindingState

AT_ONCE = 500
COLUMNS = ("state", "decided_alone", "suppressed_until", "suppressed_digest", "due_at")


def end(finding: Finding, why: str, inspection: Inspection | None = None) -> Change:
    """Make it new again, and due from now on; the caller saves both."""
    finding.state, finding.suppressed_until, finding.suppressed_digest = FindingState.NEW, None, ""
    finding.decided_alone = False
    finding.due_at = finding.project.due_at(finding.severity, timezone.now())
    return Change(
        finding=finding,
        what=Change.What.STATE,
        before=FindingState.SUPPRESSED,
        after=FindingState.NEW,
        why=why,
        inspection=inspection,
    )


@transaction.atomic
def end_those_over(now: datetime | None = None) -> int:
    """End suppressions whose date has come; returns their number."""
    over = Finding.objects.filter(state=FindingState.SUPPRESSED, suppressed_until__lte=now or timezone.now())
    findings = list(over.select_related("project").select_for_update(of=("self",)))
    changes = [end(finding, "The suppression has ended.") for finding in findings]
    Finding.objects.bulk_update(findings, COLUMNS, batch_size=AT_ONCE)
    keep(changes)
    return len(findings)


def keep(changes: list[Change]) -> None:
    """Into the histories, and those of states into the audit log: one event for each project."""
    Change.objects.bulk_create(changes, batch_size=AT_ONCE)
    ended = [change for change in changes if change.what == Change.What.STATE]
    for project_id, those in by_project(ended).items():
        findings = [change.finding_id for change in those]
        record("finding.suppression_ended", project_id=project_id, findings=findings)
