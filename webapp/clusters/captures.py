"""Asking for a capture, pausing it, going on, ending it. A worker that is at it reads the row's wish every second."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from webapp.audit.log import record
from webapp.clusters.models import Capture, Cluster, Watch
from webapp.jobs import lifecycle
from webapp.journals.disk import quotas
from webapp.journals.models import Journal
from webapp.journals.templatetags.journalscope import size as in_words
from webapp.rejected import Rejected

State = Capture.State
RequestedAction = Capture.RequestedAction


def request_capture(
    cluster: Cluster,
    spec: dict[str, Any],
    user: Any,
    *,
    estimated_bytes: int = 0,
    watch: Watch | None = None,
) -> Capture:
    """Queue a capture, or return the pending one for the same request. Raises Rejected if the estimate is over a limit."""
    needed = min(estimated_bytes, spec.get("max_bytes") or estimated_bytes)
    if needed > settings.CAPTURE_MAX_BYTES:
        limit = in_words(settings.CAPTURE_MAX_BYTES)
        raise Rejected(
            f"About {in_words(needed)} would be captured; the limit is {limit} (CAPTURE_MAX_BYTES). Choose fewer "
            "partitions, a later beginning, or a limit in bytes.",
            413,
        )
    with transaction.atomic():
        capture, is_new = lifecycle.request(
            Capture, cluster, spec, project=cluster.project, cluster=cluster, cluster_name=cluster.name,
            topic=spec["topic"], asked=spec, requested_by=user, watch=watch,
        )  # fmt: skip
        if not is_new:
            return capture
        quotas.require_room(cluster.project, needed)
        _note("capture.started", capture, user)
        lifecycle.send(capture)
    return capture


def pause(capture: Capture, user: Any) -> None:
    """The worker stops; what was captured stays."""
    row = _row(capture)
    paused = row.filter(state=State.QUEUED).update(state=State.PAUSED, finished_at=timezone.now())
    if paused or row.filter(state=State.RUNNING, wish=RequestedAction.NONE).update(
        wish=RequestedAction.PAUSE
    ):
        _note("capture.paused", capture, user)
    elif not row.filter(wish=RequestedAction.PAUSE).exists():
        raise Rejected("Only a running capture can be paused.", 409)


@transaction.atomic
def resume(capture: Capture, user: Any) -> None:
    """Continue a capture that was paused or failed, even if only storing it is left."""
    if capture.cluster_id is None and capture.journal_id is None:
        raise Rejected(f"The cluster {capture.cluster_name} was removed. It can no longer be queried.", 409)
    waiting = _row(capture).filter(state__in=[State.PAUSED, State.FAILED])
    # without its question: the same capture may have been started meanwhile
    if not lifecycle.send_again(waiting, capture, wish=RequestedAction.NONE, question=None):
        raise Rejected("Only a paused or failed capture can continue.", 409)
    _note("capture.resumed", capture, user)


def stop(capture: Capture, user: Any) -> None:
    """End a capture; what was captured becomes a journal. Raises Rejected if it is over."""
    row = _row(capture)
    nothing = {"state": State.CANCELLED, "finished_at": timezone.now(), "wish": RequestedAction.NONE}
    idle = row.filter(state__in=[State.QUEUED, State.PAUSED, State.FAILED], journal=None)
    is_over = idle.filter(size_bytes=0).update(**nothing)
    if not is_over and not row.filter(state=State.RUNNING).update(wish=RequestedAction.STOP):
        with transaction.atomic():
            if not lifecycle.send_again(idle, capture, wish=RequestedAction.STOP, question=None):
                raise Rejected("This capture has already ended.", 409)
    _note("capture.cancelled", capture, user)


def earlier_journal(capture: Capture) -> Journal | None:
    """The newest journal of the same partitions of the topic, which the new one continues."""
    same = Capture.objects.filter(
        project=capture.project_id, cluster=capture.cluster_id, topic=capture.topic, journal__isnull=False
    ).exclude(pk=capture.pk)
    partitions = capture.asked.get("partitions")
    matches = (
        capture for capture in same.select_related("journal") if capture.asked.get("partitions") == partitions
    )
    newest = next(matches, None) if capture.cluster_id else None
    return newest.journal if newest else None


def _row(capture: Capture) -> QuerySet[Capture]:
    return Capture.objects.filter(pk=capture.pk)


def _note(action: str, capture: Capture, user: Any) -> None:
    record(
        action,
        actor=user,
        project_id=capture.project_id,
        target=capture,
        cluster=capture.cluster_name,
        topic=capture.topic,
    )
