"""What of a project is kept: legal holds, the project a journal is in, and what retention deletes next."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import get_administered_project
from webapp.api.base import ApiView, body, query
from webapp.api.errors import Wrong
from webapp.api.serializers.journals import JournalShape
from webapp.api.serializers.keeping import HoldChange, JournalMove, OutlookAsked, OutlookShape
from webapp.journals import moving
from webapp.journals.holds import set_hold
from webapp.journals.models import Journal
from webapp.operations.access import get_administered_journal
from webapp.operations.retention import outlook

ADMINISTERS = {"GET": "admin", "POST": "admin"}


class HoldView(ApiView):
    """Legal hold."""

    scopes = ADMINISTERS

    @extend_schema(request=HoldChange, responses={200: JournalShape}, summary="Set or end a legal hold")
    def post(self, request: Request, journal_id: UUID) -> Response:
        """Of one journal; nobody deletes anything of it meanwhile. A project's hold is one of its settings."""
        journal = get_administered_journal(request.user, journal_id)
        set_hold(journal, body(request, HoldChange)["is_on_hold"])
        return Response(JournalShape(journal).data)


class MoveView(ApiView):
    """Another project."""

    scopes = ADMINISTERS

    @extend_schema(
        request=JournalMove, responses={200: JournalShape}, summary="Move a journal to another project"
    )
    def post(self, request: Request, journal_id: UUID) -> Response:
        """With all its dumps, findings and links, for who is an admin of both. 409 under legal hold."""
        journal = get_administered_journal(request.user, journal_id)
        slug = body(request, JournalMove)["project"]
        target = moving.projects_to_move_to(request.user, journal).filter(slug=slug).first()
        if target is None:
            raise Wrong(f"{slug} is no other project that you are an admin of.", "project")
        moving.move(journal, target)
        return Response(
            JournalShape(Journal.objects.select_related("project", "created_by").get(pk=journal.pk)).data
        )


class RetentionView(ApiView):
    """What goes next."""

    scopes = ADMINISTERS

    @extend_schema(
        parameters=[OutlookAsked], responses=OutlookShape, summary="What retention deletes next in a project"
    )
    def get(self, request: Request, slug: str) -> Response:
        """Under its days as they are, or under `days`, before you set them. Deletes nothing."""
        project = get_administered_project(request.user, slug)
        days = query(request, OutlookAsked).get("days", project.retention_days)
        return Response(OutlookShape(outlook(project, days)).data)
