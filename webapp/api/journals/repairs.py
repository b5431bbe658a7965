"""Comparisons and repairs: asked for, waited for, read."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db.models import QuerySet
from django.http import FileResponse, Http404
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.api.journals.progress import finished, stages_of
from webapp.api.journals.serializers import ComparisonShape, NewRepair, RepairRow, RepairShape
from webapp.api.rest.errors import GONE, ApiError
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource
from webapp.jobs import lifecycle
from webapp.journals import repairs
from webapp.journals.access import get_repair_for_user, journals_for_user, require_adding
from webapp.journals.comparisons import request_comparison
from webapp.journals.models import Comparison, Inspection, Repair
from webapp.reports.repair.page import files_of
from webapp.reports.repair.topic import checked_topic
from webapp.reports.repair.visible import visible_dumps, visible_result


class ComparisonViewSet(Resource):
    """Two inspections beside each other."""

    @operation("A comparison and its progress", answer=ComparisonShape)
    def retrieve(self, request: Request, inspection_id: UUID, other_id: UUID) -> Comparison:
        """404 until somebody asked for it."""
        left, right = finished(request.user, inspection_id), finished(request.user, other_id)
        comparison = Comparison.objects.filter(left=left, right=right).first()
        if comparison is None:
            raise Http404
        return comparison

    @operation("Compare two inspections", scope="inspect", answer=ComparisonShape, status=202)
    def start(self, request: Request, inspection_id: UUID, other_id: UUID) -> Comparison:
        """One of the two is kept for all who ask, so asking again is cheap."""
        left, right = finished(request.user, inspection_id), finished(request.user, other_id)
        require_adding(request.user, left.journal.project_id)
        return request_comparison(left, right, request.user)


class RepairViewSet(Resource):
    """Repairs of an inspected journal."""

    lookup_url_kwarg = "repair_id"

    @operation("Repairs", page=RepairRow, order=NEWEST_FIRST)
    def list(self, request: Request, inspection_id: UUID) -> QuerySet[Repair]:
        """The newest first."""
        return finished(request.user, inspection_id).repairs.select_related("requested_by")

    @operation(
        "Build a repair of the journal",
        scope="inspect",
        body=NewRepair,
        answer=RepairShape,
        status=202,
        max_body_bytes=128 << 20,
    )
    def create(self, request: Request, inspection_id: UUID) -> Repair:
        """Older dumps and files may hold what was lost."""
        inspection = finished(request.user, inspection_id)
        require_adding(request.user, inspection.journal.project_id)
        files = [_file(file) for file in self.payload.get("files", [])]
        older = _older(request, inspection, self.payload.get("older", []))
        topic = checked_topic(inspection, self.payload.get("topic", ""))
        return _with_result(request, repairs.request_repair(inspection, older, files, request.user, topic))

    @operation("One repair and its progress", answer=RepairShape)
    def retrieve(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Repair:
        """With its result once it is done."""
        return _with_result(request, _repair(request, inspection_id, repair_id))

    @action(detail=True, methods=["post"])
    @operation("Stop a repair", scope="inspect", answer=RepairShape, status=202)
    def cancel(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Repair:
        """One that a worker is at stops within seconds."""
        repair = _repair(request, inspection_id, repair_id)
        require_adding(request.user, repair.inspection.journal.project_id)
        if not repair.is_over:
            lifecycle.cancel(repair)
            repair.refresh_from_db()
        return _with_result(request, repair)

    @action(detail=True, methods=["post"])
    @operation("Run the same repair again", scope="inspect", answer=RepairShape, status=202)
    def again(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Repair:
        """After it failed, was cancelled, lost its worker or its files."""
        repair = _repair(request, inspection_id, repair_id)
        require_adding(request.user, repair.inspection.journal.project_id)
        if not repairs.may_start_again(repair):
            raise ApiError(f"This repair is {repair.state}. Wait for it, or cancel it first.", status=409)
        return _with_result(request, repairs.again(repair, request.user))

    @operation(
        "A file of a repair", media_type="application/octet-stream", id="inspections_repairs_files_list"
    )
    def file(self, request: Request, inspection_id: UUID, repair_id: UUID, name: str) -> FileResponse:
        """Records to produce, or their steps."""
        repair = _repair(request, inspection_id, repair_id)
        if name not in files_of(repair):
            raise Http404
        try:
            content = (repair.results / name).open("rb")
        except FileNotFoundError:
            raise ApiError(GONE, status=410) from None
        return FileResponse(
            content, as_attachment=True, filename=Path(name).name, content_type="application/octet-stream"
        )


def _repair(request: Request, inspection_id: UUID, repair_id: UUID) -> Repair:
    repair = get_repair_for_user(request.user, repair_id)
    if repair.inspection_id != inspection_id:
        raise Http404
    return repair


def _with_result(request: Request, repair: Any) -> Any:
    """The row with what it was fed, how far it is, and what it came to; nothing of dumps that the caller may not see."""
    is_done = repair.state == Repair.State.DONE
    repair.older_ids = [dump.pk for dump in visible_dumps(request.user, repair)[0]]
    repair.file_names = sorted(files_of(repair))
    repair.stages = stages_of(repair)
    repair.final_result = visible_result(request.user, repair) if is_done else None
    return repair


def _older(request: Request, inspection: Inspection, ids: list[UUID]) -> list[Inspection]:
    """404 for one that may not be seen, as if it were not there."""
    visible = Inspection.objects.filter(
        journal__in=journals_for_user(request.user), state=Inspection.State.DONE
    ).exclude(pk=inspection.pk)
    older = list(visible.filter(pk__in=set(ids)))
    if len(older) != len(set(ids)):
        raise Http404
    return older


def _file(sent: dict[str, str]) -> UploadedFile[Any]:
    try:
        return SimpleUploadedFile(sent["name"], base64.b64decode(sent["base64"], validate=True))
    except (binascii.Error, ValueError):
        raise ApiError(f"{sent['name']} is not valid base64.", "files") from None
