"""What workers do, and what is stored: for admins, to read."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.models import Project
from webapp.api.base import ApiView
from webapp.api.serializers.operations import JobsShape, StorageShape
from webapp.journals import quotas
from webapp.journals.models import Journal
from webapp.operations.access import administered_projects
from webapp.operations.heartbeats import alive_workers
from webapp.operations.jobs import jobs_of, queue_length
from webapp.operations.storage import Stored, site, survey


class JobsView(ApiView):
    """Jobs."""

    scopes = {"GET": "admin"}

    @extend_schema(responses=JobsShape, summary="What workers do, have to do and could not do")
    def get(self, request: Request) -> Response:
        """Inspections, repairs, comparisons and links; their own addresses cancel them and start them again."""
        found = vars(jobs_of(administered_projects(request.user)))
        return Response(JobsShape(found | _broker()).data)


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
        return {"workers": alive_workers(), "queue_length": queue_length()}
    except RedisError:
        return {"workers": [], "queue_length": None}


def _project(project: Project, stored: Stored) -> dict[str, Any]:
    started = len(quotas.started_inspections(project))
    named = {"project": project.slug, "used_bytes": quotas.used_bytes(project), "started": started}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}


def _journal(journal: Journal, stored: Stored) -> dict[str, Any]:
    named = {"journal": journal.pk, "name": journal.name, "project": journal.project.slug}
    return vars(stored) | named | {"total_bytes": stored.total_bytes}
