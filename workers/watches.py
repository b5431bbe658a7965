"""Each minute: start the runs of watches that are due. One run at a time; failures make the pauses longer, then end it."""

from __future__ import annotations

import logging

from django.urls import reverse
from django.utils import timezone

from webapp.audit.log import record
from webapp.clusters import captures, watches
from webapp.clusters.models import Capture, Watch
from webapp.notifications.events import notify
from webapp.rejected import Rejected

logger = logging.getLogger(__name__)
State = Capture.State


def start_due() -> None:
    """One round; a watch that cannot be started does not keep the others from theirs."""
    due = Watch.objects.filter(is_on=True, next_at__lte=timezone.now())
    for watch in due.select_related("cluster__project", "last_capture", "created_by"):
        try:
            _start(watch)
        except Exception:
            logger.exception("Watch %s could not be started.", watch.pk)


def begin_afresh(capture: Capture) -> None:
    """A run that did not go on where the last one stopped: everything is captured again."""
    watch = capture.watch
    if watch is None or capture.cluster is None:
        return
    try:
        watches.run_afresh(watch, capture.requested_by)
    except Rejected as refusal:
        _fail(watch, str(refusal))


def _start(watch: Watch) -> None:
    """Start or resume a run; nothing while one is under way, or where another process was quicker."""
    if watches.unfinished_run(watch):
        return
    failed = watch.last_capture if watch.last_capture and watch.last_capture.state == State.FAILED else None
    failures = _failures(watch, failed)
    if not _claimed(watch, failures):
        return
    if failures >= watches.MAX_FAILURES:
        _switch_off(watch, failed.error if failed else "")
        return
    try:
        if failed and failed.journal_id is None:
            captures.resume(failed, watch.created_by)
        else:
            watches.run_now(watch, watch.created_by)
    except Rejected as refusal:
        _fail(watch, str(refusal))


def _failures(watch: Watch, failed: Capture | None) -> int:
    """Failures in a row. An error of the watch itself means that its last run could not begin: `_fail` has counted that, while
    the last capture is still an older one that did not fail."""
    if failed:
        return watch.failures + 1
    return watch.failures if watch.error else 0


def _claimed(watch: Watch, failures: int) -> bool:
    """Whether this round is ours; its next run is set then."""
    still_due = Watch.objects.filter(pk=watch.pk, is_on=True, next_at=watch.next_at)
    next_at = timezone.now() + watches.wait_after(watch, failures)
    return bool(still_due.update(next_at=next_at, failures=failures))


def _fail(watch: Watch, why: str) -> None:
    """For a run that could not start."""
    failures = watch.failures + 1
    next_at = timezone.now() + watches.wait_after(watch, failures)
    Watch.objects.filter(pk=watch.pk).update(failures=failures, error=why, next_at=next_at)
    if failures >= watches.MAX_FAILURES:
        _switch_off(watch, why)


def _switch_off(watch: Watch, why: str) -> None:
    """No more runs until somebody switches it on; people hear of it."""
    Watch.objects.filter(pk=watch.pk).update(is_on=False, error=why)
    project_id = watch.cluster.project_id
    record("watch.gave_up", project_id=project_id, target=watch, topic=watch.topic)
    notify(
        "watch_stopped",
        project_id=project_id,
        subject=f"The watch of {watch.topic} of {watch.cluster.name} was switched off",
        text=f"Its last {watches.MAX_FAILURES} runs failed. {why} After you have corrected this, switch it on again.",
        path=reverse("watch", args=[watch.pk]),
        dedupe_key=f"watch_stopped:{watch.pk}:{timezone.now():%Y-%m-%dT%H:%M}",
        severity="medium",
        about=f"watch:{watch.pk}",
    )
