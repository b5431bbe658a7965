"""Changing a project's settings: the checks of its pages, and their lines in the audit log."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import BaseForm

from webapp.accounts.models import Project
from webapp.accounts.project_forms import MasksForm, ProjectForm
from webapp.api.errors import Wrong
from webapp.audit.log import record

RETENTION = ("retention_days", "is_on_hold")
QUOTAS = ("quota_bytes", "quota_inspections")


@transaction.atomic
def change(project_id: int, asked: dict[str, Any], user: Any) -> Project:
    """All of it or nothing. Raises Wrong and PermissionDenied."""
    project = Project.objects.select_for_update().get(pk=project_id)
    if "name" in asked:
        _rename(project, asked["name"])
    if "due_days" in asked:
        days = dict(asked["due_days"])
        _set(project, "project.due-days-changed", {"due_days": days}, days)
    if "masks" in asked:
        _mask(project, asked["masks"])
    _set_some(project, asked, RETENTION, "retention.changed")
    if any(name in asked for name in QUOTAS) and not user.is_superuser:
        raise PermissionDenied("Quotas are set by a superuser, signed in. Ask one for more.")
    _set_some(project, asked, QUOTAS, "quota.changed")
    return project


def _rename(project: Project, name: str) -> None:
    before = project.name
    _insist(ProjectForm({"name": name}, instance=project), "name")
    if name != before:
        _set(project, "project.renamed", {"name": name}, {"before": before})


def _mask(project: Project, asked: dict[str, list[str]]) -> None:
    """How many is written down, not what: a pattern may name a customer."""
    form = MasksForm({f"{name}_text": "\n".join(lines) for name, lines in asked.items()})
    _insist(form, "masks")
    counts = {name: len(lines) for name, lines in form.masks.items()}
    _set(project, "project.masks-changed", {"masks": form.masks}, counts)


def _set_some(project: Project, asked: dict[str, Any], names: tuple[str, ...], action: str) -> None:
    new = {name: asked[name] for name in names if name in asked and asked[name] != getattr(project, name)}
    if new:
        _set(project, action, new, new)


def _set(project: Project, action: str, values: dict[str, Any], detail: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(project, name, value)
    project.save(update_fields=list(values))
    record(action, project_id=project.pk, target=project, **detail)


def _insist(form: BaseForm, field: str) -> None:
    if not form.is_valid():
        name, complaints = next(iter(form.errors.items()))
        inner = name.removesuffix("_text")
        raise Wrong(str(complaints[0]), field if inner == field else f"{field}.{inner}")
