"""Moving a journal to another project: for who is an admin of both."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from webapp.journals.access import projects_to_move_to
from webapp.operations.access import get_administered_journal
from webapp.operations.moving import move as move_journal
from webapp.rejected import rejection_as_message


@require_POST
def move(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    journal = get_administered_journal(request.user, journal_id)
    target = projects_to_move_to(request.user, journal).filter(slug=request.POST.get("project", "")).first()
    if target is None:
        messages.error(request, "Choose another project that you are an admin of.")
        return redirect("journal", journal_id)
    with rejection_as_message(request):
        count = move_journal(journal, target)
        dumps = "" if count == 1 else f" with all its {count:,} dumps"
        messages.success(request, f"{journal.name} is in {target} now{dumps}.")
    return redirect("journal", journal_id)
