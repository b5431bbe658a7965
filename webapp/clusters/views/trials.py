"""What a cluster answered: its test step by step, and its topics."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from webapp.accounts.roles import has_role
from webapp.clusters import trials
from webapp.clusters.access import get_cluster_for_user, get_trial_for_user
from webapp.clusters.models import Trial

TOPICS_SHOWN = 500


@require_POST
def test(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    cluster = get_cluster_for_user(request.user, cluster_id, "support")
    trials.request_trial(cluster, Trial.Kind.TRIAL, request.user)
    return redirect("cluster", cluster_id)


@require_GET
def state(request: HttpRequest, trial_id: UUID) -> HttpResponse:
    """The part of the page that htmx polls; the page reloads when there is an answer."""
    trial = get_trial_for_user(request.user, trial_id)
    if trial.kind == Trial.Kind.TRIAL:
        return render(request, "clusters/steps.html", {"trial": trial})
    if trial.is_over:
        return HttpResponseClientRefresh()
    return render(request, "clusters/waiting.html", {"trial": trial, "is_late": trials.is_late(trial)})


@require_POST
def ask_topics(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    cluster = get_cluster_for_user(request.user, cluster_id, "support")
    trials.request_trial(cluster, Trial.Kind.TOPICS, request.user)
    if request.headers.get("HX-Request") == "true":  # the page asks by itself when nobody has
        return HttpResponseClientRefresh()
    return redirect("cluster-topics", cluster_id)


@require_GET
def topics(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """Topics of the last answer: journals first, then others by name."""
    cluster = get_cluster_for_user(request.user, cluster_id)
    newest = trials.newest(cluster, Trial.Kind.TOPICS)
    answer = trials.newest_answer(cluster, Trial.Kind.TOPICS)
    query = request.GET.get("q", "").strip()
    with_internal = request.GET.get("internal") == "1"
    every = (answer.result or {}).get("topics", []) if answer else []
    matches = [topic for topic in every if _is_wanted(topic, query, with_internal=with_internal)]
    context = {
        "cluster": cluster,
        "asked": newest,
        "answer": answer,
        "is_late": newest is not None and trials.is_late(newest),
        "topics": matches[:TOPICS_SHOWN],
        "found_count": len(matches),
        "hidden_count": sum(1 for topic in every if not _is_wanted(topic, "", with_internal=with_internal)),
        "total_count": len(every),
        "query": query,
        "with_internal": with_internal,
        "can_ask": has_role(request.user, "support", cluster.project_id),
        "can_watch": has_role(request.user, "admin", cluster.project_id),
        "section": "clusters",
    }
    return render(request, "clusters/topics.html", context)


def _is_wanted(topic: dict[str, Any], query: str, *, with_internal: bool) -> bool:
    is_shown = with_internal or topic.get("journal") or not topic.get("is_internal")
    return bool(is_shown) and query.lower() in topic["name"].lower()
