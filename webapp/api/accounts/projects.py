"""Projects and their settings."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts import projects
from webapp.accounts.access import get_administered_project, get_project_for_user
from webapp.accounts.models import Project
from webapp.accounts.project_forms import ProjectForm
from webapp.accounts.roles import projects_for_user
from webapp.api.accounts import project_settings
from webapp.api.accounts.serializers import NewProject, ProjectShape, SettingsChange, SettingsShape
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource, require_valid


class ProjectViewSet(Resource):
    """Projects."""

    lookup_url_kwarg = "slug"
    lookup_value_converter = "slug"

    @operation("Your projects", page=ProjectShape)
    def list(self, request: Request) -> QuerySet[Project]:
        """Those in which you have a role."""
        return projects_for_user(request.user)

    @operation("Make a project", scope="admin", body=NewProject, answer=ProjectShape, status=201)
    def create(self, request: Request) -> Project:
        """For superusers, who have to be signed in. Nobody is in it yet."""
        _require_superuser(request)
        require_valid(ProjectForm(self.payload))
        return projects.create(self.payload["name"])

    @operation("One project", answer=ProjectShape)
    def retrieve(self, request: Request, slug: str) -> Project:
        """By its slug."""
        return get_project_for_user(request.user, slug)

    @operation("Remove an empty project", scope="admin", status=204)
    def destroy(self, request: Request, slug: str) -> None:
        """For superusers, who have to be signed in. 409 while it has journals or is under legal hold."""
        project = get_project_for_user(request.user, slug)
        _require_superuser(request)
        projects.delete(project)

    @action(detail=True, url_path="settings", url_name="settings")
    @operation("Settings of a project", scope="admin", answer=SettingsShape)
    def read_settings(self, request: Request, slug: str) -> Project:
        """Name, due days, masks, retention, hold, quotas."""
        return get_administered_project(request.user, slug)

    @read_settings.mapping.patch
    @operation("Change settings of a project", scope="admin", body=SettingsChange, answer=SettingsShape)
    def change_settings(self, request: Request, slug: str) -> Project:
        """What is named, all of it or nothing. Quotas are for superusers, who have to be signed in."""
        project = get_administered_project(request.user, slug)
        return project_settings.change(project.pk, self.payload, request.user)


def _require_superuser(request: Request) -> None:
    if not request.user.is_superuser:
        raise PermissionDenied("Projects are made and removed by a superuser, signed in. Ask one.")
