"""Looks after what a worker or a browser left behind: every ten seconds, and when a worker starts."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from webapp.journals import deletion, progress, uploads
from webapp.journals.models import Inspection, Upload
from workers.app import app

logger = logging.getLogger(__name__)
State = Inspection.State

MAX_ATTEMPTS = 2
SETTLING = timedelta(seconds=progress.ALIVE_SECONDS)  # a worker that took one up says so within this
LOST_AFTER = timedelta(seconds=5)  # a message on its way from the web to the queue
RESEND_SECONDS = 60  # while a worker may have the message in its hands
LEFTOVER_SECONDS = 3600  # files of an upload that was just announced or is just being unpacked
QUEUE = "celery"
WORKER_STOPPED = (
    "The worker stopped while it was inspecting this journal, and again at the second attempt; it may need more "
    "memory than the server has. Try again, or ask an admin to look into the worker's log."
)


def clean_up() -> None:
    """One round; a part that fails does not keep the others from theirs."""
    parts: tuple[Callable[[], None], ...] = (
        take_up_abandoned,
        send_lost,
        remove_expired_uploads,
        remove_leftovers,
    )
    for part in parts:
        try:
            part()
        except Exception:
            logger.exception("Housekeeping could not finish: %s", part.__name__)


def take_up_abandoned() -> None:
    """Inspections whose worker is gone: into the queue once more, else failed."""
    settled = timezone.now() - SETTLING
    for inspection in Inspection.objects.filter(state=State.RUNNING, started_at__lt=settled):
        if progress.is_alive(inspection.pk):
            continue
        mine = Inspection.objects.filter(pk=inspection.pk, state=State.RUNNING, attempts=inspection.attempts)
        if inspection.attempts >= MAX_ATTEMPTS:
            mine.update(state=State.FAILED, error=WORKER_STOPPED, finished_at=timezone.now())
        elif mine.update(state=State.QUEUED):
            logger.warning("Inspection %s lost its worker and goes back into the queue.", inspection.pk)
            send(inspection)


def send_lost() -> None:
    """Inspections that wait although no message about them is in the queue."""
    waiting = Inspection.objects.filter(state=State.QUEUED, created_at__lt=timezone.now() - LOST_AFTER)
    messages = progress.connection().lrange(QUEUE, 0, -1) if waiting.exists() else []
    for inspection in waiting:
        id_bytes = str(inspection.pk).encode()
        if not any(id_bytes in message for message in messages):
            send(inspection)


def send(inspection: Inspection) -> None:
    """Put an inspection into the queue unless that was just done."""
    mark = progress.key("sent", f"{inspection.pk}:{inspection.attempts}")
    if progress.connection().set(mark, 1, ex=RESEND_SECONDS, nx=True):
        app.send_task("journalscope.inspect", args=[str(inspection.pk)])


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
    rows = Inspection.objects.values_list("pk", "state")
    known = {str(pk): state for pk, state in rows}
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
