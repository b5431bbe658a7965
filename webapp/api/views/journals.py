"""Journals: list, announce, rename, delete; their files; inspecting them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, body, etag_of, insist_on_match, insist_on_newer, listed, query, tagged
from webapp.api.cursors import page_of
from webapp.api.errors import Wrong
from webapp.api.serializers.journals import (
    AnnouncedShape,
    FileShape,
    InspectionShape,
    JournalChange,
    JournalsAsked,
    JournalShape,
    NewInspection,
    NewJournal,
    OneJournalShape,
)
from webapp.api.serializers.pages import Paging, page_shape
from webapp.audit import log
from webapp.catalogue.pages import find
from webapp.journals import deletion, inspections, text_formats, uploads
from webapp.journals.access import (
    can_delete,
    get_journal_for_user,
    get_upload_for_user,
    insist_on_adding,
    journals_for_user,
    project_to_add_to,
)
from webapp.journals.models import Inspection, Journal
from webapp.journals.views.journal import ONLY_CREATOR
from webapp.journals.views.listing import with_latest

NEWEST_FIRST = ("-created_at", "-pk")


class JournalsView(ApiView):
    """Journals."""

    scopes = {"POST": "upload"}

    @extend_schema(
        parameters=[JournalsAsked], responses=page_shape(JournalShape), summary="Journals, newest first"
    )
    def get(self, request: Request) -> Response:
        """Those of your projects."""
        asked = query(request, JournalsAsked)
        found = _narrowed(request, asked).select_related("project", "created_by")
        return Response(page_of(found, request, asked["limit"], _shown, NEWEST_FIRST))

    @extend_schema(
        request=NewJournal, responses={201: AnnouncedShape}, summary="Announce a journal and its files"
    )
    def post(self, request: Request) -> Response:
        """Send the bytes of each file by tus to its `upload`; the inspection starts with the last byte."""
        asked = body(request, NewJournal)
        older = older_journal(request, asked.get("continues"))
        project = older.project if older else project_to_add_to(request.user, asked.get("project", ""))
        files = [(file["name"], file["size"]) for file in asked["files"]]
        journal = uploads.announce(request.user, project, asked.get("name", "").strip(), files, older)
        return tagged(AnnouncedShape(journal).data, etag_of_journal(journal), 201)


class JournalView(ApiView):
    """One journal."""

    scopes = {"PATCH": "upload", "DELETE": "upload"}

    @extend_schema(responses=OneJournalShape, summary="One journal")
    def get(self, request: Request, journal_id: UUID) -> Response:
        """With its newest inspection, or with that of the same bytes in another journal."""
        journal = get_journal_for_user(request.user, journal_id)
        insist_on_newer(request, etag_of_journal(journal))
        return tagged(OneJournalShape(journal).data, etag_of_journal(journal))

    @extend_schema(
        request=JournalChange, responses=OneJournalShape, summary="Rename it, or write down its ticket"
    )
    def patch(self, request: Request, journal_id: UUID) -> Response:
        """With `If-Match`: only if nobody changed it meanwhile."""
        asked = body(request, JournalChange)
        insist_on_adding(request.user, get_journal_for_user(request.user, journal_id).project_id)
        with transaction.atomic():
            journal = Journal.objects.select_for_update().select_related("project").get(pk=journal_id)
            insist_on_match(request, etag_of_journal(journal))
            changed = [name for name, value in asked.items() if getattr(journal, name) != value]
            for name in changed:
                setattr(journal, name, asked[name])
            if changed:
                journal.save(update_fields=changed)
                log.record("journal.edited", project_id=journal.project_id, target=journal, changed=changed)
        return tagged(OneJournalShape(journal).data, etag_of_journal(journal))

    @extend_schema(responses={204: None}, summary="Delete it with its files, inspections and reports")
    def delete(self, request: Request, journal_id: UUID) -> Response:
        """For who uploaded it, or an admin."""
        journal = get_journal_for_user(request.user, journal_id)
        if not can_delete(request.user, journal):
            raise PermissionDenied(ONLY_CREATOR)
        insist_on_match(request, etag_of_journal(journal))
        deletion.delete_journal(journal)
        return Response(status=204)


class FilesView(ApiView):
    """Files of a journal."""

    @extend_schema(parameters=[Paging], responses=page_shape(FileShape), summary="Files of a journal")
    def get(self, request: Request, journal_id: UUID) -> Response:
        """How much of each is here; `upload` takes the rest by tus."""
        found = get_journal_for_user(request.user, journal_id).uploads.all()
        return listed(request, found, FileShape, ("name", "pk"))


class FileView(ApiView):
    """One file."""

    scopes = {"DELETE": "upload"}

    @extend_schema(responses={204: None}, summary="Delete a file, or discard one that stopped half-way")
    def delete(self, request: Request, upload_id: UUID) -> Response:
        """For who uploaded it, or an admin."""
        upload = get_upload_for_user(request.user, upload_id)
        if not can_delete(request.user, upload.journal):
            raise PermissionDenied(ONLY_CREATOR)
        deletion.delete_upload(upload)
        return Response(status=204)


class InspectionsOfJournal(ApiView):
    """Inspections of a journal."""

    scopes = {"POST": "inspect"}

    @extend_schema(
        parameters=[Paging], responses=page_shape(InspectionShape), summary="Inspections of a journal"
    )
    def get(self, request: Request, journal_id: UUID) -> Response:
        """The newest first."""
        found = get_journal_for_user(request.user, journal_id).inspections.select_related("requested_by")
        return listed(request, found, InspectionShape, NEWEST_FIRST)

    @extend_schema(request=NewInspection, responses={202: InspectionShape}, summary="Inspect it again")
    def post(self, request: Request, journal_id: UUID) -> Response:
        """`read_as` says which dialect to read a topic as, where it looks like another; `text_format` is kcat's `-f`."""
        asked = body(request, NewInspection)
        journal = get_journal_for_user(request.user, journal_id)
        insist_on_adding(request.user, journal.project_id)
        if not journal.complete_at or not journal.uploads.exists():
            raise Wrong(f"{journal.name} has no complete input. Upload its files first.", status=409)
        insist_on_dialects(asked.get("read_as", {}))
        text_format = text_formats.cleaned(asked.get("text_format", ""))
        if text_format and (complaint := text_formats.complaint(text_format)):
            raise Wrong(complaint, "text_format")
        started = inspections.request_inspection(journal, request.user, asked.get("read_as"), text_format)
        return Response(InspectionShape(started).data, status=202)


def insist_on_dialects(read_as: dict[str, str]) -> None:
    """400 for a dialect that the catalogue does not have."""
    for dialect in read_as.values():
        if find("dialects", dialect) is None:
            raise Wrong(f"“{dialect}” is no journal that is understood; the Catalogue lists them.", "read_as")


def _narrowed(request: Request, asked: dict[str, Any]) -> QuerySet[Journal]:
    from django.db.models import Q

    found = journals_for_user(request.user)
    if text := asked.get("q"):
        found = found.filter(Q(name__icontains=text) | Q(ticket__icontains=text))
    if "ticket" in asked:
        found = found.filter(ticket__iexact=asked["ticket"])
    if "project" in asked:
        found = found.filter(project__slug=asked["project"])
    if "whose" in asked:
        found = found.filter(created_by=request.user)
    if "verdict" in asked:
        found = with_latest(found).filter(latest_state=Inspection.State.DONE, latest_level=asked["verdict"])
    return found


def older_journal(request: Request, journal_id: UUID | None) -> Journal | None:
    """The journal that a new one continues, if its caller may upload there."""
    if journal_id is None:
        return None
    older = get_journal_for_user(request.user, journal_id)
    insist_on_adding(request.user, older.project_id)
    return older


def _shown(journal: Journal) -> dict[str, Any]:
    return JournalShape(journal).data


def etag_of_journal(journal: Journal) -> str:
    """Changes with all that OneJournalShape shows."""
    newest = journal.latest or inspections.earlier_inspection(journal)
    parts = (journal.name, journal.ticket, journal.project_id, journal.complete_at, journal.is_on_hold)
    return etag_of(journal.pk, *parts, newest and (newest.pk, newest.state))
