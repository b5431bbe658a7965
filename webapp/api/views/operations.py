"""What workers do, and what is stored: for admins."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import Project
from webapp.api.base import ApiView
from webapp.api.errors import Wrong
from webapp.api.serializers.operations import JobShape, JobsShape, StorageShape
from webapp.journals import quotas
from webapp.journals.models import Journal
from webapp.operations import jobs
from webapp.operations.access import administered_projects
from webapp.operations.heartbeats import alive_workers
from webapp.operations.storage import Stored, site, survey


class JobsView(ApiView):
    """Jobs."""

    scopes = {"GET": "admin"}

    @extend_schema(responses=JobsShape, summary="What workers do, have to do and could not do")
    def get(self, request: Request) -> Response:
        """Inspections, repairs, comparisons, captures and links."""
        found = vars(jobs.jobs_of(administered_projects(request.user)))
        return Response(JobsShape(found | _broker()).data)


class JobCancelView(ApiView):
    """Stopping."""

    scopes = {"POST": "admin"}

    @extend_schema(request=None, responses={202: JobShape}, summary="Stop a job")
    def post(self, request: Request, kind: str, run_id: UUID) -> Response:
        """409 for a kind that ends by itself."""
        job = jobs.find(kind, run_id, administered_projects(request.user))
        job.kind.cancel(job.run)
        job.run.refresh_from_db()
        return Response(JobShape(job).data, status=202)


class JobAgainView(ApiView):
    """Once more."""

    scopes = {"POST": "admin"}

    @extend_schema(request=None, responses={202: JobShape}, summary="Start a job again")
    def post(self, request: Request, kind: str, run_id: UUID) -> Response:
        """One that failed, was cancelled or lost its worker. An inspection begins as a new one: see `jobs/`."""
        job = jobs.find(kind, run_id, administered_projects(request.user))
        if not job.may_start_again:
            raise Wrong(
                f"This {kind} cannot be started again: it is not over, or its files were deleted.", status=409
            )
        job.kind.start_again(job.run, request.user)
        job.run.refresh_from_db()
        return Response(JobShape(job).data, status=202)


class StorageView(ApiView):
    """Storage."""

    scopes = {"GET": "admin"}

    @extend_schema(responses=StorageShape, summary="What is stored, by project and by journal")
    def get(self, request: Request) -> Response:
        """Looks at every journal, so ask seldom."""
        found = survey(administered_projects(request.user))
        told = {
            "projects": [_project(project, stored) for project, stored in found.projects],
            "largest": [_journal(journal, stored) for journal, stored in found.largest],
            "total_bytes": found.total_bytes,
            "site": site() if request.user.is_superuser else None,
        }
        return Response(StorageShape(told).data)


def _broker() -> dict[str, Any]:
    try:
        return {"workers": alive_workers(), "queue_length": jobs.queue_length()}
    except RedisError:
        return {"workers": [], "queue_length": None}


def _project(project: Project, stored: Stored) -> dict[str, Any]:
    started = len(quotas.started_inspections(project))
    named = {"project": project.slug, "used_bytes": quotas.used_bytes(project), "started": started}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}


def _journal(journal: Journal, stored: Stored) -> dict[str, Any]:
    named = {"journal": journal.pk, "name": journal.name, "project": journal.project.slug}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}
