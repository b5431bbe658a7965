"""Which journals a project keeps no longer, and what goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.journals.models import Journal
from webapp.journals.removal import Removal, removal_of

JOURNALS_SHOWN = 20
SOON_DAYS = 7


@dataclass(frozen=True)
class Outlook:
    """What the next run would delete; `going` are the oldest journals of it."""

    days: int | None
    removal: Removal
    going: list[Journal]
    going_count: int
    soon_count: int
    soon_days: int
    held_count: int


def over(project: Project, days: int | None, ahead_days: int = 0) -> QuerySet[Journal]:
    """Journals older than `days`, or in `ahead_days`; none under a hold or without retention."""
    if days is None or project.is_on_hold:
        return Journal.objects.none()
    border = timezone.now() - timedelta(days=days - ahead_days)
    return project.journals.filter(created_at__lt=border, is_on_hold=False).order_by("created_at")


def outlook(project: Project, days: int | None) -> Outlook:
    """For the project's setting or another number of days; None: nothing expires."""
    going = over(project, days)
    count = going.count()
    return Outlook(
        days=days,
        removal=removal_of(going),
        going=list(going[:JOURNALS_SHOWN]),
        going_count=count,
        soon_count=over(project, days, ahead_days=SOON_DAYS).count() - count,
        soon_days=SOON_DAYS,
        held_count=project.journals.filter(is_on_hold=True).count(),
    )
