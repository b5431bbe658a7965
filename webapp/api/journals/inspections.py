"""Inspections: starting one, how far it is, stopping it, starting it again, reading a topic as something else."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.api.journals.journals import require_creator
from webapp.api.journals.progress import stages_of
from webapp.api.journals.serializers import InspectionProgress, InspectionShape, NewInspection, ReadAs
from webapp.api.rest.errors import ApiError
from webapp.api.rest.etags import etag_of
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource
from webapp.catalogue.pages import find
from webapp.jobs import lifecycle
from webapp.journals import deletion, inspections, text_formats
from webapp.journals.access import get_inspection_for_user, get_journal_for_user, require_adding
from webapp.journals.models import Inspection

NO_FILES = "The files of this journal were deleted. Upload them again to inspect them."


class InspectionViewSet(Resource):
    """Inspections."""

    lookup_url_kwarg = "inspection_id"

    @operation("Inspections of a journal", page=InspectionShape, order=NEWEST_FIRST)
    def of_journal(self, request: Request, journal_id: UUID) -> QuerySet[Inspection]:
        """The newest first."""
        return get_journal_for_user(request.user, journal_id).inspections.select_related("requested_by")

    @operation("Inspect it again", scope="inspect", body=NewInspection, answer=InspectionShape, status=202)
    def start(self, request: Request, journal_id: UUID) -> Inspection:
        """`read_as` says which dialect to read a topic as, where it looks like another; `text_format` how to read texts: kcat's `-f`, or columns."""
        payload = self.payload
        journal = get_journal_for_user(request.user, journal_id)
        require_adding(request.user, journal.project_id)
        inspections.require_input(journal)
        _require_dialects(payload.get("read_as", {}))
        text_format = text_formats.cleaned(payload.get("text_format", ""))
        if text_format and (complaint := text_formats.complaint(text_format)):
            raise ApiError(complaint, "text_format")
        return inspections.request_inspection(journal, request.user, payload.get("read_as"), text_format)

    @operation("One inspection and its progress", answer=InspectionProgress)
    def retrieve(self, request: Request, inspection_id: UUID) -> Inspection:
        """Ask every second or so until `state` is neither `queued` nor `running`."""
        inspection = get_inspection_for_user(request.user, inspection_id)
        if inspection.is_over:
            self.tag(etag_of(inspection.pk, inspection.state, inspection.finished_at))
        return _with_progress(inspection)

    @operation("Delete it and its report; the files stay", scope="inspect", status=204)
    def destroy(self, request: Request, inspection_id: UUID) -> None:
        """Allowed for the uploader of the journal and admins."""
        inspection = get_inspection_for_user(request.user, inspection_id)
        require_creator(request, inspection.journal)
        deletion.delete_inspection(inspection)

    @action(detail=True, methods=["post"])
    @operation("Stop it", scope="inspect", answer=InspectionProgress, status=202)
    def cancel(self, request: Request, inspection_id: UUID) -> Inspection:
        """One that a worker is at stops within seconds."""
        inspection = _changeable(request, inspection_id)
        inspections.cancel(inspection)
        inspection.refresh_from_db()
        return _with_progress(inspection)

    @action(detail=True, methods=["post"])
    @operation("Start it again", scope="inspect", answer=InspectionProgress, status=202)
    def retry(self, request: Request, inspection_id: UUID) -> Inspection:
        """What failed, was cancelled or lost its worker; the answer is the new inspection."""
        inspection = _changeable(request, inspection_id)
        _require_files(inspection)
        if not (inspection.is_over or lifecycle.is_abandoned(inspection)):
            raise ApiError(
                f"This inspection is {inspection.state}. Wait for it, or cancel it first.", status=409
            )
        return _with_progress(inspections.retry(inspection, request.user))

    @action(detail=True, methods=["post"], url_path="read-as")
    @operation(
        "Set the journal type of a topic", scope="inspect", body=ReadAs, answer=InspectionProgress, status=202
    )
    def read_as(self, request: Request, inspection_id: UUID) -> Inspection:
        """Inspects the journal again; the answer is the new inspection."""
        topic, dialect = self.payload["topic"], self.payload["dialect"]
        inspection = _changeable(request, inspection_id)
        _require_files(inspection)
        _require_dialects({topic: dialect})
        chosen = {**inspection.read_as, topic: dialect}
        return _with_progress(
            inspections.request_inspection(inspection.journal, request.user, chosen, inspection.text_format)
        )


def _changeable(request: Request, inspection_id: UUID) -> Inspection:
    """The inspection, if the caller may start and stop inspections."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    require_adding(request.user, inspection.journal.project_id)
    return inspection


def _with_progress(inspection: Inspection) -> Inspection:
    """Adds the stages that the worker last reported."""
    inspection.stages = stages_of(inspection)  # type: ignore[attr-defined]
    is_queued = inspection.state == Inspection.State.QUEUED
    inspection.place_in_queue = lifecycle.place_in_queue(inspection) if is_queued else 0  # type: ignore[attr-defined]
    return inspection


def _require_files(inspection: Inspection) -> None:
    if not inspection.journal.uploads.exists():
        raise ApiError(NO_FILES, status=409)


def _require_dialects(read_as: dict[str, str]) -> None:
    """Raise 400 for a dialect that is not in the catalogue."""
    for dialect in read_as.values():
        if find("dialects", dialect) is None:
            raise ApiError(
                f"“{dialect}” is not a known journal type. The Catalogue lists the journal types.", "read_as"
            )
