"""Roles in a project, each with the rights of those before it: viewer < support < reviewer < admin.

Superusers run the site and are admins of every project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webapp.accounts.models import ROLES, Project

if TYPE_CHECKING:
    from django.db.models import QuerySet


def has_role(user: Any, role: str, project_id: int | None = None) -> bool:
    """Whether the user has at least this role in the project, or in any project."""
    if user is None or not user.is_active:
        return False
    if user.is_superuser:
        return True
    ranks = _ranks(user)
    rank = max(ranks.values(), default=-1) if project_id is None else ranks.get(project_id, -1)
    return rank >= ROLES.index(role)


def projects_for_user(user: Any, role: str = "viewer") -> QuerySet[Project]:
    """Projects in which the user has at least this role, by name."""
    if user is None or not user.is_active:
        return Project.objects.none()
    if user.is_superuser:
        return Project.objects.all()
    least = ROLES.index(role)
    return Project.objects.filter(pk__in=[project for project, rank in _ranks(user).items() if rank >= least])


def limit(user: Any, role: str, project_id: int | None = None) -> None:
    """Restrict this user object to a role and a project for one request. Never save it afterwards."""
    every = projects_for_user(user).values_list("pk", flat=True) if user.is_superuser else ()
    ranks = dict.fromkeys(every, ROLES.index("admin")) if user.is_superuser else _ranks(user)
    most = ROLES.index(role)
    user.ranks_by_project = {
        project: min(rank, most) for project, rank in ranks.items() if project_id in (None, project)
    }
    user.is_superuser = False


def _ranks(user: Any) -> dict[int, int]:
    """Index of the user's role in ROLES by project id; queried once per user object."""
    if not hasattr(user, "ranks_by_project"):
        rows = user.memberships.values_list("project_id", "role") if user.pk else ()
        user.ranks_by_project = {project: ROLES.index(role) for project, role in rows}
    return user.ranks_by_project
