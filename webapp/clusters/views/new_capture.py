"""Before a capture: what to capture, how much that would be, and the start."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.accounts.roles import has_role
from webapp.clusters import captures, estimates, trials
from webapp.clusters.access import captures_for_user, get_cluster_for_user, get_trial_for_user, row_named
from webapp.clusters.capture_form import CaptureForm, initial_of, sentence
from webapp.clusters.models import Cluster, Trial
from webapp.rejected import rejection_as_message


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """The form; a valid one requests an estimate."""
    cluster = get_cluster_for_user(request.user, cluster_id, "support")
    form = CaptureForm(request.POST or None, initial=_initial(request, cluster))
    if request.method == "POST" and form.is_valid():
        trial = trials.request_trial(cluster, Trial.Kind.ESTIMATE, request.user, form.spec)
        return redirect("capture-estimate", trial.pk)
    context = {"cluster": cluster, "form": form, "topics": _topic_names(cluster), "section": "clusters"}
    return render(request, "clusters/ask.html", context, status=422 if form.is_bound else 200)


@require_GET
def estimate(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    trial = _estimate(request, trial_id, "viewer")
    view = estimates.estimate_view(trial.result, trial.asked, trial.cluster.project) if trial.result else None
    context = {
        "cluster": trial.cluster,
        "trial": trial,
        "is_late": trials.is_late(trial),
        "what": sentence(trial.asked),
        "estimate": view,
        "can_ask": has_role(request.user, "support", trial.cluster.project_id),
        "section": "clusters",
    }
    return render(request, "clusters/estimate.html", context)


@require_POST
def start(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    trial = _estimate(request, trial_id, "support")
    if not trial.result:
        messages.error(request, "There is no estimate of this capture. Ask for it again.")
        return redirect("capture-estimate", trial_id)
    needed = trial.result["size_bytes"] or 0
    with rejection_as_message(request):
        made = captures.request_capture(trial.cluster, trial.asked, request.user, estimated_bytes=needed)
        return redirect("capture", made.pk)
    return redirect("capture-estimate", trial_id)


def _estimate(request: HttpRequest, trial_id: UUID, role: str) -> Trial:
    trial = get_trial_for_user(request.user, trial_id, role)
    if trial.kind != Trial.Kind.ESTIMATE:
        raise Http404
    return trial


def _initial(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """From the address: a topic, an estimate to change, or a capture to repeat."""
    if trial := row_named(cluster.trials.filter(kind=Trial.Kind.ESTIMATE), request.GET.get("asked")):
        return initial_of(trial.asked)
    if capture := row_named(
        captures_for_user(request.user).filter(cluster=cluster), request.GET.get("again")
    ):
        return initial_of(capture.asked)
    return {"topic": request.GET.get("topic", "")[:249]}


def _topic_names(cluster: Cluster) -> list[str]:
    answer = trials.newest_answer(cluster, Trial.Kind.TOPICS)
    return [topic["name"] for topic in (answer.result or {}).get("topics", [])] if answer else []
