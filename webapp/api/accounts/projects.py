"""Projects and their settings; changes pass the checks of the pages and get their lines in the audit log."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import BaseForm
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts import projects
from webapp.accounts.access import get_administered_project, get_project_for_user
from webapp.accounts.models import Project
from webapp.accounts.project_forms import MasksForm, ProjectForm, TicketForm
from webapp.accounts.roles import projects_for_user
from webapp.api.accounts.serializers import NewProject, ProjectShape, SettingsChange, SettingsShape
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource, require_valid

RETENTION = ("retention_days", "is_on_hold")
QUOTAS = ("quota_bytes", "quota_inspections")


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
        """Name, due days, masks, address of tickets, retention, hold, quotas."""
        return get_administered_project(request.user, slug)

    @read_settings.mapping.patch
    @operation("Change settings of a project", scope="admin", body=SettingsChange, answer=SettingsShape)
    def change_settings(self, request: Request, slug: str) -> Project:
        """What is named, all of it or nothing. Quotas are for superusers, who have to be signed in."""
        project = get_administered_project(request.user, slug)
        return apply_settings(project.pk, self.payload, request.user)


def _require_superuser(request: Request) -> None:
    if not request.user.is_superuser:
        raise PermissionDenied("Projects are made and removed by a superuser, signed in. Ask one.")


@transaction.atomic
def apply_settings(project_id: int, payload: dict[str, Any], user: Any) -> Project:
    """All changes or none. Raises ApiError and PermissionDenied."""
    project = Project.objects.select_for_update().get(pk=project_id)
    if "name" in payload:
        _rename(project, payload["name"])
    if "due_days" in payload:
        days = dict(payload["due_days"])
        projects.change(project, "project.due-days-changed", {"due_days": days}, **days)
    if "masks" in payload:
        _mask(project, payload["masks"])
    if "ticket_template" in payload:
        template = {"ticket_template": payload["ticket_template"]}
        _require_valid(TicketForm(template), "ticket_template")
        projects.change(project, "project.ticket-address-changed", template, is_set=any(template.values()))
    _set_some(project, payload, RETENTION, "retention.changed")
    if any(name in payload for name in QUOTAS) and not user.is_superuser:
        raise PermissionDenied("Quotas are set by a superuser, signed in. Ask one for more.")
    _set_some(project, payload, QUOTAS, "quota.changed")
    return project


def _rename(project: Project, name: str) -> None:
    before = project.name
    _require_valid(ProjectForm({"name": name}, instance=project), "name")
    if name != before:
        projects.change(project, "project.renamed", {"name": name}, before=before)


def _mask(project: Project, payload: dict[str, list[str]]) -> None:
    """The audit log gets the number of masks only: a pattern may name a customer."""
    form = MasksForm({f"{name}_text": "\n".join(lines) for name, lines in payload.items()})
    _require_valid(form, "masks")
    counts = {name: len(lines) for name, lines in form.masks.items()}
    projects.change(project, "project.masks-changed", {"masks": form.masks}, **counts)


def _set_some(project: Project, payload: dict[str, Any], names: tuple[str, ...], action: str) -> None:
    new = {
        name: payload[name] for name in names if name in payload and payload[name] != getattr(project, name)
    }
    if new:
        projects.change(project, action, new, **new)


def _require_valid(form: BaseForm, field: str) -> None:
    if not form.is_valid():
        name, complaints = next(iter(form.errors.items()))
        inner = name.removesuffix("_text")
        raise ApiError(str(complaints[0]), field if inner == field else f"{field}.{inner}")
