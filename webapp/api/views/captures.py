"""Captures: started from an estimate, paused, resumed, ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, body, listed, query
from webapp.api.errors import Wrong
from webapp.api.serializers.clusters import CaptureDetail, CapturesAsked, CaptureShape, NewCapture
from webapp.api.serializers.pages import page_shape
from webapp.api.views.journals import NEWEST_FIRST
from webapp.clusters import captures, estimates
from webapp.clusters.access import captures_for_user, get_capture_for_user, get_cluster_for_user
from webapp.clusters.models import Capture, Trial

STARTS = {"POST": "inspect"}


class CapturesView(ApiView):
    """Captures."""

    @extend_schema(
        parameters=[CapturesAsked], responses=page_shape(CaptureShape), summary="Captures, newest first"
    )
    def get(self, request: Request) -> Response:
        """Those of your projects."""
        asked = query(request, CapturesAsked)
        names = {"project": "project__slug", "cluster": "cluster", "topic": "topic", "state": "state"}
        wanted = {names[name]: value for name, value in asked.items() if name in names}
        found = captures_for_user(request.user).filter(**wanted).defer("manifest")
        return listed(request, found, CaptureShape, NEWEST_FIRST, asked)


class CapturesOfCluster(ApiView):
    """Starting one."""

    scopes = STARTS

    @extend_schema(request=NewCapture, responses={201: CaptureDetail}, summary="Start a capture")
    def post(self, request: Request, cluster_id: UUID) -> Response:
        """What was estimated. 413 when it is more than the project or the server takes."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        estimate_id = body(request, NewCapture)["estimate"]
        trial = cluster.trials.filter(kind=Trial.Kind.ESTIMATE, pk=estimate_id).first()
        if trial is None or not trial.result:
            raise Wrong(
                "This is no estimate of this cluster that was answered. Ask for one first.", "estimate"
            )
        needed = estimates.told(trial.result, trial.asked, cluster.project).size_bytes
        made = captures.request_capture(cluster, trial.asked, request.user, estimated_bytes=needed)
        return Response(CaptureDetail(made).data, status=201)


class CaptureView(ApiView):
    """One capture."""

    @extend_schema(responses=CaptureDetail, summary="One capture")
    def get(self, request: Request, capture_id: UUID) -> Response:
        """With its manifest once it is over."""
        return Response(CaptureDetail(get_capture_for_user(request.user, capture_id)).data)


class _Changing(ApiView):
    """One step of a capture."""

    scopes = STARTS
    what: ClassVar[Callable[[Capture, Any], None]]

    def done(self, request: Request, capture_id: UUID) -> Response:
        """The capture after it."""
        found = get_capture_for_user(request.user, capture_id, "support")
        type(self).what(found, request.user)
        found.refresh_from_db()
        return Response(CaptureDetail(found).data, status=202)


class PauseView(_Changing):
    """Pause."""

    what = captures.pause

    @extend_schema(request=None, responses={202: CaptureDetail}, summary="Pause a capture")
    def post(self, request: Request, capture_id: UUID) -> Response:
        """What is there stays."""
        return self.done(request, capture_id)


class ResumeView(_Changing):
    """Go on."""

    what = captures.resume

    @extend_schema(request=None, responses={202: CaptureDetail}, summary="Go on with a capture")
    def post(self, request: Request, capture_id: UUID) -> Response:
        """From where it was paused or failed."""
        return self.done(request, capture_id)


class CancelView(_Changing):
    """End."""

    what = captures.stop

    @extend_schema(request=None, responses={202: CaptureDetail}, summary="End a capture")
    def post(self, request: Request, capture_id: UUID) -> Response:
        """What was captured becomes a journal."""
        return self.done(request, capture_id)
