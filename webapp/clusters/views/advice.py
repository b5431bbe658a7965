"""The format advisor of a live cluster: what its brokers and one of its topics mean for clients and upgrades."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.roles import has_role
from webapp.clusters import trials
from webapp.clusters.access import get_cluster_for_user
from webapp.clusters.capture_form import TOPIC
from webapp.clusters.models import Trial

SETTINGS = (
    "inter.broker.protocol.version",
    "log.message.format.version",
    "message.format.version",
    "message.downconversion.enable",
    "cleanup.policy",
    "unclean.leader.election.enable",
)


@require_GET
def advice(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """The newest answer about a topic; without a topic, the form."""
    cluster = get_cluster_for_user(request.user, cluster_id)
    topic = request.GET.get("topic", "")[:249]
    requested = cluster.trials.filter(kind=Trial.Kind.ADVICE, asked__topic=topic)
    requested = requested.select_related("requested_by")
    answered = requested.filter(state=Trial.State.DONE).first()
    newest = requested.first()
    context = {
        "cluster": cluster,
        "topic": topic,
        "trial": newest,
        "is_late": newest is not None and trials.is_late(newest),
        "answer": answered,
        "result": answered.result if answered else None,
        "settings": _settings(answered.result or {}) if answered else [],
        "can_ask": has_role(request.user, "support", cluster.project_id),
        "section": "clusters",
    }
    return render(request, "clusters/advice.html", context)


@require_POST
def ask(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    cluster = get_cluster_for_user(request.user, cluster_id, "support")
    topic = request.POST.get("topic", "").strip()
    address = reverse("cluster-advice", args=[cluster_id])
    if not TOPIC.fullmatch(topic):
        messages.error(request, "Name one of the cluster's topics.")
        return redirect(address)
    trials.request_trial(cluster, Trial.Kind.ADVICE, request.user, {"topic": topic})
    return redirect(f"{address}?{urlencode({'topic': topic})}")


def _settings(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(owner, name, value) of settings that determine message formats; unset ones last."""
    configs_by_owner = [
        (f"broker {broker['node']}", broker.get("configs") or {}) for broker in result.get("brokers", [])
    ]
    configs_by_owner.append(("topic", (result.get("topic") or {}).get("configs") or {}))
    return [
        (whose, name, f"{config['value']} ({config['source']})")
        for whose, configs in configs_by_owner
        for name in SETTINGS
        if (config := configs.get(name)) and config.get("value") is not None
    ]
