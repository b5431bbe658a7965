"""Looks after what a worker or a browser left behind: every ten seconds, and when a worker starts."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from webapp.audit import chain, late
from webapp.clusters.models import Capture
from webapp.journals import deletion, progress, uploads
from webapp.journals.models import Inspection, Repair, Upload
from webapp.review import findings, suppressions, telling
from workers import captures, shares, small_jobs
from workers.app import app
from workers.clock import is_past

logger = logging.getLogger(__name__)
State = Inspection.State

MAX_ATTEMPTS = 2
SETTLING = timedelta(seconds=progress.ALIVE_SECONDS)  # a worker that took one up says so within this
LOST_AFTER = timedelta(seconds=5)  # a message on its way from the web to the queue
RESEND_SECONDS = 60  # while a worker may have the message in its hands
LEFTOVER_SECONDS = 3600  # files of an upload that was just announced or is just being unpacked
QUEUE = "celery"
Work: TypeAlias = Inspection | Repair | Capture
TASKS: dict[type[Work], str] = {
    Inspection: "journalscope.inspect",
    Repair: "journalscope.repair",
    Capture: "journalscope.capture",
}
STOPPED = (
    "The worker stopped while it was {doing} this journal, and again at the second attempt; it may need more memory "
    "than the server has. Try again, or ask an admin to look into the worker's log."
)
WORKER_STOPPED = {
    Inspection: STOPPED.format(doing="inspecting"),
    Repair: STOPPED.format(doing="mending"),
    Capture: "The worker stopped during this capture, and again at the second attempt. What was captured is kept: go "
    "on, or end it here. An admin finds more in the worker's log.",
}


def clean_up() -> None:
    """One round; a part that fails does not keep the others from theirs."""
    parts: tuple[Callable[[], object], ...] = (
        take_up_abandoned,
        send_lost,
        small_jobs.take_up,
        remove_expired_uploads,
        remove_leftovers,
        shares.clean_up,
        captures.clean_up,
        late.bring_in,
        chain.seal,
        findings.catch_up,
        suppressions.end_those_over,
        telling.tell_due,
    )
    for part in parts:
        try:
            part()
        except Exception:
            logger.exception("Housekeeping could not finish: %s", part.__name__)


def take_up_abandoned() -> None:
    """Inspections, repairs and captures whose worker is gone: into the queue once more, else failed."""
    for work in _work(is_past("started_at", SETTLING), state=State.RUNNING):
        if progress.is_alive(work.pk):
            continue
        mine = type(work).objects.filter(pk=work.pk, state=State.RUNNING, attempts=work.attempts)
        if work.attempts >= MAX_ATTEMPTS:
            mine.update(state=State.FAILED, error=WORKER_STOPPED[type(work)], finished_at=timezone.now())
        elif mine.update(state=State.QUEUED):
            logger.warning("%s lost its worker and goes back into the queue: %s.", work.pk, work)
            send(work)


def send_lost() -> None:
    """Inspections, repairs and captures that wait although no message about them is in the queue."""
    waiting = _work(is_past("created_at", LOST_AFTER), state=State.QUEUED)
    messages = progress.connection().lrange(QUEUE, 0, -1) if waiting else []
    for work in waiting:
        id_bytes = str(work.pk).encode()
        if not any(id_bytes in message for message in messages):
            send(work)


def _work(*conditions: Q, **more: Any) -> list[Work]:
    """Rows that tell how far their task came; all models name the states alike."""
    return [work for model in TASKS for work in model.objects.filter(*conditions, **more)]


def send(work: Work) -> None:
    """Put a task into the queue unless that was just done."""
    mark = progress.key("sent", f"{work.pk}:{work.attempts}")
    if progress.connection().set(mark, 1, ex=RESEND_SECONDS, nx=True):
        app.send_task(TASKS[type(work)], args=[str(work.pk)])


def remove_expired_uploads() -> None:
    """Uploads that nothing more arrived for."""
    expired = Upload.objects.filter(blob=None, expires_at__lt=timezone.now()).select_related("journal")
    for upload in expired:
        partial = uploads.partial_path(upload)
        deletion.delete_upload(upload)
        partial.unlink(missing_ok=True)


def remove_leftovers() -> None:
    """Half-made results, scratch and partial uploads that belong to nothing any more."""
    # Folders first: an inspection taken up after this look is not in it.
    results, scratch = _entries(settings.RESULTS_DIR), _entries(settings.SCRATCH_DIR)
    known = {str(pk): state for model in TASKS for pk, state in model.objects.values_list("pk", "state")}
    known |= shares.folders_in_use()
    for folder in results:
        owner = folder.name.removesuffix(".partial")
        is_half_made = folder.name != owner and known.get(owner) != State.RUNNING
        if is_half_made or (owner not in known and _is_old(folder)):
            shutil.rmtree(folder, ignore_errors=True)
    for folder in scratch:
        if folder.name != "spark" and known.get(folder.name) != State.RUNNING and _is_old(folder):
            shutil.rmtree(folder, ignore_errors=True)
    _remove_partial_uploads()


def _remove_partial_uploads() -> None:
    files = _entries(settings.UPLOADS_DIR)
    wanted = {f"{pk}.part" for pk in Upload.objects.filter(blob=None).values_list("pk", flat=True)}
    for file in files:
        if file.name not in wanted and _is_old(file):
            file.unlink(missing_ok=True)


def _entries(folder: str | Path) -> list[Path]:
    return list(Path(folder).iterdir()) if Path(folder).is_dir() else []


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > LEFTOVER_SECONDS
    except FileNotFoundError:
        return False
