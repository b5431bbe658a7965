"""Jobs: what waits, what runs, what failed; cancel and start again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.operations import jobs as job_lists
from webapp.operations.access import administered_projects
from webapp.rejected import rejection_as_message


@require_GET
def jobs(request: HttpRequest) -> HttpResponse:
    """The page, or for htmx the part that it polls."""
    is_part = request.headers.get("HX-Request") == "true"
    return render(
        request, "operations/jobs_now.html" if is_part else "operations/jobs.html", _context(request)
    )


@require_POST
def cancel(request: HttpRequest, kind: str, run_id: UUID) -> HttpResponse:
    job = job_lists.find(kind, run_id, administered_projects(request.user))
    with rejection_as_message(request):
        job.kind.cancel(job.run)
    return redirect("operations-jobs")


@require_POST
def start_again(request: HttpRequest, kind: str, run_id: UUID) -> HttpResponse:
    """Restart a job that failed, was cancelled or lost its worker."""
    job = job_lists.find(kind, run_id, administered_projects(request.user))
    if not job.may_start_again:
        messages.error(
            request, "This job cannot be restarted: it has not finished, or its files were deleted."
        )
        return redirect("operations-jobs")
    with rejection_as_message(request):
        job.kind.start_again(job.run, request.user)
        messages.success(request, f"{job.title} waits for a worker again.")
    return redirect("operations-jobs")


def _context(request: HttpRequest) -> dict[str, Any]:
    projects = list(administered_projects(request.user))
    broker = job_lists.broker_state()
    return {
        "jobs": job_lists.jobs_of(projects),
        "is_all": request.user.is_superuser,
        "broker_answers": broker["queue_length"] is not None,
        "section": "operations",
        **broker,
    }
