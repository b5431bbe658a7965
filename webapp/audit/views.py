"""The audit log: searched, paged, exported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from webapp.accounts.models import Project
from webapp.accounts.roles import projects_for_user
from webapp.audit import log
from webapp.audit.access import events_for_user
from webapp.audit.actions import ACTIONS, SEARCHES, detail_words, in_words
from webapp.audit.export import as_csv, ndjson
from webapp.audit.models import Event
from webapp.audit.search import FIELDS, Search
from webapp.excluded import without_each

PER_PAGE = 50
LABELS = {"actor": "who", "action": "action", "target": "what", "project": "project", "since": "since", "until": "until", "request": "request"}  # fmt: skip
FIGURE_READ = "figure.read"
FORMS = {"csv": (as_csv, "text/csv; charset=utf-8"), "ndjson": (ndjson, "application/x-ndjson")}


@require_GET
def events(request: HttpRequest) -> HttpResponse:
    matching, search, projects = _search(request)
    page = Paginator(matching, PER_PAGE).get_page(request.GET.get("page"))
    names = {project.pk: project.name for project in projects}
    params = {name: text for name, text in search.params.items() if text}
    context = {
        "page": page,
        "rows": [_row(run[0], names) | {"repeats": run[1:], "first": run[-1]} for run in _runs(page)],
        "search": search,
        "filters": urlencode(params),
        "projects": projects,
        "actions": ACTIONS,
        "is_all": request.user.is_superuser,
        "section": "audit",
    }
    if not page.object_list:
        context["excluded_by"] = without_each(_without(request, name, projects) for name in params)
    return render(request, "audit/events.html", context)


def _without(request: HttpRequest, name: str, projects: list[Project]) -> tuple[str, str, Callable[[], int]]:
    """A filter that is set: its words, the address without it, what the log has without it."""
    others = {
        other: text
        for other, text in request.GET.dict().items()
        if other in FIELDS and other != name and text
    }
    rows = Search.of(others).narrow(
        events_for_user(request.user), {project.slug: project.pk for project in projects}
    )
    address = reverse("audit") + (f"?{urlencode(others)}" if others else "")
    return f"{LABELS[name]} “{request.GET.get(name, '').strip()}”", address, rows.count


@require_GET
def export(request: HttpRequest, form: str) -> HttpResponseBase:
    """All events of the search as a file. The export is an event, too."""
    if form not in FORMS:
        raise Http404
    matching, search, projects = _search(request)
    params = {name: text for name, text in search.params.items() if text}
    chosen = next((project for project in projects if project.slug == search.params["project"]), None)
    count = matching.count()
    log.record(
        "audit.exported", project_id=chosen.pk if chosen else None, form=form, rows=count, filters=params
    )
    write, content_type = FORMS[form]
    last = matching.values_list("pk", flat=True).first() or 0
    response = StreamingHttpResponse(write(matching.filter(pk__lte=last)), content_type=content_type)
    name = f"audit-{timezone.now():%Y%m%d-%H%M%S}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _search(request: HttpRequest) -> tuple[QuerySet[Event], Search, list[Project]]:
    visible = events_for_user(request.user)
    projects = list(projects_for_user(request.user, "admin"))
    search = Search.of(request.GET.dict())
    return search.narrow(visible, {project.slug: project.pk for project in projects}), search, projects


def _runs(events: Iterable[Event]) -> list[list[Event]]:
    """Events in order; reads of figures that follow each other are one, if somebody reads on in one journal's report."""
    runs: list[list[Event]] = []
    for event in events:
        is_figure = event.action == FIGURE_READ
        if is_figure and runs and _who_and_what(runs[-1][0]) == _who_and_what(event):
            runs[-1].append(event)
        else:
            runs.append([event])
    return runs


def _who_and_what(event: Event) -> tuple[str, str, str]:
    return event.action, event.actor_name, event.target_name


def _row(event: Event, projects: dict[int, str]) -> dict[str, Any]:
    return {
        "event": event,
        "words": in_words(event.action),
        "project": projects.get(event.project_id or 0, ""),
        "detail": [(detail_words(name), _value(_named(name, value))) for name, value in event.detail.items()],
    }


def _named(name: str, value: Any) -> Any:
    """Parameters that were searched by, as a reader knows them."""
    is_search = name == "searched" and isinstance(value, list)
    return [SEARCHES.get(each, each) for each in value] if is_search else value


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {inner}" for name, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
