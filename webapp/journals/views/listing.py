"""The journals list: the first page, with the drop zone on top."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Count, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from webapp.accounts.roles import projects_for_user
from webapp.accounts.signed_in import SignedInRequest
from webapp.excluded import WithoutFilter, without_each
from webapp.journals import samples
from webapp.journals.access import can_add, get_journal_for_user, journals_for_user, require_adding
from webapp.journals.models import Inspection, Journal, Upload
from webapp.journals.page_additions import with_columns
from webapp.journals.previews.process import previews
from webapp.journals.uploads import offset_of

PER_PAGE = 50
LEVELS = ("critical", "high", "medium", "healthy")
UNFINISHED_SHOWN = 200


class ListFilter(NamedTuple):
    """A filter of the list that is set: its value in the address, its words, what it asks of the rows."""

    value: str
    words: str
    condition: Q


@require_GET
def journals(request: SignedInRequest) -> HttpResponse:
    """Journals of the user's projects, newest first, filtered by verdict, uploader and name."""
    verdict, whose, query = (request.GET.get(name, "").strip() for name in ("verdict", "whose", "q"))
    projects = list(projects_for_user(request.user))
    project = next((p for p in projects if p.slug == request.GET.get("project")), None)
    filters: dict[str, ListFilter] = {}
    if query:
        named = Q(name__icontains=query) | Q(ticket__icontains=query)
        filters["q"] = ListFilter(query, f"“{query}” in name or ticket", named)
    if verdict in LEVELS:
        of_level = Q(latest_state=Inspection.State.DONE, latest_level=verdict)
        filters["verdict"] = ListFilter(verdict, f"verdict {verdict}", of_level)
    if whose == "mine":
        filters["whose"] = ListFilter(whose, "my journals", Q(created_by=request.user))
    if project:
        filters["project"] = ListFilter(project.slug, f"project {project}", Q(project=project))
    everything = with_latest(journals_for_user(request.user))
    page = Paginator(_narrowed(everything, filters), PER_PAGE).get_page(request.GET.get("page"))
    tell_apart(page.object_list)
    context: dict[str, Any] = {
        "page": page,
        "verdict": verdict,
        "whose": whose,
        "query": query,
        "levels": LEVELS,
    }
    context |= {"projects": projects, "project": project, "older": _older(request)}
    context["names_projects"] = len({journal.project_id for journal in page.object_list}) > 1
    context |= _addable(request.user)
    if context["addable"]:
        previews.warm()  # whoever may add a journal may paste one
    context |= {"is_filtered": bool(verdict or whose or query or project), "section": "journals"}
    if not page.object_list:
        context["excluded_by"] = _excluded_by(everything, filters)
    context["has_journals"] = bool(page.object_list) or journals_for_user(request.user).exists()
    if "samples" in request.GET or not context["has_journals"]:
        context["samples"] = samples.SAMPLES
    context["removable_samples"] = len(samples.removable(request.user)) if context["addable"] else 0
    return render(request, "journals/list.html", context | _unfinished(request.user))


def tell_apart(journals: Iterable[Journal]) -> None:
    """Dumps of the same minute are listed with seconds."""
    minutes: dict[int, list[Journal]] = defaultdict(list)
    for journal in journals:
        latest: list[Inspection] = getattr(journal, "newest_first", [])[:1]
        for inspection in latest:
            if (newest := inspection.summary.get("last_timestamp_ms")) is not None:
                minutes[newest // 60_000].append(journal)
    for same in minutes.values():
        for journal in same:
            journal.shows_seconds = len(same) > 1


def _narrowed(rows: QuerySet[Journal], filters: Mapping[str, ListFilter]) -> QuerySet[Journal]:
    for chosen in filters.values():
        rows = rows.filter(chosen.condition)
    return rows


def _excluded_by(rows: QuerySet[Journal], filters: Mapping[str, ListFilter]) -> list[WithoutFilter]:
    def without(name: str) -> tuple[str, str, Callable[[], int]]:
        others = {other: chosen for other, chosen in filters.items() if other != name}
        query = urlencode({other: chosen.value for other, chosen in others.items()})
        address = reverse("journals") + (f"?{query}" if query else "")
        return filters[name].words, address, _narrowed(rows, others).count

    return without_each(without(name) for name in filters)


@require_GET
def row(request: HttpRequest, journal_id: Any) -> HttpResponse:
    """One row of the list, polled while its inspection runs; with its project where the list names those of its rows."""
    get_journal_for_user(request.user, journal_id)
    journal = with_latest(Journal.objects.filter(pk=journal_id)).get()
    context = {"journal": journal, "names_projects": "projects" in request.GET}
    return render(request, "journals/row.html", context | _addable(request.user))


def with_latest(rows: QuerySet[Journal]) -> QuerySet[Any]:
    """Adds state and summary of the newest inspection: two queries for any page."""
    newest = Inspection.objects.filter(journal=OuterRef("pk")).order_by("-created_at")
    rows = rows.annotate(
        latest_state=Subquery(newest.values("state")[:1]),
        latest_level=Subquery(newest.values("verdict_level")[:1]),
        file_count=Count("uploads", distinct=True),
    )
    ordered = Prefetch("inspections", Inspection.objects.order_by("-created_at"), to_attr="newest_first")
    rows = with_columns(rows)
    # counting drops the model's own order
    return rows.select_related("created_by", "project").prefetch_related(ordered).order_by("-created_at")


def _addable(user: Any) -> dict[str, Any]:
    """Projects that the user may upload to, and their ids."""
    projects = list(projects_for_user(user, "support"))
    return {"addable": projects, "addable_ids": {project.pk for project in projects}}


def _older(request: HttpRequest) -> Journal | None:
    """The journal that a newer dump will be uploaded for."""
    try:
        older = get_journal_for_user(request.user, UUID(request.GET["continues"]))
    except (KeyError, ValueError):
        return None
    require_adding(request.user, older.project_id)
    return older


def _unfinished(user: Any) -> dict[str, Any]:
    """Interrupted uploads of this user, which the page offers to resume."""
    if not can_add(user):
        return {"unfinished": [], "unfinished_count": 0}
    stopped = Upload.objects.filter(journal__created_by=user, journal__complete_at=None, blob=None)
    stopped = stopped.exclude(received_bytes=F("size_bytes"))
    stopped = stopped.select_related("journal").order_by("-created_at", "name")
    rows = [(upload, offset_of(upload)) for upload in stopped[:UNFINISHED_SHOWN]]
    return {"unfinished": rows, "unfinished_count": stopped.count()}
