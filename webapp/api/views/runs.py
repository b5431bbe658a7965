"""Comparisons and repairs: asked for, waited for, read."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, body, finished, listed
from webapp.api.errors import GONE, Wrong
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.runs import ComparisonShape, NewRepair, RepairRow, RepairShape
from webapp.api.views.journals import NEWEST_FIRST
from webapp.jobs import lifecycle, progress
from webapp.journals import repairs
from webapp.journals.access import get_repair_for_user, insist_on_adding, journals_for_user
from webapp.journals.comparisons import request_comparison
from webapp.journals.models import Comparison, Inspection, Repair
from webapp.reports.mending import files_of
from webapp.reports.repair_topic import checked_topic

STARTS = {"POST": "inspect"}


class ComparisonView(ApiView):
    """Two inspections beside each other."""

    scopes = STARTS

    @extend_schema(responses=ComparisonShape, summary="A comparison, and how far it is")
    def get(self, request: Request, inspection_id: UUID, other_id: UUID) -> Response:
        """404 until somebody asked for it."""
        left, right = finished(request, inspection_id), finished(request, other_id)
        found = Comparison.objects.filter(left=left, right=right).first()
        if found is None:
            raise Http404
        return Response(ComparisonShape(found).data)

    @extend_schema(request=None, responses={202: ComparisonShape}, summary="Compare two inspections")
    def post(self, request: Request, inspection_id: UUID, other_id: UUID) -> Response:
        """One of the two is kept for all who ask, so asking again is cheap."""
        left, right = finished(request, inspection_id), finished(request, other_id)
        insist_on_adding(request.user, left.journal.project_id)
        return Response(ComparisonShape(request_comparison(left, right, request.user)).data, status=202)


class RepairsView(ApiView):
    """Repairs of an inspected journal."""

    scopes = STARTS
    most_body_bytes = 128 << 20

    @extend_schema(parameters=[Paging], responses=page_shape(RepairRow), summary="Repairs")
    def get(self, request: Request, inspection_id: UUID) -> Response:
        """The newest first."""
        found = finished(request, inspection_id).repairs.select_related("requested_by")
        return listed(request, found, RepairRow, NEWEST_FIRST)

    @extend_schema(request=NewRepair, responses={202: RepairShape}, summary="Build a repair of the journal")
    def post(self, request: Request, inspection_id: UUID) -> Response:
        """Older dumps and files may hold what was lost."""
        inspection = finished(request, inspection_id)
        insist_on_adding(request.user, inspection.journal.project_id)
        asked = body(request, NewRepair)
        files = [_file(one) for one in asked.get("files", [])]
        older = _older(request, inspection, asked.get("older", []))
        topic = checked_topic(inspection, asked.get("topic", ""))
        made = repairs.request_repair(inspection, older, files, request.user, topic)
        return Response(_shown(made), status=202)


class RepairView(ApiView):
    """One repair."""

    @extend_schema(responses=RepairShape, summary="One repair, and how far it is")
    def get(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Response:
        """With its result once it is done."""
        return Response(_shown(_repair(request, inspection_id, repair_id)))


class RepairCancelView(ApiView):
    """Stopping."""

    scopes = STARTS

    @extend_schema(request=None, responses={202: RepairShape}, summary="Stop a repair")
    def post(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Response:
        """One that a worker is at stops within seconds."""
        found = _repair(request, inspection_id, repair_id)
        insist_on_adding(request.user, found.inspection.journal.project_id)
        if not found.is_over:
            lifecycle.cancel(found)
            found.refresh_from_db()
        return Response(_shown(found), status=202)


class RepairAgainView(ApiView):
    """Once more."""

    scopes = STARTS

    @extend_schema(request=None, responses={202: RepairShape}, summary="The same repair once more")
    def post(self, request: Request, inspection_id: UUID, repair_id: UUID) -> Response:
        """After it failed, was cancelled, lost its worker or its files."""
        found = _repair(request, inspection_id, repair_id)
        insist_on_adding(request.user, found.inspection.journal.project_id)
        if not repairs.may_start_again(found):
            raise Wrong(f"This repair is {found.state}. Wait for it, or cancel it first.", status=409)
        return Response(_shown(repairs.again(found, request.user)), status=202)


class RepairFileView(ApiView):
    """A file of a repair."""

    @extend_schema(
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}, summary="A file of a repair"
    )
    def get(self, request: Request, inspection_id: UUID, repair_id: UUID, name: str) -> HttpResponseBase:
        """Records to produce, or their steps."""
        found = _repair(request, inspection_id, repair_id)
        if name not in files_of(found):
            raise Http404
        try:
            content = (found.results / name).open("rb")
        except FileNotFoundError:
            raise Wrong(GONE, status=410) from None
        return FileResponse(
            content, as_attachment=True, filename=Path(name).name, content_type="application/octet-stream"
        )


def _repair(request: Request, inspection_id: UUID, repair_id: UUID) -> Repair:
    found = get_repair_for_user(request.user, repair_id)
    if found.inspection_id != inspection_id:
        raise Http404
    return found


def _shown(repair: Repair) -> dict[str, Any]:
    told = RepairRow(repair).data | {
        "older": [str(pk) for pk in repair.older.values_list("pk", flat=True)],
        "files": sorted(files_of(repair)),
        "stages": _stages(repair),
        "result": repair.result if repair.state == Repair.State.DONE else None,
    }
    return dict(told)


def _stages(repair: Repair) -> list[dict[str, Any]]:
    try:
        told = progress.read(repair.pk)
    except RedisError:
        return []
    return told["stages"] if told else []


def _older(request: Request, inspection: Inspection, ids: list[UUID]) -> list[Inspection]:
    """404 for one that may not be seen, as if it were not there."""
    visible = Inspection.objects.filter(
        journal__in=journals_for_user(request.user), state=Inspection.State.DONE
    ).exclude(pk=inspection.pk)
    found = list(visible.filter(pk__in=set(ids)))
    if len(found) != len(set(ids)):
        raise Http404
    return found


def _file(given: dict[str, str]) -> UploadedFile[Any]:
    try:
        return SimpleUploadedFile(given["name"], base64.b64decode(given["base64"], validate=True))
    except (binascii.Error, ValueError):
        raise Wrong(f"{given['name']} is not valid base64.", "files") from None
