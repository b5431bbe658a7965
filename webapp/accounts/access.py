"""Who may see and change which projects. Everybody else's projects do not exist."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from webapp.accounts.models import Invitation, Membership, Project
from webapp.accounts.roles import has_role, projects_for_user


def get_project_for_user(user: Any, slug: str) -> Project:
    """A project the user is in, or 404."""
    return get_object_or_404(projects_for_user(user), slug=slug)


def require_role(user: Any, role: str, project_id: int | None = None) -> None:
    """Raise 403 for a member of the project without this role, 404 for everybody else."""
    if not has_role(user, "viewer", project_id):
        raise Http404
    if not has_role(user, role, project_id):
        raise PermissionDenied(f"This needs the role {role}. Ask an admin of the project for it.")


def get_administered_project(user: Any, slug: str) -> Project:
    """A project the user is an admin of; 403 for its other members, 404 for everybody else."""
    project = get_project_for_user(user, slug)
    require_role(user, "admin", project.pk)
    return project


def get_membership(project: Project, membership_id: int) -> Membership:
    return get_object_or_404(project.memberships.select_related("user", "project"), pk=membership_id)


def get_invitation(project: Project, invitation_id: int) -> Invitation:
    return get_object_or_404(project.invitations, pk=invitation_id)


def require_superuser(user: Any) -> None:
    """Raise 404 for everybody else: the page does not exist for them."""
    if not user.is_superuser:
        raise Http404
