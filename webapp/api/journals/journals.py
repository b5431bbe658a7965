"""Journals: list, announce, rename, delete, hold, move; their files."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.api.journals.serializers import (
    AnnouncedShape,
    FileShape,
    HoldChange,
    JournalChange,
    JournalMove,
    JournalShape,
    JournalsQuery,
    NewJournal,
    OneJournalShape,
)
from webapp.api.rest.errors import ApiError
from webapp.api.rest.etags import etag_of, require_match
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource
from webapp.audit import log
from webapp.journals import deletion, uploads
from webapp.journals.access import (
    can_delete,
    get_journal_for_user,
    get_upload_for_user,
    journals_for_user,
    project_to_add_to,
    projects_to_move_to,
    require_adding,
)
from webapp.journals.holds import set_hold
from webapp.journals.models import Inspection, Journal, Upload
from webapp.journals.views.journal import ONLY_CREATOR
from webapp.journals.views.listing import with_latest
from webapp.operations import moving
from webapp.operations.access import get_administered_journal


class JournalViewSet(Resource):
    """Journals."""

    lookup_url_kwarg = "journal_id"

    @operation("Journals, newest first", query=JournalsQuery, page=JournalShape, order=NEWEST_FIRST)
    def list(self, request: Request) -> QuerySet[Journal]:
        """Those of your projects."""
        params, journals = (
            self.params,
            journals_for_user(request.user).select_related("project", "created_by"),
        )
        if text := params.get("q"):
            journals = journals.filter(Q(name__icontains=text) | Q(ticket__icontains=text))
        if "ticket" in params:
            journals = journals.filter(ticket__iexact=params["ticket"])
        if "project" in params:
            journals = journals.filter(project__slug=params["project"])
        if "whose" in params:
            journals = journals.filter(created_by=request.user.pk)
        if "verdict" in params:
            level = params["verdict"]
            journals = with_latest(journals).filter(latest_state=Inspection.State.DONE, latest_level=level)
        return journals

    @operation(
        "Announce a journal and its files", scope="upload", body=NewJournal, answer=AnnouncedShape, status=201
    )
    def create(self, request: Request) -> Journal:
        """Send the bytes of each file by tus to its `upload`; the inspection starts with the last byte."""
        payload = self.payload
        older = older_journal(request, payload.get("continues"))
        project = older.project if older else project_to_add_to(request.user, payload.get("project", ""))
        files = [(file["name"], file["size"]) for file in payload["files"]]
        journal = uploads.announce(request.user, project, payload.get("name", "").strip(), files, older)
        self.etag = etag_of_journal(journal)
        return journal

    @operation("One journal", answer=OneJournalShape)
    def retrieve(self, request: Request, journal_id: UUID) -> Journal:
        """With its newest inspection, or with that of the same bytes in another journal."""
        journal = get_journal_for_user(request.user, journal_id)
        self.tag(etag_of_journal(journal))
        return journal

    @operation("Rename it, or change its ticket", scope="upload", body=JournalChange, answer=OneJournalShape)
    def partial_update(self, request: Request, journal_id: UUID) -> Journal:
        """With `If-Match`: only if nobody changed it meanwhile."""
        payload = self.payload
        require_adding(request.user, get_journal_for_user(request.user, journal_id).project_id)
        with transaction.atomic():
            journal = Journal.objects.select_for_update().select_related("project").get(pk=journal_id)
            require_match(request, etag_of_journal(journal))
            changed = [name for name, value in payload.items() if getattr(journal, name) != value]
            for name in changed:
                setattr(journal, name, payload[name])
            if changed:
                journal.save(update_fields=changed)
                log.record("journal.edited", project_id=journal.project_id, target=journal, changed=changed)
        self.etag = etag_of_journal(journal)
        return journal

    @operation("Delete it with its files, inspections and reports", scope="upload", status=204)
    def destroy(self, request: Request, journal_id: UUID) -> None:
        """Allowed for the uploader and admins."""
        journal = get_journal_for_user(request.user, journal_id)
        require_creator(request, journal)
        require_match(request, etag_of_journal(journal))
        deletion.delete_journal(journal)

    @action(detail=True)
    @operation("Files of a journal", page=FileShape, order=("name", "pk"))
    def files(self, request: Request, journal_id: UUID) -> QuerySet[Upload]:
        """How much of each is here; `upload` takes the rest by tus."""
        return get_journal_for_user(request.user, journal_id).uploads.all()

    @action(detail=True, methods=["post"])
    @operation("Set or end a legal hold", scope="admin", body=HoldChange, answer=JournalShape)
    def hold(self, request: Request, journal_id: UUID) -> Journal:
        """Of one journal; nobody deletes anything of it meanwhile. A project's hold is one of its settings."""
        journal = get_administered_journal(request.user, journal_id)
        set_hold(journal, self.payload["is_on_hold"])
        return journal

    @action(detail=True, methods=["post"])
    @operation("Move a journal to another project", scope="admin", body=JournalMove, answer=JournalShape)
    def move(self, request: Request, journal_id: UUID) -> Journal:
        """With all its dumps, findings and links, for who is an admin of both. 409 under legal hold."""
        journal = get_administered_journal(request.user, journal_id)
        slug = self.payload["project"]
        target = projects_to_move_to(request.user, journal).filter(slug=slug).first()
        if target is None:
            raise ApiError(f"{slug} is not another project in which you are an admin.", "project")
        moving.move(journal, target)
        return Journal.objects.select_related("project", "created_by").get(pk=journal.pk)


class FileViewSet(Resource):
    """Files."""

    lookup_url_kwarg = "upload_id"

    @operation("Delete a file, or discard an interrupted upload", scope="upload", status=204)
    def destroy(self, request: Request, upload_id: UUID) -> None:
        """Allowed for the uploader and admins."""
        upload = get_upload_for_user(request.user, upload_id)
        require_creator(request, upload.journal)
        deletion.delete_upload(upload)


def require_creator(request: Request, journal: Journal) -> None:
    """Raise 403 for users who may not delete the journal."""
    if not can_delete(request.user, journal):
        raise PermissionDenied(ONLY_CREATOR)


def older_journal(request: Request, journal_id: UUID | None) -> Journal | None:
    """The journal that a new one continues. Raises 403 if the caller may not upload there."""
    if journal_id is None:
        return None
    older = get_journal_for_user(request.user, journal_id)
    require_adding(request.user, older.project_id)
    return older


def etag_of_journal(journal: Journal) -> str:
    """Covers everything that OneJournalShape contains."""
    newest = journal.latest or journal.of_same_input
    parts = (journal.name, journal.ticket, journal.project_id, journal.complete_at, journal.is_on_hold)
    return etag_of(journal.pk, *parts, newest and (newest.pk, newest.state))
