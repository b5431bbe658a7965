"""A journal's history over all its dumps: the figure, the list, and what changed since one of them."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from webapp.clusters import history_chart
from webapp.clusters.history import a_day_before, changes, points
from webapp.clusters.models import Watch
from webapp.journals.access import get_journal_for_user
from webapp.reports.figures import figure_response, theme_of


@require_GET
def history(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """All dumps, newest first; `since` names the dump that the newest is compared with."""
    journal = get_journal_for_user(request.user, journal_id)
    dumps = points(journal, request.user)
    since = request.GET.get("since", "")
    before = next((dump for dump in dumps[:-1] if str(dump.inspection.pk) == since), a_day_before(dumps))
    watch = Watch.objects.filter(captures__journal__lineage=journal.lineage).distinct().first()
    context = {
        "journal": journal,
        "points": dumps[::-1],
        "newest": dumps[-1] if dumps else None,
        "before": before,
        "changes": changes(before, dumps[-1]) if before else None,
        "watch": watch,
        "section": "journals",
    }
    return render(request, "clusters/history.html", context)


@require_GET
def history_figure(request: HttpRequest, journal_id: UUID) -> HttpResponse:
    """`{"figure": ...}`; null if nothing has been inspected."""
    dumps = points(get_journal_for_user(request.user, journal_id), request.user)
    figure = history_chart.figure(dumps, theme_of(request), request.GET.get("zone", "")) if dumps else None
    return figure_response(request, {"figure": figure})
