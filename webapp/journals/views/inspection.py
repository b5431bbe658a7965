"""The inspection page: stages while it runs, then the report without a reload."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from webapp.catalogue.pages import find
from webapp.jobs import lifecycle
from webapp.journals import deletion, inspections, text_formats
from webapp.journals.access import can_add, can_delete, get_inspection_for_user, require_adding
from webapp.journals.models import Inspection
from webapp.journals.outcome.failure import failure_of
from webapp.journals.outcome.job_log import log_of
from webapp.journals.views.journal import ONLY_CREATOR
from webapp.rejected import Rejected, rejection_as_message

FILES_DELETED = "The files of this journal were deleted. Upload them again to inspect them."


@require_GET
def inspection(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """The progress page; a finished inspection redirects to its report."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    if inspection.state == Inspection.State.DONE:
        return redirect("report-overview", inspection.pk)
    return render(request, "journals/inspection.html", _context(request, inspection))


@require_GET
def fragment(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """The part that htmx polls; redirects to the report when it is finished."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    if inspection.state == Inspection.State.DONE:
        return HttpResponseClientRedirect(reverse("report-overview", args=[inspection.pk]))
    return render(request, "journals/progress.html", _context(request, inspection))


@require_POST
def cancel(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    inspection = _changeable(request, inspection_id)
    with rejection_as_message(request):
        inspections.cancel(inspection)
    return redirect("inspection", inspection_id)


@require_POST
def retry(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Restart an inspection that failed, was cancelled or lost its worker."""
    inspection = _changeable(request, inspection_id)
    if not inspection.journal.uploads.exists():
        messages.error(request, FILES_DELETED)
        return redirect("journal", inspection.journal_id)
    if inspection.is_over or lifecycle.is_abandoned(inspection):
        with rejection_as_message(request):
            return redirect("inspection", inspections.retry(inspection, request.user).pk)
    return redirect("inspection", inspection.pk)


@require_POST
def read_as(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Inspect again with another dialect for one topic."""
    inspection = _changeable(request, inspection_id)
    topic, dialect = request.POST.get("topic", ""), request.POST.get("dialect", "")
    is_known = topic and find("dialects", dialect) is not None
    complaint = "" if is_known else "Select a journal type. The Catalogue lists the journal types."
    with rejection_as_message(request):
        return _read_again(
            request, inspection, complaint, {**inspection.read_as, topic: dialect}, inspection.text_format
        )
    return redirect("report-files", inspection_id)


@require_POST
def text_format(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Inspect again with a format for output of kcat, or with columns for a table."""
    inspection = _changeable(request, inspection_id)
    text = text_formats.cleaned(request.POST.get("format", "")) or text_formats.of_choices(request.POST)
    with rejection_as_message(request):
        return _read_again(request, inspection, text_formats.complaint(text), inspection.read_as, text)
    is_done = inspection.state == Inspection.State.DONE
    return redirect("report-files" if is_done else "inspection", inspection_id)


def _read_again(
    request: HttpRequest, inspection: Inspection, complaint: str, read_as: dict[str, str], text_format: str
) -> HttpResponse:
    """Raises Rejected, with the complaint if there is one."""
    if not inspection.journal.uploads.exists():
        raise Rejected(FILES_DELETED)
    if complaint:
        raise Rejected(complaint)
    again = inspections.request_inspection(inspection.journal, request.user, read_as, text_format)
    return redirect("inspection", again.pk)


@require_POST
def delete(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Deletes the inspection and its report; the journal's files stay."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    if not can_delete(request.user, inspection.journal):
        raise PermissionDenied(ONLY_CREATOR)
    with rejection_as_message(request):
        deletion.delete_inspection(inspection)
        messages.success(request, "The inspection and its report were deleted. The files are still here.")
    return redirect("journal", inspection.journal_id)


@require_GET
def log(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """The job log on the journal's page, polled while the inspection runs."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    return render(request, "journals/log.html", {"inspection": inspection} | log_of(inspection))


def _context(request: HttpRequest, inspection: Inspection) -> dict[str, Any]:
    question = inspection.summary.get("question") if inspection.state == Inspection.State.FAILED else None
    return log_of(inspection) | {
        "shown": inspection,
        "is_abandoned": lifecycle.is_abandoned(inspection),
        "place": lifecycle.place_in_queue(inspection) if inspection.state == Inspection.State.QUEUED else 0,
        "inspection": inspection,
        "text_formats": text_formats.USUAL,
        "question": question,
        "failure": failure_of(inspection) if inspection.state == Inspection.State.FAILED else None,
        "choices": text_formats.choices(question) if question else [],
        "has_files": inspection.journal.uploads.exists(),
        "can_change": can_add(request.user, inspection.journal.project_id),
        "can_delete": can_delete(request.user, inspection.journal),
        "section": "journals",
    }


def _changeable(request: HttpRequest, inspection_id: UUID) -> Inspection:
    inspection = get_inspection_for_user(request.user, inspection_id)
    require_adding(request.user, inspection.journal.project_id)
    return inspection
