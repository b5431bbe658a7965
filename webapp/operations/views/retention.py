"""A project's retention: how long journals are kept, the hold that keeps them all, quotas, and what would go."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.access import get_administered_project
from webapp.accounts.models import Project
from webapp.audit import log
from webapp.journals.disk import quotas
from webapp.journals.holds import set_hold
from webapp.operations.access import get_administered_journal
from webapp.operations.forms import MAX_DAYS, QuotaForm, RetentionForm
from webapp.operations.retention import outlook


@require_GET
def retention(request: HttpRequest, slug: str) -> HttpResponse:
    """The page with what the next run would delete."""
    project = get_administered_project(request.user, slug)
    return render(
        request, "operations/retention.html", _context(request, project, RetentionForm(instance=project))
    )


@require_GET
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for a number of days that is not saved yet."""
    project = get_administered_project(request.user, slug)
    text = request.GET.get("retention_days", "").strip()
    is_number = text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MAX_DAYS
    context = {"problem": bool(text) and not is_number} | vars(
        outlook(project, int(text) if is_number else None)
    )
    return render(request, "operations/removal.html", {"project": project, **context})


@require_POST
def save(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    form = RetentionForm(request.POST, instance=project)
    if not _saved(request, form, "retention.changed"):
        return render(request, "operations/retention.html", _context(request, project, form), status=422)
    return redirect("operations-retention", slug)


@require_POST
def save_quotas(request: HttpRequest, slug: str) -> HttpResponse:
    """For superusers."""
    project = get_administered_project(request.user, slug)
    if not request.user.is_superuser:
        raise PermissionDenied("Quotas are set by a superuser. Ask one for more.")
    form = QuotaForm(request.POST, instance=project)
    if not _saved(request, form, "quota.changed"):
        context = _context(request, project, RetentionForm(instance=project)) | {"quota_form": form}
        return render(request, "operations/retention.html", context, status=422)
    return redirect("operations-retention", slug)


@require_POST
def hold(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Start or end the legal hold of a journal."""
    journal = get_administered_journal(request.user, journal_id)
    set_hold(journal, request.POST.get("hold") == "1")
    return redirect("journal", journal_id)


def _saved(request: HttpRequest, form: ModelForm[Project], action: str) -> bool:
    if not form.is_valid():
        return False
    with transaction.atomic():
        project = form.save()
        now = {name: form.cleaned_data[name] for name in form.changed_data}
        if now:
            detail: dict[str, Any] = {
                name: value if isinstance(value, bool | int | None) else str(value)
                for name, value in now.items()
            }
            log.record(action, project_id=project.pk, target=project, **detail)
    messages.success(request, "Saved.")
    return True


def _context(request: HttpRequest, project: Project, form: RetentionForm) -> dict[str, Any]:
    # the form may have put what is not valid into the row in hand
    stored = Project.objects.get(pk=project.pk)
    return {
        "project": stored,
        "form": form,
        "quota_form": QuotaForm(instance=stored) if request.user.is_superuser else None,
        "used_bytes": quotas.used_bytes(stored),
        "started": len(quotas.started_inspections(stored)),
        "wait": quotas.wait_of(stored),
        "held": stored.journals.filter(is_on_hold=True).order_by("name"),
        "section": "operations",
        **vars(outlook(stored, stored.retention_days)),
    }
