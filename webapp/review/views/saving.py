"""Saved filters: kept from the queue or from a report's filter line, renamed, deleted."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from webapp.accounts.access import require_role
from webapp.journals.access import get_inspection_for_user
from webapp.rejected import rejection_as_message
from webapp.reports.report import read_report
from webapp.reports.results import open_results
from webapp.review import saved
from webapp.review.access import get_filter_for_user, project_to_share_with, require_changing
from webapp.review.filters import Filter
from webapp.review.record_filters import journal_type_of, record_query


@require_POST
def save_of_queue(request: HttpRequest) -> HttpResponse:
    """Keep the filter of the page under a name; the same name again replaces it."""
    require_role(request.user, "reviewer")
    queue_filter = Filter.of_text(request.POST.get("query", ""))
    project = project_to_share_with(request.user, request.POST.get("share_with", ""))
    with rejection_as_message(request):
        row = saved.keep(request.user, request.POST.get("name", ""), queue_filter.query, project)
        messages.success(request, f"The filter is saved as {row.name}.")
    return redirect(reverse("review") + (f"?{queue_filter.query}" if queue_filter.query else ""))


@require_POST
def save_of_records(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Keep the filter of a report's page for all journals of its type, for oneself or for the project."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    project = inspection.journal.project
    if is_shared := bool(request.POST.get("shared")):
        require_role(request.user, "support", project.pk)
    with rejection_as_message(request):
        query = record_query(request.POST.get("filter", ""), request.POST.get("zone", ""))
        with open_results(inspection.results) as results:
            journal_type = journal_type_of(read_report(results.document), request.POST.get("topic", ""))
        row = saved.keep(
            request.user, request.POST.get("name", ""), query, project if is_shared else None, journal_type
        )
        messages.success(request, f"The filter is saved as {row.name}.")
    return _back(request, reverse("report-records", args=[inspection.pk]))


@require_POST
def rename(request: HttpRequest, filter_id: int) -> HttpResponse:
    row = get_filter_for_user(request.user, filter_id)
    require_changing(request.user, row)
    with rejection_as_message(request):
        before = row.name
        saved.change(row, request.POST.get("name", ""), row.query)
        messages.success(request, f"The filter {before} is now named {row.name}.")
    return _back(request, reverse("review"))


@require_POST
def delete(request: HttpRequest, filter_id: int) -> HttpResponse:
    row = get_filter_for_user(request.user, filter_id)
    require_changing(request.user, row)
    saved.delete(row)
    messages.success(request, f"The filter {row.name} was deleted.")
    return _back(request, reverse("review"))


def _back(request: HttpRequest, otherwise: str) -> HttpResponse:
    """To the page whose form was sent."""
    address = request.POST.get("back", "")
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return redirect(address if is_ours else otherwise)
