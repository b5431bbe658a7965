"""Saved filters: one's own, or those that a project's reviewers share."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.accounts.access import require_role
from webapp.rejected import rejection_as_message
from webapp.review import saved
from webapp.review.access import get_filter_for_user, project_to_share_with, require_changing
from webapp.review.filters import Filter


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filter of the page under a name; the same name again replaces it."""
    require_role(request.user, "reviewer")
    queue_filter = Filter.of_text(request.POST.get("query", ""))
    project = project_to_share_with(request.user, request.POST.get("share_with", ""))
    with rejection_as_message(request):
        row = saved.keep(request.user, request.POST.get("name", ""), queue_filter, project)
        messages.success(request, f"The filter is saved as {row.name}.")
    return redirect(reverse("review") + (f"?{queue_filter.query}" if queue_filter.query else ""))


@require_POST
def delete(request: HttpRequest, filter_id: int) -> HttpResponse:
    row = get_filter_for_user(request.user, filter_id)
    require_changing(request.user, row)
    saved.delete(row)
    messages.success(request, f"The filter {row.name} was deleted.")
    return redirect("review")
