"""Watches: a capture that is repeated. Starting and changing one, and what its next run asks for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from webapp.audit.log import record
from webapp.clusters import captures
from webapp.clusters.models import Capture, Cluster, Watch
from webapp.rejected import Rejected

MAX_FAILURES = 5  # in a row; then it is switched off
MAX_WAIT = timedelta(days=1)  # after failures
State = Capture.State
UNFINISHED = (State.QUEUED, State.RUNNING, State.PAUSED)


@transaction.atomic
def start(cluster: Cluster, spec: dict[str, Any], every_minutes: int, user: Any) -> Watch:
    """Create a watch whose first run is due now. Raises Rejected if the topic is watched already."""
    topic = spec["topic"]
    if Watch.objects.select_for_update().filter(cluster=cluster, topic=topic).exists():
        raise Rejected(f"{topic} of {cluster.name} is watched already. Change that watch.", 409)
    watch = Watch.objects.create(
        cluster=cluster, topic=topic, asked=spec, every_minutes=every_minutes, created_by=user
    )
    _note("watch.started", watch, user, every_minutes=every_minutes)
    return watch


@transaction.atomic
def change(watch: Watch, every_minutes: int, is_on: bool, user: Any) -> None:
    """A watch that is switched on runs immediately and its failures are reset."""
    begins = is_on and not watch.is_on
    soonest = (
        timezone.now() if begins else min(watch.next_at, timezone.now() + timedelta(minutes=every_minutes))
    )
    fresh = {"failures": 0, "error": "", "last_capture": None} if begins else {}
    Watch.objects.filter(pk=watch.pk).update(
        every_minutes=every_minutes, is_on=is_on, next_at=soonest, **fresh
    )
    _note("watch.changed", watch, user, every_minutes=every_minutes, is_on=is_on)


@transaction.atomic
def remove(watch: Watch, user: Any) -> None:
    """Ends the runs; what was captured stays."""
    _note("watch.removed", watch, user)
    watch.delete()


def run_now(watch: Watch, user: Any) -> Capture:
    """Run before it is due. Raises Rejected during a run."""
    _require_none_unfinished(watch)
    return _captured(watch, next_spec(watch), user)


def run_afresh(watch: Watch, user: Any) -> Capture:
    """Capture everything again that the broker has now. Raises Rejected during a run."""
    _require_none_unfinished(watch)
    return _captured(watch, watch.asked, user)


def next_spec(watch: Watch) -> dict[str, Any]:
    """Starts where the newest completed run stopped; the first spec if there is none."""
    last = journal_runs(watch).first()
    if last is None or not last.manifest:
        return dict(watch.asked)
    offsets = {str(row["partition"]): row["got"]["next_offset"] for row in last.manifest["partitions"]}
    topic_id = last.manifest["topic"].get("id")
    return {**watch.asked, "start": {"offsets": offsets}, "topic_id": topic_id}


def journal_runs(watch: Watch) -> QuerySet[Capture]:
    """Runs that became a journal, newest first."""
    return watch.captures.exclude(journal=None).exclude(manifest=None).order_by("-created_at")


def unfinished_run(watch: Watch) -> Capture | None:
    """The run that is queued, running or paused."""
    return watch.captures.filter(state__in=UNFINISHED).order_by("-created_at").first()


def wait_after(watch: Watch, failures: int) -> timedelta:
    """Time to the next run: doubled after each failure in a row, at most a day, at least the schedule."""
    usual = timedelta(minutes=watch.every_minutes)
    return max(usual, min(usual * 2**failures, MAX_WAIT))


def _captured(watch: Watch, spec: dict[str, Any], user: Any) -> Capture:
    with transaction.atomic():
        made = captures.request_capture(watch.cluster, spec, user, watch=watch)
        Watch.objects.filter(pk=watch.pk).update(last_capture=made, error="")
    return made


def _require_none_unfinished(watch: Watch) -> None:
    if unfinished := unfinished_run(watch):
        raise Rejected(
            f"A run of this watch is {unfinished.state} already. Wait until it ends, or end it.", 409
        )


def _note(action: str, watch: Watch, user: Any, **detail: Any) -> None:
    record(
        action,
        actor=user,
        project_id=watch.cluster.project_id,
        target=watch,
        cluster=watch.cluster.name,
        topic=watch.topic,
        **detail,
    )
