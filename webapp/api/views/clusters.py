"""Clusters and what they are asked."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import get_administered_project, get_project_for_user
from webapp.api.base import ApiView, body, insist_on_valid, listed, query
from webapp.api.serializers.clusters import (
    ClusterChange,
    ClusterShape,
    NewCluster,
    NewEstimate,
    NewTrial,
    TrialsAsked,
    TrialShape,
)
from webapp.api.serializers.pages import Paging, page_shape
from webapp.clusters import changes, trials
from webapp.clusters.access import get_cluster_for_user, get_trial_for_user
from webapp.clusters.asks import CaptureForm
from webapp.clusters.forms import ClusterForm
from webapp.clusters.models import Trial

ASKS = {"POST": "inspect"}
CONNECTS = {"POST": "admin", "PATCH": "admin", "DELETE": "admin"}


class ClustersView(ApiView):
    """Clusters of a project."""

    scopes = CONNECTS

    @extend_schema(parameters=[Paging], responses=page_shape(ClusterShape), summary="Clusters of a project")
    def get(self, request: Request, slug: str) -> Response:
        """By name."""
        found = get_project_for_user(request.user, slug).clusters.select_related("project", "created_by")
        return listed(request, found, ClusterShape, ("name", "pk"))

    @extend_schema(request=NewCluster, responses={201: ClusterShape}, summary="Connect a cluster")
    def post(self, request: Request, slug: str) -> Response:
        """Nothing is asked of it yet."""
        project = get_administered_project(request.user, slug)
        form = ClusterForm(project, _flat(body(request, NewCluster)))
        insist_on_valid(form)
        made = changes.connect(project, request.user, form.members, form.secrets)
        return Response(ClusterShape(made).data, status=201)


class ClusterView(ApiView):
    """One cluster."""

    scopes = CONNECTS

    @extend_schema(responses=ClusterShape, summary="One cluster")
    def get(self, request: Request, cluster_id: UUID) -> Response:
        """Without its secrets."""
        return Response(ClusterShape(get_cluster_for_user(request.user, cluster_id)).data)

    @extend_schema(request=ClusterChange, responses=ClusterShape, summary="Change a cluster")
    def patch(self, request: Request, cluster_id: UUID) -> Response:
        """What is left out stays; a secret that would be sent elsewhere has to be given again."""
        cluster = get_cluster_for_user(request.user, cluster_id, "admin")
        kept = {name: getattr(cluster, name) for name in ClusterForm.Meta.fields}
        written = get_cluster_for_user(request.user, cluster_id)
        form = ClusterForm(cluster.project, kept | _flat(body(request, ClusterChange)), instance=written)
        insist_on_valid(form)
        changes.change(cluster, request.user, form.members, form.secrets)
        return Response(ClusterShape(cluster).data)

    @extend_schema(responses={204: None}, summary="Remove a cluster")
    def delete(self, request: Request, cluster_id: UUID) -> Response:
        """With its secrets and watches; what was captured stays. 409 while a capture is being ended."""
        changes.remove(get_cluster_for_user(request.user, cluster_id, "admin"), request.user)
        return Response(status=204)


class TrialsView(ApiView):
    """Questions to a cluster."""

    scopes = ASKS

    @extend_schema(
        parameters=[TrialsAsked], responses=page_shape(TrialShape), summary="What a cluster was asked"
    )
    def get(self, request: Request, cluster_id: UUID) -> Response:
        """The newest first; the last few of each kind are kept."""
        asked = query(request, TrialsAsked)
        found = get_cluster_for_user(request.user, cluster_id).trials.all()
        if "kind" in asked:
            found = found.filter(kind=asked["kind"])
        return listed(request, found, TrialShape, ("-requested_at", "-pk"), asked)

    @extend_schema(request=NewTrial, responses={202: TrialShape}, summary="Test a cluster, or ask its topics")
    def post(self, request: Request, cluster_id: UUID) -> Response:
        """Read it until it is done or failed."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        kind = body(request, NewTrial)["kind"]
        return Response(_trial(trials.request_trial(cluster, kind, request.user)), status=202)


class TrialView(ApiView):
    """One question."""

    @extend_schema(responses=TrialShape, summary="One question and its answer")
    def get(self, request: Request, trial_id: UUID) -> Response:
        """A test shows its steps while it runs."""
        return Response(_trial(get_trial_for_user(request.user, trial_id)))


class TopicsView(ApiView):
    """Topics as last told."""

    @extend_schema(responses=TrialShape, summary="Topics of a cluster, as last told")
    def get(self, request: Request, cluster_id: UUID) -> Response:
        """404 until somebody asked."""
        cluster = get_cluster_for_user(request.user, cluster_id)
        if answer := trials.newest_answer(cluster, Trial.Kind.TOPICS):
            return Response(_trial(answer))
        raise Http404


class EstimatesView(ApiView):
    """Before a capture."""

    scopes = ASKS

    @extend_schema(request=NewEstimate, responses={202: TrialShape}, summary="Estimate a capture")
    def post(self, request: Request, cluster_id: UUID) -> Response:
        """Once it is done, its id starts the capture."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        form = CaptureForm(form_of(body(request, NewEstimate)))
        insist_on_valid(form)
        trial = trials.request_trial(cluster, Trial.Kind.ESTIMATE, request.user, form.ask)
        return Response(_trial(trial), status=202)


def _trial(trial: Trial) -> dict[str, Any]:
    return dict(TrialShape(trial).data)


def _flat(given: dict[str, Any]) -> dict[str, Any]:
    """As the page's form names it."""
    removed = {f"remove_{name}": True for name in given.pop("removed_secrets", ())}
    return {**given, **given.pop("secrets", {}), **removed}


def form_of(given: dict[str, Any]) -> dict[str, Any]:
    """The same of a capture."""
    told = {name: given.get(name) for name in ("topic", "max_mb", "mb_per_second")}
    told["partitions"] = ", ".join(map(str, given.get("partitions", ())))
    for side, place, other in (("start", "first", "earliest"), ("end", "last", "latest")):
        where = given.get(place, {})
        told[f"{side}_offset"], told[f"{side}_time"] = where.get("offset"), where.get("time")
        is_at = {"offset": "offset" in where, "timestamp_ms": "time" in where}
        told[f"{side}_at"] = next((kind for kind, is_so in is_at.items() if is_so), other)
    return told
