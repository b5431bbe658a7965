"""Sample journals: loaded by a card of the first page, removed together."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from webapp.journals import samples
from webapp.journals.access import project_to_add_to, require_adding
from webapp.rejected import rejection_as_message


@require_POST
def load(request: HttpRequest, kind: str) -> HttpResponse:
    """Into the project that is named, or the user's first; then its inspection, which turns into the report."""
    sample = samples.find(kind)
    if sample is None:
        raise Http404
    project = project_to_add_to(request.user, request.POST.get("project", ""))
    with rejection_as_message(request):
        return redirect("inspection", samples.load(sample, project, request.user).pk)
    return redirect("journals")


@require_POST
def remove(request: HttpRequest) -> HttpResponse:
    """All samples that the user may delete."""
    require_adding(request.user)
    with rejection_as_message(request):
        count = samples.remove_all(request.user)
        messages.success(request, f"{count} sample{'' if count == 1 else 's'} removed.")
    return redirect("journals")
