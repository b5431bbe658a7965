"""The queue: incidents of the projects one reviews, filtered by the address, decided by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from webapp.accounts.access import require_role
from webapp.accounts.roles import projects_for_user
from webapp.excluded import WithoutFilter, without_each
from webapp.journals.access import journals_for_user
from webapp.journals.models import Inspection, Journal
from webapp.review.access import (
    can_change_filter,
    findings_for_user,
    members_of,
    queue_filters,
)
from webapp.review.cards import ACTIONS
from webapp.review.chips import DUE_WORDS, PRESENCE_WORDS, address_of, chips_of
from webapp.review.filters import Filter, first_of_incidents, preset_counts, presets_of
from webapp.review.incident import followers_of
from webapp.review.models import Finding, FindingQuerySet
from webapp.review.states import SEVERITIES, FindingState

PER_PAGE = 50
STATES = [("open", "Open"), *((value, label.capitalize()) for value, label in FindingState.choices), ("done", "Done"), ("any", "Any state")]  # fmt: skip
SORTS = [("", "Most severe first"), ("due", "Due first"), ("age", "Oldest first"), ("newest", "Newest first")]
# decisions with a button of their own at the foot of the preview
FOOT = (FindingState.CONFIRMED, FindingState.ACKNOWLEDGED, FindingState.RESOLVED, FindingState.FALSE_POSITIVE)
SUPPRESSED_DAYS = 30  # proposed


@require_GET
def queue(request: HttpRequest) -> HttpResponse:
    """The page; for htmx requests the list only."""
    require_role(request.user, "reviewer")
    queue_filter = Filter.of(request.GET)
    context = list_context(request, queue_filter, request.GET.get("page"))
    if request.headers.get("HX-Request") == "true":
        return render(request, "review/list.html", context)
    return render(
        request, "review/queue.html", context | _choices(request, queue_filter) | {"section": "review"}
    )


def list_context(request: HttpRequest, queue_filter: Filter, number: str | None = None) -> dict[str, Any]:
    """What the list shows: one page of the findings that match, and the presets with their counts."""
    matching = queue_filter.findings(request.user)
    rows = first_of_incidents(matching.select_related("journal__project", "assignee"))
    page = Paginator(rows, PER_PAGE).get_page(number)
    page.object_list = list(page.object_list)
    add_members(matching, page.object_list)
    is_empty = not page.object_list and (queue_filter.is_narrowed or queue_filter.state != "open")
    return {
        "page": page,
        "excluded_by": _excluded_by(request, queue_filter) if is_empty else [],
        "matching": matching.count(),
        "asked": queue_filter,
        "within": urlencode({"within": queue_filter.query}),
        "samples": _journals(request.user, queue_filter.project)
        .filter(is_sample=True, findings__isnull=False)
        .distinct()
        .count(),
        **_presets(request.user, queue_filter),
        "has_inspections": page.object_list or _has_inspections(request.user, queue_filter.project),
        "has_projects": projects_for_user(request.user, "reviewer").count() > 1,
        **moments(),
    }


def _has_inspections(user: Any, project: str) -> bool:
    """Whether something was inspected."""
    is_inspected = Q(inspections__state=Inspection.State.DONE) | Q(findings__isnull=False)
    return _journals(user, project).filter(is_inspected).exists()


def _journals(user: Any, project: str) -> QuerySet[Journal]:
    """Of one project, or of all that the user may see."""
    journals = journals_for_user(user)
    return journals.filter(project__slug=project) if project else journals


def add_members(matching: FindingQuerySet, heads: Sequence[Finding]) -> None:
    """Give the first finding of each incident `members`: all that match, itself first; `followers`: whom its decisions are about."""
    several = [head for head in heads if head.incident_title]
    by_incident: dict[tuple[UUID, str], list[Finding]] = {}
    if several:
        these = matching.filter(
            lineage__in={head.lineage for head in several}, incident__in={head.incident for head in several}
        )
        for finding in these.select_related("assignee"):
            by_incident.setdefault(finding.incident_key, []).append(finding)
    for head in heads:
        head.members = by_incident.get(head.incident_key, [head])  # type: ignore[attr-defined]
        head.followers = followers_of(head.members)  # type: ignore[attr-defined]


def moments() -> dict[str, Any]:
    """When the user looked, and what is proposed for a suppression."""
    now = timezone.now()
    return {
        "seen_at": now.isoformat(),
        "earliest": now.date() + timedelta(days=1),
        "proposed": now.date() + timedelta(days=SUPPRESSED_DAYS),
    }


def _presets(user: Any, queue_filter: Filter) -> dict[str, Any]:
    """The views with their counts, and the counts by name: of the project that the filter names."""
    counts = preset_counts(user, queue_filter.project)
    views = [
        {"title": title, "query": preset.query, "count": counts[name], "is_here": queue_filter == preset}
        for name, title, preset in presets_of(queue_filter.project)
    ]
    return {"presets": views, "counts": counts}


def _excluded_by(request: HttpRequest, queue_filter: Filter) -> list[WithoutFilter]:
    """Conditions that alone exclude everything."""
    projects = list(projects_for_user(request.user, "reviewer"))
    chips = chips_of(queue_filter, projects, _journal(request, queue_filter))
    conditions = [(f"“{chip.text}”", Filter.of_text(urlsplit(chip.without).query)) for chip in chips]
    if queue_filter.q:
        conditions.append((f"the text “{queue_filter.q}”", replace(queue_filter, q="")))
    return without_each(
        (words, address_of(without), _counting(request, without)) for words, without in conditions
    )


def _counting(request: HttpRequest, queue_filter: Filter) -> Callable[[], int]:
    """Counts its incidents."""
    return first_of_incidents(queue_filter.findings(request.user)).count


def _choices(request: HttpRequest, queue_filter: Filter) -> dict[str, Any]:
    visible = findings_for_user(request.user, "reviewer")
    projects = list(projects_for_user(request.user, "reviewer"))
    journal = _journal(request, queue_filter)
    reviewers = list(members_of(projects, "reviewer"))
    return {
        "chips": chips_of(queue_filter, projects, journal),
        "actions": ACTIONS,
        "foot_states": FOOT,
        "people": reviewers,
        "projects": projects,
        "detectors": list(visible.order_by("detector").values_list("detector", flat=True).distinct()),
        "reviewers": reviewers,
        "states": STATES,
        "severities": SEVERITIES,
        "chosen_severities": queue_filter.severity.split(","),
        "due_choices": DUE_WORDS.items(),
        "presences": PRESENCE_WORDS.items(),
        "sorts": SORTS,
        "journal": journal,
        "saved": [
            (saved, f"{reverse('review')}?{saved.query}", can_change_filter(request.user, saved), False)
            for saved in queue_filters(request.user)
        ],
    }


def _journal(request: HttpRequest, queue_filter: Filter) -> Any:
    """The journal that the filter names, if it is there to be seen."""
    try:
        journals = journals_for_user(request.user).filter(pk=UUID(queue_filter.journal))
    except ValueError:
        return None
    return journals.first()
