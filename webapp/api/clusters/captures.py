"""Captures: started from an estimate, paused, resumed, ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.api.clusters.serializers import CaptureDetail, CaptureShape, CapturesQuery, NewCapture
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource
from webapp.clusters import captures
from webapp.clusters.access import captures_for_user, get_capture_for_user, get_cluster_for_user
from webapp.clusters.models import Capture, Trial

COLUMNS = {"project": "project__slug", "cluster": "cluster", "topic": "topic", "state": "state"}


class CaptureViewSet(Resource):
    """Captures."""

    lookup_url_kwarg = "capture_id"

    @operation("Captures, newest first", query=CapturesQuery, page=CaptureShape, order=NEWEST_FIRST)
    def list(self, request: Request) -> QuerySet[Capture]:
        """Those of your projects."""
        values = {COLUMNS[name]: value for name, value in self.params.items() if name in COLUMNS}
        return captures_for_user(request.user).filter(**values).defer("manifest")

    @operation("Start a capture", scope="inspect", body=NewCapture, answer=CaptureDetail, status=201)
    def start(self, request: Request, cluster_id: UUID) -> Capture:
        """What was estimated. 413 when it is more than the project or the server takes."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        trial = cluster.trials.filter(kind=Trial.Kind.ESTIMATE, pk=self.payload["estimate"]).first()
        if trial is None or not trial.result:
            raise ApiError(
                "This cluster has no finished estimate with this ID. Request an estimate first.", "estimate"
            )
        needed = trial.result["size_bytes"] or 0
        return captures.request_capture(cluster, trial.asked, request.user, estimated_bytes=needed)

    @operation("One capture", answer=CaptureDetail)
    def retrieve(self, request: Request, capture_id: UUID) -> Capture:
        """With its manifest once it is over."""
        return get_capture_for_user(request.user, capture_id)

    @action(detail=True, methods=["post"])
    @operation("Pause a capture", scope="inspect", answer=CaptureDetail, status=202)
    def pause(self, request: Request, capture_id: UUID) -> Capture:
        """What is there stays."""
        return _after(captures.pause, request, capture_id)

    @action(detail=True, methods=["post"])
    @operation("Continue a capture", scope="inspect", answer=CaptureDetail, status=202)
    def resume(self, request: Request, capture_id: UUID) -> Capture:
        """From where it was paused or failed."""
        return _after(captures.resume, request, capture_id)

    @action(detail=True, methods=["post"])
    @operation("End a capture", scope="inspect", answer=CaptureDetail, status=202)
    def cancel(self, request: Request, capture_id: UUID) -> Capture:
        """What was captured becomes a journal."""
        return _after(captures.stop, request, capture_id)


def _after(change: Callable[[Capture, Any], None], request: Request, capture_id: UUID) -> Capture:
    """The capture after one step."""
    capture = get_capture_for_user(request.user, capture_id, "support")
    change(capture, request.user)
    capture.refresh_from_db()
    return capture
