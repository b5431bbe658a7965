"""The search: its page, and its list of results for the dialog over any page."""

from __future__ import annotations

from time import perf_counter
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from webapp.audit.log import record
from webapp.journals.access import get_inspection_for_user
from webapp.search.answers import IN_DIALOG, MAX_QUERY, ON_PAGE, Query, answer
from webapp.search.matching import cut_reports

EVENT_SECONDS = 300  # a search is many requests: one for each pause in typing


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """The page; for htmx requests the results alone."""
    is_dialog = request.headers.get("HX-Request") == "true"
    text = request.GET.get("q", "").replace("\0", "")[:MAX_QUERY]
    inspection = _inspection(request)
    began = perf_counter()
    query = Query(request.user, text, inspection, IN_DIALOG if is_dialog else ON_PAGE)
    groups = answer(query)
    _keep_who_read(request, query)
    context: dict[str, Any] = {
        "query": text,
        "groups": groups,
        "results": sum(len(group.results) for group in groups),
        "cut": cut_reports(request.user) if text.strip() else 0,
        "within": inspection,
    }
    response = render(request, "search/results.html" if is_dialog else "search/page.html", context)
    response["Server-Timing"] = f"search;dur={(perf_counter() - began) * 1000:.0f}"
    return response


def _keep_who_read(request: HttpRequest, query: Query) -> None:
    """Names are read of the projects of these results: one event in some minutes, without the words."""
    for project_id in query.read:
        if cache.add(f"search:{request.user.pk}:{project_id}", 1, EVENT_SECONDS):
            record("search.read", request=request, project_id=project_id)


def _inspection(request: HttpRequest) -> Any:
    """The report that the user reads meanwhile."""
    named = request.GET.get("inspection", "")
    try:
        return get_inspection_for_user(request.user, UUID(named)) if named else None
    except ValueError:
        raise Http404 from None
