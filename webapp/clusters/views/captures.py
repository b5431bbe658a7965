"""Captures: the list of a project's, and one capture while it runs and when it is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from redis.exceptions import RedisError

from webapp.accounts.roles import has_role, projects_for_user
from webapp.clusters import manifests
from webapp.clusters.access import captures_for_user, get_capture_for_user
from webapp.clusters.capture_form import sentence
from webapp.clusters.models import Capture
from webapp.jobs import lifecycle, progress
from webapp.journals.templatetags.journalscope import percent
from webapp.rejected import rejection_as_message

PER_PAGE = 50
PARTITIONS_SHOWN = 200


@require_GET
def captures(request: HttpRequest) -> HttpResponse:
    rows = captures_for_user(request.user).defer("manifest")
    projects = list(projects_for_user(request.user))
    project = next((each for each in projects if each.slug == request.GET.get("project")), None)
    if project:
        rows = rows.filter(project=project)
    context = {
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "projects": projects,
        "project": project,
        "section": "clusters",
        "tab": "captures",
    }
    return render(request, "clusters/captures.html", context)


@require_GET
def capture(request: HttpRequest, capture_id: UUID) -> HttpResponse:
    capture = get_capture_for_user(request.user, capture_id)
    return render(request, "clusters/capture.html", _context(request, capture))


@require_GET
def state(request: HttpRequest, capture_id: UUID) -> HttpResponse:
    """The part of the page that htmx polls."""
    capture = get_capture_for_user(request.user, capture_id)
    return render(request, "clusters/capture_state.html", _context(request, capture))


@require_POST
def change(request: HttpRequest, capture_id: UUID, action: Callable[[Capture, Any], None]) -> HttpResponse:
    capture = get_capture_for_user(request.user, capture_id, "support")
    with rejection_as_message(request):
        action(capture, request.user)
    return redirect("capture", capture_id)


def _context(request: HttpRequest, capture: Capture) -> dict[str, Any]:
    state, broker_answers = _progress(capture)
    return {
        "capture": capture,
        "what": sentence(capture.asked),
        "progress": state,
        "partitions": _partitions(state)[:PARTITIONS_SHOWN],
        "kept_hours": settings.UPLOAD_EXPIRY_HOURS,
        "broker_answers": broker_answers,
        "manifest": manifests.manifest_view(capture.manifest),
        "is_abandoned": lifecycle.is_abandoned(capture),
        "can_ask": has_role(request.user, "support", capture.project_id),
        "can_watch": has_role(request.user, "admin", capture.project_id),
        "section": "clusters",
    }


def _partitions(state: dict[str, Any] | None) -> list[dict[str, int]]:
    """Rows by partition with offsets that are known so far."""
    rows = []
    for partition, (first, following, end) in sorted(
        (state or {}).get("partitions", {}).items(), key=lambda item: int(item[0])
    ):
        row = {
            "partition": int(partition),
            "from_offset": first,
            "next_offset": following,
            "last_offset": end - 1 if end > first else None,
        }
        rows.append(row | {"percent": percent(following - first, end - first) if end > first else 100})
    return rows


def _progress(capture: Capture) -> tuple[dict[str, Any] | None, bool]:
    """The worker's last report, and whether Redis answered."""
    try:
        return progress.read(capture.pk), True
    except RedisError:
        return None, False
