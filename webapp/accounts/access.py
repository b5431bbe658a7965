"""Who may see and change which projects. Everybody else's projects do not exist."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404

from webapp.accounts.models import Invitation, Membership, Project
from webapp.accounts.roles import has_role, projects_for_user


def get_project_for_user(user: Any, slug: str) -> Project:
    """A project the user is in, or 404."""
    project = projects_for_user(user).filter(slug=slug).first()
    if project is None:
        raise Http404
    return project


def get_administered_project(user: Any, slug: str) -> Project:
    """A project the user is an admin of; 403 for its other members, 404 for everybody else."""
    project = get_project_for_user(user, slug)
    if not has_role(user, "admin", project.pk):
        raise PermissionDenied("This needs the role admin. Ask an admin of the project for it.")
    return project


def get_membership(project: Project, membership_id: int) -> Membership:
    """A membership of this project, or 404."""
    found = project.memberships.filter(pk=membership_id).select_related("user", "project").first()
    if found is None:
        raise Http404
    return found


def get_invitation(project: Project, invitation_id: int) -> Invitation:
    """An invitation to this project, or 404."""
    found = project.invitations.filter(pk=invitation_id).first()
    if found is None:
        raise Http404
    return found


def insist_on_superuser(user: Any) -> None:
    """The site's own business: 404 for everybody else, because nobody else is told that it is here."""
    if not user.is_superuser:
        raise Http404
