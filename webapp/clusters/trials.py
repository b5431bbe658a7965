"""Asking a cluster something through a worker, and whether the answer is still on its way."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from webapp.audit.log import record
from webapp.clusters.models import Cluster, Trial
from webapp.jobs import lifecycle
from webapp.jobs.models import ON_ITS_WAY

# a message may wait this long behind inspections before somebody may ask again
PATIENCE = timedelta(minutes=2)
MAX_KEPT = 20  # of each kind and cluster
State = Trial.State


@transaction.atomic
def request_trial(cluster: Cluster, kind: str, user: Any, spec: dict[str, Any] | None = None) -> Trial:
    """Queue a trial, or return the pending one with the same question."""
    spec, now = spec or {}, timezone.now()
    question = lifecycle.question(cluster, [kind, spec])
    late = Trial.objects.filter(question=question, state__in=ON_ITS_WAY, requested_at__lte=now - PATIENCE)
    late.update(state=State.CANCELLED, finished_at=now, lease=None)
    trial, is_new = lifecycle.request(
        Trial, cluster, [kind, spec], cluster=cluster, kind=kind, asked=spec, requested_by=user
    )
    if not is_new:
        return trial
    if kind == Trial.Kind.TRIAL:
        record("cluster.tested", actor=user, project_id=cluster.project_id, target=cluster)
    _forget_old(cluster, kind)
    lifecycle.send(trial)
    return trial


def newest(cluster: Cluster, kind: str) -> Trial | None:
    """The newest trial of this kind in any state."""
    return cluster.trials.filter(kind=kind).select_related("requested_by").first()


def newest_answer(cluster: Cluster, kind: str) -> Trial | None:
    """The newest trial of this kind that has a result."""
    return cluster.trials.filter(kind=kind, state=State.DONE).first()


def is_late(trial: Trial) -> bool:
    """Whether the page should offer to ask again."""
    return not trial.is_over and trial.requested_at < timezone.now() - PATIENCE


def _forget_old(cluster: Cluster, kind: str) -> None:
    old = cluster.trials.filter(kind=kind).values_list("pk", flat=True)[MAX_KEPT:]
    Trial.objects.filter(pk__in=list(old)).delete()
