"""Who may read the audit log: an admin the events of their projects, a superuser all of them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from webapp.accounts.access import require_role
from webapp.accounts.roles import projects_for_user
from webapp.audit.models import Event


def events_for_user(user: Any) -> QuerySet[Event]:
    """Events that this user may see, newest first. 403 for members who are no admin, 404 for everybody else."""
    require_role(user, "admin")
    if user.is_superuser:
        return Event.objects.all()
    projects = projects_for_user(user, "admin").values_list("pk", flat=True)
    return Event.objects.filter(project_id__in=list(projects))
