"""Deciding about findings and assigning them: the one road for pages, bulk changes, the API and rules.

Every change is locked, written to the finding's history and to the audit log in one transaction. Of two people who
decide at the same time the last one wins, and is told what was replaced.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet, TextField, Value
from django.db.models.functions import Concat
from django.utils import timezone

from webapp.audit.log import record
from webapp.rejected import Rejected
from webapp.review.access import can_judge
from webapp.review.models import Change, Finding, by_project, state_words
from webapp.review.notices import notify_assigned
from webapp.review.states import FindingState

AT_ONCE = 500
# Finding.digest
LOOKS = Concat("severity", Value("|"), "evidence_count", Value("|"), "title", output_field=TextField())
ONLY_REVIEWERS = "Judging findings needs the role reviewer. Ask an admin of the project for it."


@dataclass
class DecisionOutcome:
    """`replaced`: newer decisions of others that the user had not seen."""

    changes: list[Change] = field(default_factory=list)
    unchanged: int = 0
    replaced: list[Change] = field(default_factory=list)


def decide(
    findings: QuerySet[Finding] | Iterable[int],
    user: Any,
    state: str,
    *,
    until: datetime | None = None,
    comment: str = "",
    seen_at: datetime | None = None,
) -> DecisionOutcome:
    """Set the state. `user` None is Journalscope itself (a rule); `seen_at`: when the user saw what they judge.

    Raises Rejected for a state that is none, and PermissionDenied when one of the findings is not the user's to judge.
    """
    if state not in FindingState.values:
        raise Rejected(f"'{state}' is not a state of a finding. Use one of {', '.join(FindingState.values)}.")
    if until and (state != FindingState.SUPPRESSED or until <= timezone.now()):
        raise Rejected("Only a suppression has an end date. The date must be in the future.")
    with transaction.atomic():
        locked = _locked(findings, user)
        changed = [finding for finding in locked if _differs(finding, state, until)]
        replaced = _replaced(changed, user, seen_at)
        alone = [] if state == FindingState.NEW else _decided_alone(changed, locked)
        changes = [_decide(finding, user, state, until, comment) for finding in changed]
        digest = LOOKS if state == FindingState.SUPPRESSED else Value("")
        members = {"suppressed_until": until, "suppressed_digest": digest, "decided_at": timezone.now()}
        _update(changed, state=state, decided_alone=False, **members)
        _update(alone, decided_alone=True)
        _keep(changes, "finding.decided", user, state=state)
    return DecisionOutcome(changes, len(locked) - len(changed), replaced)


def assign(
    findings: QuerySet[Finding] | Iterable[int],
    user: Any,
    assignee: Any,
    *,
    comment: str = "",
    seen_at: datetime | None = None,
) -> DecisionOutcome:
    """Give findings to a reviewer of their project, or with None to nobody."""
    with transaction.atomic():
        locked = _locked(findings, user)
        _require_reviewing(assignee, _projects(locked))
        changed = [finding for finding in locked if finding.assignee_id != getattr(assignee, "pk", None)]
        replaced = _replaced(changed, user, seen_at, Change.What.ASSIGNEE)
        changes = [_assign(finding, user, assignee, comment) for finding in changed]
        _update(changed, assignee=assignee)
        _keep(changes, "finding.assigned", user, assignee=getattr(assignee, "username", None))
        notify_assigned(changes, assignee, user)
    return DecisionOutcome(changes, len(locked) - len(changed), replaced)


def undo(change_ids: Iterable[int], user: Any) -> DecisionOutcome:
    """Take back the user's own last decisions: each finding gets the state it had, unless somebody decided since."""
    changes = Change.objects.filter(pk__in=list(change_ids), by=user, what=Change.What.STATE)
    before: dict[tuple[str, datetime | None], list[int]] = defaultdict(list)
    total = DecisionOutcome()
    with transaction.atomic():
        for change in changes.select_related("finding"):
            is_last = not Change.objects.filter(
                finding=change.finding, what=Change.What.STATE, pk__gt=change.pk
            ).exists()
            if is_last:
                before[change.before, _end_before(change)].append(change.finding_id)
            else:
                total.unchanged += 1
        for (state, until), ids in before.items():
            total.changes += decide(ids, user, state, until=until, comment="Undone.").changes
    return total


def _end_before(change: Change) -> datetime | None:
    """When the suppression that this change ended would have been over."""
    if change.before != FindingState.SUPPRESSED:
        return None
    earlier = Change.objects.filter(
        finding=change.finding_id, what=Change.What.STATE, after=FindingState.SUPPRESSED, pk__lt=change.pk
    )
    last = earlier.order_by("-pk").first()
    is_over = last is None or (last.until is not None and last.until <= timezone.now())
    return None if is_over or last is None else last.until


def _locked(findings: QuerySet[Finding] | Iterable[int], user: Any) -> list[Finding]:
    """The rows, in an order that two bulk changes share; all of them the user's to judge."""
    ids: Any = findings.values("pk") if isinstance(findings, QuerySet) else list(findings)
    rows = Finding.objects.filter(pk__in=ids).select_related("project", "journal").order_by("pk")
    locked = list(rows.select_for_update(of=("self",)))
    if user is not None and not all(can_judge(user, project) for project in _projects(locked)):
        raise PermissionDenied(ONLY_REVIEWERS)
    return locked


def _projects(findings: list[Finding]) -> set[int]:
    """Those of the journals, which may have moved since."""
    return {finding.journal.project_id if finding.journal else finding.project_id for finding in findings}


def _require_reviewing(assignee: Any, projects: set[int]) -> None:
    for project in projects if assignee is not None else ():
        if not can_judge(assignee, project):
            raise Rejected(
                f"{assignee.get_username()} does not review findings in the project of this finding."
            )


def _update(findings: list[Finding], **values: Any) -> None:
    for ids in _portions(findings):
        Finding.objects.filter(pk__in=ids).update(**values)


def _portions(findings: list[Finding]) -> Iterator[list[int]]:
    """Ids in batches of one statement."""
    for start in range(0, len(findings), AT_ONCE):
        yield [finding.pk for finding in findings[start : start + AT_ONCE]]


def _differs(finding: Finding, state: str, until: datetime | None) -> bool:
    return finding.state != state or (state == FindingState.SUPPRESSED and finding.suppressed_until != until)


def _decided_alone(changed: list[Finding], chosen: list[Finding]) -> list[Finding]:
    """Those that are decided without findings of their incident that were in the same state until now."""
    several = [finding for finding in changed if finding.incident_title]
    if not several:
        return []
    others = Finding.objects.causes().filter(
        lineage__in={finding.lineage for finding in several},
        incident__in={finding.incident for finding in several},
        decided_alone=False,
    )
    names = {finding.pk for finding in chosen}
    left_out = {
        (other.lineage, other.incident, other.state)
        for other in others.only("pk", "lineage", "incident", "state")
        if other.pk not in names
    }
    return [finding for finding in several if (*finding.incident_key, finding.state) in left_out]


def _decide(finding: Finding, user: Any, state: str, until: datetime | None, why: str) -> Change:
    change = Change(
        finding=finding,
        by=user,
        what=Change.What.STATE,
        before=finding.state,
        after=state,
        until=until,
        why=why,
    )
    finding.state, finding.suppressed_until = state, until
    return change


def _assign(finding: Finding, user: Any, assignee: Any, why: str) -> Change:
    before, after = (getattr(person, "username", "") for person in (finding.assignee, assignee))
    finding.assignee = assignee
    return Change(finding=finding, by=user, what=Change.What.ASSIGNEE, before=before, after=after, why=why)


def _replaced(
    changed: list[Finding], user: Any, seen_at: datetime | None, column: str = Change.What.STATE
) -> list[Change]:
    """The newest change by somebody else of each finding, made after the user looked at it."""
    if seen_at is None:
        return []
    later = [
        change
        for ids in _portions(changed)
        for change in Change.objects.filter(finding__in=ids, what=column, at__gt=seen_at)
        .order_by("at", "pk")
        .select_related("by", "finding")
    ]
    newest = {change.finding_id: change for change in later}
    return [change for change in newest.values() if change.by_id != getattr(user, "pk", None)]


def _keep(changes: list[Change], action: str, user: Any, **detail: Any) -> None:
    """History and audit log: one event for each project."""
    Change.objects.bulk_create(changes, batch_size=AT_ONCE)
    for project_id, changed in by_project(changes).items():
        findings = [change.finding for change in changed]
        target = findings[0] if len(findings) == 1 else None
        record(
            action,
            actor=user,
            project_id=project_id,
            target=target,
            findings=[finding.pk for finding in findings],
            **detail,
        )


def replaced_words(replaced: list[Change]) -> str:
    """Message for a user whose decision replaced another."""
    if not replaced:
        return ""
    change = replaced[0]
    who = change.by.get_username() if change.by else "Journalscope"
    words = (
        state_words(change.after, change.until)
        if change.what == Change.What.STATE
        else f"assigned to {change.after or 'nobody'}"
    )
    first = f"{who} had meanwhile made it: {words}. Your decision replaced it."
    if extra := len(replaced) - 1:
        return f"{first} The same for {extra:,} more. The history of each finding shows the change."
    return first
