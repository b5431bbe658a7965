"""Who asks, and their projects."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts import projects
from webapp.accounts.access import get_project_for_user
from webapp.accounts.models import Project
from webapp.accounts.project_forms import ProjectForm
from webapp.accounts.roles import ROLES, has_role, projects_for_user
from webapp.api.base import ApiView, body, insist_on_valid, query
from webapp.api.cursors import page_of
from webapp.api.models import Token
from webapp.api.serializers.journals import MeShape, NewProject, ProjectShape
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

    scopes = {"POST": "admin"}

    @extend_schema(parameters=[Paging], responses=page_shape(ProjectShape), summary="Your projects")
    def get(self, request: Request) -> Response:
        """Those in which you have a role."""
        found = projects_for_user(request.user)
        limit = query(request, Paging)["limit"]
        return Response(page_of(found, request, limit, lambda one: _shown(request, one)))

    @extend_schema(request=NewProject, responses={201: ProjectShape}, summary="Make a project")
    def post(self, request: Request) -> Response:
        """For superusers, who have to be signed in. Nobody is in it yet."""
        _insist_on_superuser(request)
        asked = body(request, NewProject)
        insist_on_valid(ProjectForm(asked))
        return Response(_shown(request, projects.create(asked["name"])), status=201)


class ProjectView(ApiView):
    """One project."""

    scopes = {"DELETE": "admin"}

    @extend_schema(responses=ProjectShape, summary="One project")
    def get(self, request: Request, slug: str) -> Response:
        """By its slug."""
        return Response(_shown(request, get_project_for_user(request.user, slug)))

    @extend_schema(responses={204: None}, summary="Remove an empty project")
    def delete(self, request: Request, slug: str) -> Response:
        """For superusers, who have to be signed in. 409 while it has journals or is under legal hold."""
        project = get_project_for_user(request.user, slug)
        _insist_on_superuser(request)
        projects.delete(project)
        return Response(status=204)


def role_in(user: Any, project: Project) -> str:
    """The user's role in a project that they see."""
    return [role for role in ROLES if has_role(user, role, project.pk)][-1]


def _insist_on_superuser(request: Request) -> None:
    if not request.user.is_superuser:
        raise PermissionDenied("Projects are made and removed by a superuser, signed in. Ask one.")


def _shown(request: Request, project: Project) -> dict[str, Any]:
    project.role = role_in(request.user, project)  # type: ignore[attr-defined]
    return ProjectShape(project).data
