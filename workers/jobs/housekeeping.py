"""Looks after what a worker or a browser left behind: every ten seconds, and when a worker starts."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from webapp import celery_client
from webapp.audit import chain, spool
from webapp.jobs import kinds, lifecycle, progress, results
from webapp.jobs.kinds import Kind
from webapp.jobs.models import Job, State
from webapp.jobs.queues import OLD_QUEUE
from webapp.journals import deletion, uploads
from webapp.journals.models import Upload
from webapp.journals.receiving import partial_file, storing
from webapp.redis_client import connection, key
from webapp.review import findings, notices, suppressions
from webapp.search import index

logger = logging.getLogger(__name__)

CLOCKS_APART = timedelta(seconds=5)  # by which the clocks of web server and worker may differ
LOST_AFTER = timedelta(seconds=5)  # a message on its way from the web to the queue
RESEND_SECONDS = 60  # while a worker may have the message in its hands
LEFTOVER_SECONDS = 3600  # files of an upload that was just announced or is just being unpacked


def clean_up() -> None:
    """One round; a step that fails does not prevent the others."""
    parts: tuple[Callable[[], object], ...] = (
        take_up_abandoned,
        send_lost,
        send_unstored,
        remove_expired_uploads,
        remove_leftovers,
        remove_stored_leftovers,
        *(kind.clean_up for kind in kinds.all_kinds()),
        spool.bring_in,
        chain.seal,
        findings.catch_up,
        index.catch_up,
        suppressions.end_those_over,
        notices.notify_due,
    )
    for step in parts:
        try:
            step()
        except Exception:
            logger.exception("Housekeeping could not finish: %s", step.__qualname__)


def take_up_abandoned() -> None:
    """Queue jobs again whose worker is gone, or fail them after too many attempts."""
    # a worker has reported a job that it took longer ago
    is_settled = Q(started_at=None) | is_past("started_at", lifecycle.SETTLING)
    for kind, job in _jobs_in(State.RUNNING, lambda _: is_settled):
        if progress.is_alive(job.pk):
            continue
        lost = _same_attempt(job)
        if job.attempts >= kind.max_attempts:
            error = {"error": kind.worker_lost, "finished_at": timezone.now()}
            lost.update(state=State.FAILED, lease=None, **error)
        elif lost.update(state=State.QUEUED, lease=None):
            logger.warning("The %s %s lost its worker and is queued again.", kind.name, job.pk)
            send(kind, job)


def is_past(column: str, age: timedelta) -> Q:
    """Rows whose time is older than this, or later than now: they were written before the clock was set back."""
    now = timezone.now()
    return Q(**{f"{column}__lt": now - age}) | Q(**{f"{column}__gt": now + CLOCKS_APART})


def _same_attempt(job: Job) -> QuerySet[Job]:
    rows = type(job)._default_manager.filter(pk=job.pk, state=State.RUNNING)
    return rows.filter(lease=job.lease, attempts=job.attempts)


def send_lost() -> None:
    """Send jobs again that wait without a message in their queue."""
    for kind, job in _jobs_in(State.QUEUED, lambda kind: is_past(kind.asked_column, LOST_AFTER)):
        id_bytes = str(job.pk).encode()
        if not any(id_bytes in message for message in _messages(kind)):
            send(kind, job)


def _messages(kind: Kind) -> Iterator[bytes]:
    for name in (kind.queue, OLD_QUEUE):
        messages: Any = connection().lrange(name, 0, -1)
        yield from messages


def _jobs_in(state: str, condition: Callable[[Kind], Q]) -> Iterator[tuple[Kind, Job]]:
    """Jobs of all kinds in this state whose result is still needed."""
    for kind in kinds.all_kinds():
        for job in kind.model.needed().filter(condition(kind), state=state):
            yield kind, job


def send(kind: Kind, job: Job) -> None:
    """Send the job's message, unless that was just done."""
    mark = key("sent", f"{job.pk}:{job.attempts}")
    if connection().set(mark, 1, ex=RESEND_SECONDS, nx=True):
        celery_client.send(kind.task, str(job.pk))


def send_unstored() -> None:
    """Send complete uploads again whose message was lost or that could not be stored."""
    for upload in storing.waiting():
        storing.send(upload)


def remove_expired_uploads() -> None:
    """Delete expired uploads; complete ones left by a crash are stored instead."""
    expired = Upload.objects.filter(blob=None, expires_at__lt=timezone.now()).select_related("journal")
    for upload in expired:
        if uploads.partial_bytes(upload) == upload.size_bytes:
            partial_file.note(upload)
        else:
            deletion.delete_upload(upload)


def remove_leftovers() -> None:
    """Delete results, scratch folders and partial uploads without a row."""
    # Folders first: an attempt that begins after this look is not in it.
    folders, scratch = _entries(settings.RESULTS_DIR), _entries(settings.SCRATCH_DIR)
    ids, running = _ids_and_attempts()
    for folder in folders:
        is_half_made = (
            folder.name.endswith(".partial") and folder.name.removesuffix(".partial") not in running
        )
        is_nobodys = not folder.name.endswith(".partial") and folder.name not in ids and _is_old(folder)
        if is_half_made or is_nobodys:
            shutil.rmtree(folder, ignore_errors=True)
    for folder in scratch:
        if folder.name != "spark" and folder.name not in running and _is_old(folder):
            shutil.rmtree(folder, ignore_errors=True)
    _remove_partial_uploads()


def remove_stored_leftovers() -> None:
    """Once an hour: results in a store that belong to nothing any more, and copies of them.

    Not where the database knows none of them: it is empty, or they are another site's.
    """
    if not settings.RESULTS_URL or not connection().set(
        key("sweep", "results"), 1, ex=LEFTOVER_SECONDS, nx=True
    ):
        return
    names = results.stored_names()
    ids, _ = _ids_and_attempts()
    if names & ids:
        results.remove_stored(names - ids)


def _ids_and_attempts() -> tuple[set[str], set[str]]:
    """Ids of jobs that may have a result, and `<id>.<lease>` of running attempts."""
    ids: set[str] = set()
    running: set[str] = set()
    for kind in kinds.all_kinds():
        for pk, lease in kind.model.needed().values_list("pk", "lease"):
            ids.add(str(pk))
            running.add(f"{pk}.{lease}")
    return ids, running


def _remove_partial_uploads() -> None:
    files = _entries(settings.UPLOADS_DIR)
    needed = {f"{pk}.part" for pk in Upload.objects.filter(blob=None).values_list("pk", flat=True)}
    for file in files:
        if file.name not in needed and _is_old(file):
            file.unlink(missing_ok=True)


def _entries(folder: str | Path) -> list[Path]:
    return list(Path(folder).iterdir()) if Path(folder).is_dir() else []


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > LEFTOVER_SECONDS
    except FileNotFoundError:
        return False
