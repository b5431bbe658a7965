"""Clusters and what they are asked."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.request import Request

from webapp.accounts.access import get_administered_project, get_project_for_user
from webapp.api.clusters.serializers import (
    ClusterChange,
    ClusterShape,
    NewAdvice,
    NewCluster,
    NewEstimate,
    NewTrial,
    TrialShape,
    TrialsQuery,
)
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource, require_valid
from webapp.clusters import changes, trials
from webapp.clusters.access import get_cluster_for_user, get_trial_for_user
from webapp.clusters.capture_form import CaptureForm
from webapp.clusters.forms import ClusterForm
from webapp.clusters.models import Cluster, Trial


class ClusterViewSet(Resource):
    """Clusters."""

    lookup_url_kwarg = "cluster_id"

    @operation("Clusters of a project", page=ClusterShape, order=("name", "pk"))
    def of_project(self, request: Request, slug: str) -> QuerySet[Cluster]:
        """By name."""
        return get_project_for_user(request.user, slug).clusters.select_related("project", "created_by")

    @operation("Connect a cluster", scope="admin", body=NewCluster, answer=ClusterShape, status=201)
    def connect(self, request: Request, slug: str) -> Cluster:
        """Nothing is asked of it yet."""
        project = get_administered_project(request.user, slug)
        form = ClusterForm(project, _flat(self.payload))
        require_valid(form)
        return changes.connect(project, request.user, form.members, form.secrets)

    @operation("One cluster", answer=ClusterShape)
    def retrieve(self, request: Request, cluster_id: UUID) -> Cluster:
        """Without its secrets."""
        return get_cluster_for_user(request.user, cluster_id)

    @operation("Change a cluster", scope="admin", body=ClusterChange, answer=ClusterShape)
    def partial_update(self, request: Request, cluster_id: UUID) -> Cluster:
        """What is left out stays; a secret that would be sent elsewhere has to be given again."""
        cluster = get_cluster_for_user(request.user, cluster_id, "admin")
        present = {name: getattr(cluster, name) for name in ClusterForm.Meta.fields}
        written = get_cluster_for_user(request.user, cluster_id)
        form = ClusterForm(cluster.project, present | _flat(self.payload), instance=written)
        require_valid(form)
        changes.change(cluster, request.user, form.members, form.secrets)
        return cluster

    @operation("Remove a cluster", scope="admin", status=204)
    def destroy(self, request: Request, cluster_id: UUID) -> None:
        """With its secrets and watches; what was captured stays. 409 while a capture is being ended."""
        changes.remove(get_cluster_for_user(request.user, cluster_id, "admin"), request.user)


class TrialViewSet(Resource):
    """Questions to a cluster."""

    lookup_url_kwarg = "trial_id"

    @operation("One question and its answer", answer=TrialShape)
    def retrieve(self, request: Request, trial_id: UUID) -> Trial:
        """A test shows its steps while it runs."""
        return get_trial_for_user(request.user, trial_id)

    @operation("What a cluster was asked", query=TrialsQuery, page=TrialShape, order=("-requested_at", "-pk"))
    def of_cluster(self, request: Request, cluster_id: UUID) -> QuerySet[Trial]:
        """The newest first; the last few of each kind are kept."""
        kinds = {"kind": self.params["kind"]} if "kind" in self.params else {}
        return get_cluster_for_user(request.user, cluster_id).trials.filter(**kinds)

    @operation(
        "Test a cluster, or ask its topics", scope="inspect", body=NewTrial, answer=TrialShape, status=202
    )
    def start(self, request: Request, cluster_id: UUID) -> Trial:
        """Read it until it is done or failed."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        return trials.request_trial(cluster, self.payload["kind"], request.user)

    @operation("Topics of a cluster, as last listed", answer=TrialShape, id="clusters_topics_list")
    def topics(self, request: Request, cluster_id: UUID) -> Trial:
        """404 until somebody asked."""
        cluster = get_cluster_for_user(request.user, cluster_id)
        if answer := trials.newest_answer(cluster, Trial.Kind.TOPICS):
            return answer
        raise Http404

    @operation("Estimate a capture", scope="inspect", body=NewEstimate, answer=TrialShape, status=202)
    def estimate(self, request: Request, cluster_id: UUID) -> Trial:
        """Once it is done, its id starts the capture."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        form = CaptureForm(capture_values(self.payload))
        require_valid(form)
        return trials.request_trial(cluster, Trial.Kind.ESTIMATE, request.user, form.spec)

    @operation("Ask for format advice", scope="inspect", body=NewAdvice, answer=TrialShape, status=202)
    def advise(self, request: Request, cluster_id: UUID) -> Trial:
        """Read the trial until it is done; its result is that of docs/watches.md."""
        cluster = get_cluster_for_user(request.user, cluster_id, "support")
        return trials.request_trial(cluster, Trial.Kind.ADVICE, request.user, dict(self.payload))


def _flat(payload: dict[str, Any]) -> dict[str, Any]:
    """Names of the page's form."""
    removed = {f"remove_{name}": True for name in payload.get("removed_secrets", ())}
    members = {name: value for name, value in payload.items() if name not in ("removed_secrets", "secrets")}
    return {**members, **payload.get("secrets", {}), **removed}


def capture_values(payload: dict[str, Any]) -> dict[str, Any]:
    """Names of the page's form for a capture."""
    values = {name: payload.get(name) for name in ("topic", "max_mb", "mb_per_second")}
    values["partitions"] = ", ".join(map(str, payload.get("partitions", ())))
    for side, name, otherwise in (("start", "first", "earliest"), ("end", "last", "latest")):
        position = payload.get(name, {})
        values[f"{side}_offset"], values[f"{side}_time"] = position.get("offset"), position.get("time")
        is_at = {"offset": "offset" in position, "timestamp_ms": "time" in position}
        values[f"{side}_at"] = next((kind for kind, is_so in is_at.items() if is_so), otherwise)
    return values
