"""Saved filters: one's own, or those that a project's reviewers share."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.accounts.access import insist_on_role
from webapp.accounts.models import Project
from webapp.accounts.roles import projects_for_user
from webapp.audit.log import record
from webapp.review.access import can_delete_filter, filters_for_user
from webapp.review.filters import Filter
from webapp.review.models import SavedFilter

MOST_OWN = 50


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filter of the page under a name; the same name again replaces it."""
    insist_on_role(request.user, "reviewer")
    asked = Filter.of_text(request.POST.get("query", ""))
    name = request.POST.get("name", "").replace("\0", "").strip()[:60]
    address = reverse("review") + (f"?{asked.query}" if asked.query else "")
    if not name:
        messages.error(request, "The filter needs a name.")
    elif SavedFilter.objects.filter(owner=request.user).count() >= MOST_OWN:
        messages.error(request, f"You have {MOST_OWN} filters. Delete one first.")
    else:
        _keep(request, name, asked, _project(request))
        messages.success(request, f"The filter is kept as {name}.")
    return redirect(address)


@require_POST
def delete(request: HttpRequest, filter_id: int) -> HttpResponse:
    """Delete a filter."""
    kept = filters_for_user(request.user).filter(pk=filter_id).first()
    if kept is None:
        raise Http404
    if not can_delete_filter(request.user, kept):
        raise PermissionDenied("Only its owner, or an admin of the project, can delete a shared filter.")
    record("filter.deleted", request=request, project_id=kept.project_id, target=kept)
    kept.delete()
    messages.success(request, f"The filter {kept.name} was deleted.")
    return redirect("review")


def _keep(request: HttpRequest, name: str, asked: Filter, project: Project | None) -> None:
    kept, _ = SavedFilter.objects.update_or_create(
        owner=request.user, project=project, name=name, defaults={"query": asked.query}
    )
    project_id = project.pk if project else None
    record("filter.saved", request=request, project_id=project_id, target=kept, query=asked.query)


def _project(request: HttpRequest) -> Project | None:
    """The project to share it with; none: it stays one's own."""
    slug = request.POST.get("share_with", "")
    if not slug:
        return None
    project = projects_for_user(request.user, "reviewer").filter(slug=slug).first()
    if project is None:
        raise Http404
    found: Project = project
    return found
