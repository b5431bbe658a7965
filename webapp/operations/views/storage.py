"""Storage: who uses how much, what is free, which journals are largest."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from webapp.journals.disk import quotas
from webapp.operations.access import administered_projects
from webapp.operations.storage import site, survey


@require_GET
def storage(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx the part that it polls."""
    is_part = request.headers.get("HX-Request") == "true"
    return render(
        request, "operations/storage_now.html" if is_part else "operations/storage.html", _context(request)
    )


def _context(request: HttpRequest) -> dict[str, Any]:
    usage = survey(administered_projects(request.user))
    rows = [
        {
            "project": project,
            "stored": stored,
            "used_bytes": quotas.used_bytes(project),
            "started": len(quotas.started_inspections(project)),
        }
        for project, stored in usage.projects
    ]
    return {
        "rows": rows,
        "largest": usage.largest,
        "total_bytes": usage.total_bytes,
        "site": site() if request.user.is_superuser else None,
        "section": "operations",
    }
