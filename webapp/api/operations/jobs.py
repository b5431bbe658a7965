"""What workers do, and what is stored and for how long: for admins."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework.request import Request

from webapp.accounts.access import get_administered_project
from webapp.accounts.models import Project
from webapp.api.operations.serializers import JobShape, JobsShape, OutlookQuery, OutlookShape, StorageShape
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.journals.disk import quotas
from webapp.journals.models import Journal
from webapp.operations import jobs
from webapp.operations.access import administered_projects
from webapp.operations.retention import Outlook, outlook
from webapp.operations.storage import Stored, site, survey


class JobViewSet(Resource):
    """Jobs."""

    @operation("Running, queued and failed jobs", scope="admin", answer=JobsShape)
    def list(self, request: Request) -> dict[str, Any]:
        """Inspections, repairs, comparisons, captures and links."""
        return vars(jobs.jobs_of(administered_projects(request.user))) | jobs.broker_state()

    @operation("Stop a job", scope="admin", answer=JobShape, status=202)
    def cancel(self, request: Request, kind: str, run_id: UUID) -> jobs.ListedJob:
        """409 for a kind that ends by itself."""
        job = jobs.find(kind, run_id, administered_projects(request.user))
        job.kind.cancel(job.run)
        job.run.refresh_from_db()
        return job

    @operation("Restart a job", scope="admin", answer=JobShape, status=202)
    def again(self, request: Request, kind: str, run_id: UUID) -> jobs.ListedJob:
        """One that failed, was cancelled or lost its worker. An inspection begins as a new one: see `jobs/`."""
        job = jobs.find(kind, run_id, administered_projects(request.user))
        if not job.may_start_again:
            raise ApiError(
                f"This {kind} cannot be restarted: it has not finished, or its files were deleted.",
                status=409,
            )
        job.kind.start_again(job.run, request.user)
        job.run.refresh_from_db()
        return job


class StorageViewSet(Resource):
    """Storage."""

    @operation("What is stored, by project and by journal", scope="admin", answer=StorageShape)
    def retrieve(self, request: Request) -> dict[str, Any]:
        """Looks at every journal, so ask seldom."""
        stored = survey(administered_projects(request.user))
        return {
            "projects": [_project(project, sizes) for project, sizes in stored.projects],
            "largest": [_journal(journal, sizes) for journal, sizes in stored.largest],
            "total_bytes": stored.total_bytes,
            "site": site() if request.user.is_superuser else None,
        }


class RetentionViewSet(Resource):
    """What goes next."""

    @operation(
        "What retention deletes next in a project", scope="admin", query=OutlookQuery, answer=OutlookShape
    )
    def retrieve(self, request: Request, slug: str) -> Outlook:
        """Under its days as they are, or under `days`, before you set them. Deletes nothing."""
        project = get_administered_project(request.user, slug)
        return outlook(project, self.params.get("days", project.retention_days))


def _project(project: Project, stored: Stored) -> dict[str, Any]:
    started = len(quotas.started_inspections(project))
    named = {"project": project.slug, "used_bytes": quotas.used_bytes(project), "started": started}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}


def _journal(journal: Journal, stored: Stored) -> dict[str, Any]:
    named = {"journal": journal.pk, "name": journal.name, "project": journal.project.slug}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}
