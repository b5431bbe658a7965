"""Watches, a journal's history, and the format advisor of a live cluster."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, body, insist_on_valid, listed, query
from webapp.api.serializers.clusters import CaptureDetail, TrialShape
from webapp.api.serializers.pages import page_shape
from webapp.api.serializers.watches import (
    HistoryShape,
    NewAdvice,
    NewRun,
    NewWatch,
    WatchChange,
    WatchesAsked,
    WatchShape,
)
from webapp.api.views.clusters import form_of
from webapp.clusters import history, trials, watches
from webapp.clusters.access import get_cluster_for_user, get_watch_for_user, watches_for_user
from webapp.clusters.models import Trial, Watch
from webapp.clusters.watch_forms import WatchForm
from webapp.journals.access import get_journal_for_user

ADMINISTERS = {"POST": "admin", "PATCH": "admin", "DELETE": "admin"}


class WatchesView(ApiView):
    """Watches."""

    @extend_schema(parameters=[WatchesAsked], responses=page_shape(WatchShape), summary="Watches")
    def get(self, request: Request) -> Response:
        """Those of your projects, by topic."""
        asked = query(request, WatchesAsked)
        found = watches_for_user(request.user)
        if "cluster" in asked:
            found = found.filter(cluster=asked["cluster"])
        return listed(request, found, WatchShape, ("topic", "pk"), asked)


class WatchesOfCluster(ApiView):
    """Starting one."""

    scopes = ADMINISTERS

    @extend_schema(request=NewWatch, responses={201: WatchShape}, summary="Start a watch")
    def post(self, request: Request, cluster_id: UUID) -> Response:
        """Its first run is due at once. 409 when the topic is watched already."""
        cluster = get_cluster_for_user(request.user, cluster_id, "admin")
        given = body(request, NewWatch)
        form = WatchForm(form_of(given) | {"every_minutes": given["every_minutes"]})
        insist_on_valid(form)
        made = watches.start(cluster, form.ask, given["every_minutes"], request.user)
        return Response(WatchShape(made).data, status=201)


class WatchView(ApiView):
    """One watch."""

    scopes = ADMINISTERS

    @extend_schema(responses=WatchShape, summary="One watch")
    def get(self, request: Request, watch_id: UUID) -> Response:
        """Its runs are captures; the newest is named."""
        return Response(WatchShape(get_watch_for_user(request.user, watch_id)).data)

    @extend_schema(request=WatchChange, responses=WatchShape, summary="Change a watch")
    def patch(self, request: Request, watch_id: UUID) -> Response:
        """Switched on, it begins at once."""
        watch = get_watch_for_user(request.user, watch_id, "admin")
        given = {"every_minutes": watch.every_minutes, "is_on": watch.is_on} | body(request, WatchChange)
        watches.change(watch, given["every_minutes"], given["is_on"], request.user)
        return Response(WatchShape(Watch.objects.get(pk=watch.pk)).data)

    @extend_schema(responses={204: None}, summary="Remove a watch")
    def delete(self, request: Request, watch_id: UUID) -> Response:
        """What was captured stays."""
        watches.remove(get_watch_for_user(request.user, watch_id, "admin"), request.user)
        return Response(status=204)


class RunsView(ApiView):
    """Runs of a watch."""

    scopes = {"POST": "inspect"}

    @extend_schema(request=NewRun, responses={201: CaptureDetail}, summary="Run a watch now")
    def post(self, request: Request, watch_id: UUID) -> Response:
        """409 while a run is under way."""
        watch = get_watch_for_user(request.user, watch_id, "support")
        run = watches.run_afresh if body(request, NewRun)["is_afresh"] else watches.run_now
        return Response(CaptureDetail(run(watch, request.user)).data, status=201)


class AdviceView(ApiView):
    """The format advisor."""

    scopes = {"POST": "inspect"}

    @extend_schema(request=NewAdvice, responses={202: TrialShape}, summary="Ask for format advice")
    def post(self, request: Request, cluster_id: UUID) -> Response:
        """Read the trial until it is done; its result is that of docs/watches.md."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        asked = dict(body(request, NewAdvice))
        trial = trials.request_trial(cluster, Trial.Kind.ADVICE, request.user, asked)
        return Response(TrialShape(trial).data, status=202)


class HistoryView(ApiView):
    """A journal over time."""

    @extend_schema(responses=HistoryShape, summary="History of a journal")
    def get(self, request: Request, journal_id: UUID) -> Response:
        """All inspected dumps of its lineage, oldest first."""
        found = history.points(get_journal_for_user(request.user, journal_id), request.user)
        return Response(HistoryShape({"points": found}).data)
