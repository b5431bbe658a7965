"""What became of a detector's findings: how many of those judged were false positives, and where it was so before.

Judged are findings that people confirmed, resolved or called a false positive; all else is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from webapp.review.access import findings_for_user
from webapp.review.models import Change, Finding
from webapp.review.states import FindingState

JUDGED = (FindingState.CONFIRMED, FindingState.RESOLVED, FindingState.FALSE_POSITIVE)
NAMED = 5


@dataclass(frozen=True)
class Rate:
    """Of one project, or of all projects of the user."""

    project: str
    judged: int
    false_positives: int

    @property
    def percent(self) -> int:
        """False positives per judged finding."""
        return round(100 * self.false_positives / self.judged) if self.judged else 0


@dataclass(frozen=True)
class Rates:
    whole: Rate
    projects: list[Rate]


@dataclass(frozen=True)
class EarlierVerdicts:
    """Findings of the project like this one that were called false positives, and this one itself if it was."""

    alike: list[Finding]
    extra: int
    own: Change | None

    def __bool__(self) -> bool:
        return bool(self.alike or self.own)


def rates(user: Any, detector: str) -> Rates:
    """Of a detector in the user's projects."""
    judged = findings_for_user(user).filter(detector=detector, state__in=JUDGED)
    counted = (
        judged.values("project__name")
        .annotate(judged=Count("pk"), wrong=Count("pk", filter=Q(state=FindingState.FALSE_POSITIVE)))
        .order_by("project__name")
    )
    projects = [Rate(row["project__name"], row["judged"], row["wrong"]) for row in counted]
    whole = Rate("", sum(rate.judged for rate in projects), sum(rate.false_positives for rate in projects))
    return Rates(whole, projects)


def earlier_false_positives(user: Any, finding: Finding) -> EarlierVerdicts:
    """What people said before: of the same fingerprint in another journal, of the same detector and key, of this one."""
    alike = _alike(user, finding)
    newest = list(alike.select_related("journal").order_by("-last_seen_at", "-pk")[: NAMED + 1])
    extra = alike.count() - NAMED if len(newest) > NAMED else 0
    own = None
    if finding.state != FindingState.FALSE_POSITIVE:
        changes = finding.changes.filter(what=Change.What.STATE, after=FindingState.FALSE_POSITIVE)
        own = changes.select_related("by").order_by("-at", "-pk").first()
    return EarlierVerdicts(newest[:NAMED], extra, own)


def _alike(user: Any, finding: Finding) -> QuerySet[Finding]:
    same = Q(fingerprint=finding.fingerprint)
    if finding.key:
        same |= Q(detector=finding.detector, key=finding.key)
    judged = findings_for_user(user).filter(
        same, project=finding.project_id, state=FindingState.FALSE_POSITIVE
    )
    return judged.exclude(pk=finding.pk)
