"""A journal's own page: its files, its inspections, its name and ticket."""

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

from webapp.accounts.roles import has_role
from webapp.audit import log
from webapp.journals import deletion, inspections
from webapp.journals.access import (
    can_add,
    can_delete,
    get_journal_for_user,
    get_upload_for_user,
    projects_to_move_to,
    require_adding,
)
from webapp.journals.disk import quotas
from webapp.journals.forms import JournalForm
from webapp.journals.holds import hold_of
from webapp.journals.models import Journal
from webapp.journals.outcome.job_log import log_of
from webapp.journals.page_additions import context_of
from webapp.journals.receiving import storing
from webapp.journals.removal import removal_of
from webapp.journals.uploads import offset_of
from webapp.rejected import rejection_as_message

FILES_SHOWN = 500
ONLY_CREATOR = "Only the person who uploaded a journal, or an admin, can delete it or parts of it."


@require_GET
def journal(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """The page. With `?arrived`, who just sent the last byte: the inspection may have started meanwhile."""
    journal = get_journal_for_user(request.user, journal_id)
    is_being_stored = journal.is_being_stored
    if "arrived" in request.GET and not is_being_stored:
        return redirect("journal-next", journal_id)
    files = journal.uploads.select_related("blob")
    rows = list(journal.inspections.select_related("requested_by"))  # once: another may begin meanwhile
    newest = rows[0] if rows else None
    context = {
        "journal": journal,
        "files": [(upload, offset_of(upload)) for upload in files[:FILES_SHOWN]],
        "file_count": files.count(),
        "size_bytes": sum(files.values_list("size_bytes", flat=True)),
        "inspections": rows,
        "newest": newest,
        "earlier": None if rows else journal.of_same_input,
        "can_change": can_add(request.user, journal.project_id),
        "can_delete": can_delete(request.user, journal) and not hold_of(journal),
        "removal": removal_of([journal]) if can_delete(request.user, journal) else None,
        "hold": hold_of(journal),
        "can_hold": has_role(request.user, "admin", journal.project_id),
        "move_to": projects_to_move_to(request.user, journal)
        if has_role(request.user, "admin", journal.project_id)
        else (),
        "is_being_stored": is_being_stored,
        "wait": quotas.wait_of(journal.project) if journal.complete_at else "",
        "section": "journals",
    }
    context |= log_of(newest) if newest else {}
    return render(request, "journals/journal.html", context | context_of(journal) | _problems(journal))


@require_GET
def storing_state(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """The note while files are being stored; htmx then loads the page."""
    journal = get_journal_for_user(request.user, journal_id)
    if not journal.is_being_stored:
        return HttpResponseClientRedirect(reverse("journal-next", args=[journal_id]))
    return render(
        request, "journals/storing.html", {"journal": journal, "is_being_stored": True} | _problems(journal)
    )


def _problems(journal: Journal) -> dict[str, Any]:
    """Errors of files that have arrived and could not be stored."""
    files = storing.waiting().filter(journal=journal) if not journal.complete_at else ()
    return {"problems": storing.problems(files)}


@require_POST
def edit(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Rename the journal or set its ticket. Fields that are not sent stay."""
    journal = _changeable(request, journal_id)
    now = {"name": journal.name, "ticket": journal.ticket}
    form = JournalForm(now | request.POST.dict(), instance=journal)
    if form.is_valid():
        form.save()
        changed = [name for name, before in now.items() if before != form.cleaned_data.get(name)]
        if changed:
            log.record("journal.edited", project_id=journal.project_id, target=journal, changed=changed)
    if request.headers.get("HX-Request") == "true":
        return _answer(form)
    if form.is_valid():
        messages.success(request, "Saved.")
    for sentence in form.errors_in_words():
        messages.error(request, sentence)
    return redirect("journal", journal_id)


@require_POST
def inspect(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    journal = _changeable(request, journal_id)
    with rejection_as_message(request):
        inspections.require_input(journal)
        return redirect("inspection", inspections.request_inspection(journal, request.user).pk)
    return redirect("journal", journal_id)


@require_POST
def delete(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Deletes files, inspections and reports, too."""
    journal = get_journal_for_user(request.user, journal_id)
    if not can_delete(request.user, journal):
        raise PermissionDenied(ONLY_CREATOR)
    with rejection_as_message(request):
        deletion.delete_journal(journal)
        messages.success(request, f"{journal.name} was deleted.")
        return redirect("journals")
    return redirect("journal", journal_id)


@require_POST
def delete_upload(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Delete a file or discard an interrupted upload."""
    upload = get_upload_for_user(request.user, upload_id)
    if not can_delete(request.user, upload.journal):
        raise PermissionDenied(ONLY_CREATOR)
    with rejection_as_message(request):
        deletion.delete_upload(upload)
        messages.success(request, f"{upload.name} was deleted.")
    still_there = Journal.objects.filter(pk=upload.journal_id).exists()
    came_from_list = request.POST.get("back") == "journals"
    return (
        redirect("journal", upload.journal_id) if still_there and not came_from_list else redirect("journals")
    )


@require_GET
def next_page(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """Where to go after the last byte: the inspection, or the journal's page if it has not started."""
    journal = get_journal_for_user(request.user, journal_id)
    if journal.is_being_stored:
        return redirect(reverse("journal", args=[journal_id]) + "?arrived")
    newest = journal.latest
    return redirect("inspection", newest.pk) if newest else redirect("journal", journal_id)


def _answer(form: JournalForm) -> HttpResponse:
    """For htmx: an event shows "Saved."."""
    if not form.is_valid():
        return HttpResponse(" ".join(form.errors_in_words()), status=422)
    return HttpResponse(status=204, headers={"HX-Trigger": "saved"})


def _changeable(request: HttpRequest, journal_id: UUID) -> Journal:
    journal = get_journal_for_user(request.user, journal_id)
    require_adding(request.user, journal.project_id)
    return journal
