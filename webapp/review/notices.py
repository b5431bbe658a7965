"""What people may want to be told of findings, handed to the notifications. Titles are in it, records are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from spark.terms.wording import plural
from webapp.journals.models import Inspection
from webapp.notifications.events import notify
from webapp.redis_client import connection, key
from webapp.review.models import Change, Comment, Finding, by_project

NAMED = 5  # titles in one message
LOOK_SECONDS = 3600  # how often what is due is looked for
SOON = timedelta(days=1)


def notify_critical(findings: list[Finding], inspection: Inspection) -> None:
    """An inspection found what is critical and was not known as such."""
    journal = inspection.journal
    if not findings or journal.is_sample:
        return
    first = findings[0]
    notify(
        "critical_found",
        project_id=journal.project_id,
        subject=f"{plural(len(_incidents(findings)), 'critical incident')} in {journal.name}",
        text=_titles(findings),
        path=first.get_absolute_url()
        if len(findings) == 1
        else _queue(f"journal={journal.pk}&severity=critical"),
        dedupe_key=f"critical:{inspection.pk}",
        **_merged_by(findings),
    )


def notify_assigned(changes: list[Change], assignee: Any, by: Any) -> None:
    """Notify the new assignee, unless they assigned it themselves."""
    if assignee is None or not changes or getattr(by, "pk", None) == assignee.pk:
        return
    for project_id, assigned in by_project(changes).items():
        findings = [change.finding for change in assigned]
        who = by.get_username() if by else "Journalscope"
        notify(
            "assigned",
            project_id=project_id,
            users=[assignee],
            subject=f"{who} assigned {plural(len(_incidents(findings)), 'incident')} to you",
            text=_titles(findings),
            path=findings[0].get_absolute_url() if len(findings) == 1 else _queue("assignee=me"),
            dedupe_key=f"assigned:{assigned[0].pk}",
            **_merged_by(findings),
        )


def notify_mentioned(comment: Comment, people: list[Any]) -> None:
    """Somebody was named in a comment. What the comment says stays on the page."""
    others = [person for person in people if person.pk != comment.author_id]
    if not others:
        return
    finding = comment.finding
    notify(
        "mentioned",
        project_id=finding.project_id,
        users=others,
        subject=f"{comment.author or 'Somebody'} mentioned you in a comment",
        text=finding.title,
        path=f"{finding.get_absolute_url()}#comment-{comment.pk}",
        dedupe_key=f"mentioned:{comment.pk}",
        **_merged_by([finding]),
    )


def notify_due() -> int:
    """Once a day, to whom findings are given: what is due until tomorrow, or should have been. Looks once an hour."""
    if not connection().set(key("review", "due"), 1, ex=LOOK_SECONDS, nx=True):
        return 0
    now = timezone.now()
    due = Finding.objects.open().filter(due_at__lt=now + SOON).exclude(assignee=None)
    theirs: dict[tuple[int, Any], list[Finding]] = defaultdict(list)
    for finding in due.select_related("assignee"):
        theirs[finding.project_id, finding.assignee].append(finding)
    for (project_id, person), findings in theirs.items():
        late = len(_incidents(finding for finding in findings if finding.due_at and finding.due_at < now))
        notify(
            "due",
            project_id=project_id,
            users=[person],
            subject=f"{plural(len(_incidents(findings)), 'incident')} assigned to you due until tomorrow, {late:,} overdue",
            text=_titles(findings),
            path=_queue("assignee=me&due=week"),
            dedupe_key=f"due:{person.pk}:{project_id}:{now:%Y-%m-%d}",
            **_merged_by(findings),
        )
    return len(theirs)


def _incidents(findings: Iterable[Finding]) -> list[str]:
    """One title for what has one cause: the incident's where several of its findings are meant."""
    by_incident: dict[tuple[UUID, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_incident[finding.incident_key].append(finding)
    groups = by_incident.values()
    return [group[0].incident_title if len(group) > 1 else group[0].title for group in groups]


def _merged_by(findings: list[Finding]) -> dict[str, str]:
    """The worst severity, and the incident if there is only one."""
    worst = min(findings, key=lambda finding: finding.rank)
    keys = {finding.incident_key for finding in findings}
    about = ":".join(map(str, ("incident", *worst.incident_key))) if len(keys) == 1 else ""
    return {"severity": worst.severity, "about": about}


def _titles(findings: list[Finding]) -> str:
    titles = _incidents(findings)
    lines = [f"- {title}" for title in titles[:NAMED]]
    extra = len(titles) - NAMED
    return "\n".join([*lines, f"… and {extra:,} more"] if extra > 0 else lines)


def _queue(query: str) -> str:
    return f"{reverse('review')}?{query}"
