"""Which journals a project keeps no longer."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.journals.models import Journal


def over(project: Project, days: int | None, ahead_days: int = 0) -> QuerySet[Journal]:
    """Journals older than `days`, or that will be in `ahead_days`; none where nothing ends or a hold keeps them."""
    if days is None or project.is_on_hold:
        return Journal.objects.none()
    border = timezone.now() - timedelta(days=days - ahead_days)
    return project.journals.filter(created_at__lt=border, is_on_hold=False).order_by("created_at")
