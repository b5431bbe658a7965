"""Who asks, and their projects."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import get_project_for_user
from webapp.accounts.models import Project
from webapp.accounts.roles import ROLES, has_role, projects_for_user
from webapp.api.base import ApiView, query
from webapp.api.cursors import page_of
from webapp.api.models import Token
from webapp.api.serializers.journals import MeShape, ProjectShape
from webapp.api.serializers.pages import Paging, page_shape


class MeView(ApiView):
    """Who asks."""

    @extend_schema(responses=MeShape, summary="Who asks, and what they may")
    def get(self, request: Request) -> Response:
        """User, scopes of the token, role in each project."""
        token = request.auth if isinstance(request.auth, Token) else None
        roles = {project.slug: role_in(request.user, project) for project in projects_for_user(request.user)}
        return Response(
            MeShape(
                {
                    "user": request.user.get_username(),
                    "scopes": token and token.scopes,
                    "expires_at": token and token.expires_at,
                    "roles": roles,
                }
            ).data
        )


class ProjectsView(ApiView):
    """Projects."""

    @extend_schema(parameters=[Paging], responses=page_shape(ProjectShape), summary="Your projects")
    def get(self, request: Request) -> Response:
        """Those in which you have a role."""
        found = projects_for_user(request.user)
        limit = query(request, Paging)["limit"]
        return Response(page_of(found, request, limit, lambda one: _shown(request, one)))


class ProjectView(ApiView):
    """One project."""

    @extend_schema(responses=ProjectShape, summary="One project")
    def get(self, request: Request, slug: str) -> Response:
        """By its slug."""
        return Response(_shown(request, get_project_for_user(request.user, slug)))


def role_in(user: Any, project: Project) -> str:
    """The user's role in a project that they see."""
    return [role for role in ROLES if has_role(user, role, project.pk)][-1]


def _shown(request: Request, project: Project) -> dict[str, Any]:
    project.role = role_in(request.user, project)  # type: ignore[attr-defined]
    return ProjectShape(project).data
