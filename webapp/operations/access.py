"""Who may look after which projects: their admins, and superusers all of them and the site itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from webapp.accounts.access import require_role
from webapp.accounts.models import Project
from webapp.accounts.roles import projects_for_user
from webapp.journals.access import get_journal_for_user
from webapp.journals.models import Journal


def administered_projects(user: Any) -> QuerySet[Project]:
    """Projects that the user administers; 403 for other members, 404 for everybody else."""
    require_role(user, "admin")
    return projects_for_user(user, "admin")


def get_administered_journal(user: Any, journal_id: UUID) -> Journal:
    """403 for members of its project who are no admin, 404 for everybody else."""
    journal = get_journal_for_user(user, journal_id)
    require_role(user, "admin", journal.project_id)
    return journal
