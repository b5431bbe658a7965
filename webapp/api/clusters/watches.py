"""Watches, and a journal's history."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.api.clusters.clusters import capture_values
from webapp.api.clusters.serializers import (
    CaptureDetail,
    HistoryShape,
    NewRun,
    NewWatch,
    WatchChange,
    WatchesQuery,
    WatchShape,
)
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource, require_valid
from webapp.clusters import history, watches
from webapp.clusters.access import get_cluster_for_user, get_watch_for_user, watches_for_user
from webapp.clusters.capture_form import WatchForm
from webapp.clusters.models import Capture, Watch
from webapp.journals.access import get_journal_for_user


class WatchViewSet(Resource):
    """Watches."""

    lookup_url_kwarg = "watch_id"

    @operation("Watches", query=WatchesQuery, page=WatchShape, order=("topic", "pk"))
    def list(self, request: Request) -> QuerySet[Watch]:
        """Those of your projects, by topic."""
        clusters = {"cluster": self.params["cluster"]} if "cluster" in self.params else {}
        return watches_for_user(request.user).filter(**clusters)

    @operation("Start a watch", scope="admin", body=NewWatch, answer=WatchShape, status=201)
    def start(self, request: Request, cluster_id: UUID) -> Watch:
        """Its first run is due at once. 409 when the topic is watched already."""
        cluster = get_cluster_for_user(request.user, cluster_id, "admin")
        minutes = self.payload["every_minutes"]
        form = WatchForm(capture_values(self.payload) | {"every_minutes": minutes})
        require_valid(form)
        return watches.start(cluster, form.spec, minutes, request.user)

    @operation("One watch", answer=WatchShape)
    def retrieve(self, request: Request, watch_id: UUID) -> Watch:
        """Its runs are captures; the newest is named."""
        return get_watch_for_user(request.user, watch_id)

    @operation("Change a watch", scope="admin", body=WatchChange, answer=WatchShape)
    def partial_update(self, request: Request, watch_id: UUID) -> Watch:
        """Switched on, it begins at once."""
        watch = get_watch_for_user(request.user, watch_id, "admin")
        values = {"every_minutes": watch.every_minutes, "is_on": watch.is_on} | self.payload
        watches.change(watch, values["every_minutes"], values["is_on"], request.user)
        return Watch.objects.get(pk=watch.pk)

    @operation("Remove a watch", scope="admin", status=204)
    def destroy(self, request: Request, watch_id: UUID) -> None:
        """What was captured stays."""
        watches.remove(get_watch_for_user(request.user, watch_id, "admin"), request.user)

    @action(detail=True, methods=["post"])
    @operation("Run a watch now", scope="inspect", body=NewRun, answer=CaptureDetail, status=201)
    def runs(self, request: Request, watch_id: UUID) -> Capture:
        """409 while a run is under way."""
        watch = get_watch_for_user(request.user, watch_id, "support")
        run = watches.run_afresh if self.payload["is_afresh"] else watches.run_now
        return run(watch, request.user)


class HistoryViewSet(Resource):
    """A journal over time."""

    @operation("History of a journal", answer=HistoryShape, id="journals_history_list")
    def retrieve(self, request: Request, journal_id: UUID) -> dict[str, Any]:
        """All inspected dumps of its lineage, oldest first."""
        return {"points": history.points(get_journal_for_user(request.user, journal_id), request.user)}
