"""Changing a project's settings: the checks of its pages, and their lines in the audit log."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import BaseForm

from webapp.accounts import projects
from webapp.accounts.models import Project
from webapp.accounts.project_forms import MasksForm, ProjectForm
from webapp.api.rest.errors import ApiError

RETENTION = ("retention_days", "is_on_hold")
QUOTAS = ("quota_bytes", "quota_inspections")


@transaction.atomic
def change(project_id: int, payload: dict[str, Any], user: Any) -> Project:
    """All of it or nothing. Raises ApiError and PermissionDenied."""
    project = Project.objects.select_for_update().get(pk=project_id)
    if "name" in payload:
        _rename(project, payload["name"])
    if "due_days" in payload:
        days = dict(payload["due_days"])
        projects.change(project, "project.due-days-changed", {"due_days": days}, **days)
    if "masks" in payload:
        _mask(project, payload["masks"])
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
    """How many is written down, not what: a pattern may name a customer."""
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
