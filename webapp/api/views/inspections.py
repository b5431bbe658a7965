"""Inspections: how far one is, stopping it, starting it again, reading a topic as something else; its report."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, body, etag_of, insist_on_newer, results_of, tagged
from webapp.api.errors import Wrong
from webapp.api.serializers.journals import InspectionProgress, ReadAs
from webapp.api.serializers.report import ReportShape
from webapp.api.views.journals import insist_on_dialects
from webapp.jobs import lifecycle, progress
from webapp.journals import deletion, inspections
from webapp.journals.access import can_delete, get_inspection_for_user, insist_on_adding
from webapp.journals.models import Inspection
from webapp.journals.views.journal import ONLY_CREATOR

NO_FILES = "The files of this journal were deleted. Upload them again to inspect them."


class InspectionView(ApiView):
    """One inspection."""

    scopes = {"DELETE": "inspect"}

    @extend_schema(responses=InspectionProgress, summary="One inspection, and how far it is")
    def get(self, request: Request, inspection_id: UUID) -> Response:
        """Ask every second or so until `state` is neither `queued` nor `running`."""
        inspection = get_inspection_for_user(request.user, inspection_id)
        if not inspection.is_over:
            return Response(shown(inspection))
        etag = etag_of(inspection.pk, inspection.state, inspection.finished_at)
        insist_on_newer(request, etag)
        return tagged(shown(inspection), etag)

    @extend_schema(responses={204: None}, summary="Delete it and its report; the files stay")
    def delete(self, request: Request, inspection_id: UUID) -> Response:
        """For who uploaded the journal, or an admin."""
        inspection = get_inspection_for_user(request.user, inspection_id)
        if not can_delete(request.user, inspection.journal):
            raise PermissionDenied(ONLY_CREATOR)
        deletion.delete_inspection(inspection)
        return Response(status=204)


class CancelView(ApiView):
    """Stopping."""

    scopes = {"POST": "inspect"}

    @extend_schema(request=None, responses={202: InspectionProgress}, summary="Stop it")
    def post(self, request: Request, inspection_id: UUID) -> Response:
        """One that a worker is at stops within seconds."""
        inspection = changeable(request, inspection_id)
        inspections.cancel(inspection)
        inspection.refresh_from_db()
        return Response(shown(inspection), status=202)


class RetryView(ApiView):
    """Once more."""

    scopes = {"POST": "inspect"}

    @extend_schema(request=None, responses={202: InspectionProgress}, summary="Start it again")
    def post(self, request: Request, inspection_id: UUID) -> Response:
        """What failed, was cancelled or lost its worker; the answer is the new inspection."""
        inspection = changeable(request, inspection_id)
        _insist_on_files(inspection)
        if not (inspection.is_over or lifecycle.is_abandoned(inspection)):
            raise Wrong(
                f"This inspection is {inspection.state}. Wait for it, or cancel it first.", status=409
            )
        return Response(shown(inspections.retry(inspection, request.user)), status=202)


class ReadAsView(ApiView):
    """Read a topic as another journal."""

    scopes = {"POST": "inspect"}

    @extend_schema(
        request=ReadAs, responses={202: InspectionProgress}, summary="Read a topic as another journal"
    )
    def post(self, request: Request, inspection_id: UUID) -> Response:
        """Inspects the journal again; the answer is the new inspection."""
        asked = body(request, ReadAs)
        inspection = changeable(request, inspection_id)
        _insist_on_files(inspection)
        insist_on_dialects({asked["topic"]: asked["dialect"]})
        chosen = {**inspection.read_as, asked["topic"]: asked["dialect"]}
        started = inspections.request_inspection(
            inspection.journal, request.user, chosen, inspection.text_format
        )
        return Response(shown(started), status=202)


class ReportView(ApiView):
    """The report."""

    @extend_schema(responses=ReportShape, summary="The report: what `manage.py inspect --json` prints")
    def get(self, request: Request, inspection_id: UUID) -> HttpResponse:
        """Byte for byte the command line's document, without its last line end; docs/report.md explains it."""
        with results_of(request, inspection_id) as (_, results, etag):
            text = json.dumps(results.document | {"tables": None}, ensure_ascii=False)
        # half of a surrogate pair, from a broken name, is an escape in JSON too
        response = HttpResponse(text.encode("utf-8", "backslashreplace"), content_type="application/json")
        response["ETag"] = etag
        return response


def changeable(request: Request, inspection_id: UUID) -> Inspection:
    """The inspection, for who may start and stop such."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    insist_on_adding(request.user, inspection.journal.project_id)
    return inspection


def shown(inspection: Inspection) -> dict[str, Any]:
    """The row with what the worker last told."""
    inspection.stages = _stages(inspection)  # type: ignore[attr-defined]
    is_queued = inspection.state == Inspection.State.QUEUED
    inspection.place_in_queue = lifecycle.place_in_queue(inspection) if is_queued else 0  # type: ignore[attr-defined]
    return InspectionProgress(inspection).data


def _stages(inspection: Inspection) -> list[dict[str, Any]]:
    try:
        told = progress.read(inspection.pk)
    except RedisError:
        return []
    return told["stages"] if told else []


def _insist_on_files(inspection: Inspection) -> None:
    if not inspection.journal.uploads.exists():
        raise Wrong(NO_FILES, status=409)
