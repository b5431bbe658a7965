"""Every change of a job's state. Each is one conditional UPDATE, so that a message that comes twice, a page that
cancels, a worker that finishes and one that was given up cannot overwrite each other.

The lease is the fence: whoever takes a job gets a new one, and only who holds it settles the job.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from django.db import models, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from webapp import celery_client
from webapp.jobs import kinds, progress
from webapp.jobs.models import ON_ITS_WAY, Job, SingleJob, State
from webapp.rejected import Rejected

# a worker that just took a job may not have said so yet
SETTLING = timedelta(seconds=progress.ALIVE_SECONDS)
NOT_REACHED = "The job queue is not available. Check that Redis is running, then retry."
J = TypeVar("J", bound=Job)
S = TypeVar("S", bound=SingleJob)


def request(model: type[S], parent: models.Model, details: object, /, **columns: Any) -> tuple[S, bool]:
    """A new job, and True; or the one on its way for the same parent and the same `details`, JSON. Not sent yet.

    The database lets one of several who ask at once make the row.
    """
    return model._default_manager.get_or_create(
        question=question(parent, details), state__in=ON_ITS_WAY, defaults={**columns, "state": State.QUEUED}
    )


def question(parent: models.Model, details: object) -> str:
    """Value of the column `question` for a job on `parent` with these details."""
    text = json.dumps([str(parent.pk), details], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def send(job: Job) -> None:
    """Send the job's message after the transaction commits; housekeeping sends lost messages again."""
    transaction.on_commit(partial(celery_client.send, kinds.of(job).task, str(job.pk)))


def take(model: type[J], job_id: Any, *related: str) -> J | None:
    """The job with a new lease. None if it is over, paused, not needed any more, or taken."""
    waiting = model.needed().filter(pk=job_id, state=State.QUEUED)
    is_taken = waiting.update(
        state=State.RUNNING,
        lease=uuid.uuid4(),
        attempts=F("attempts") + 1,
        started_at=timezone.now(),
        error="",
    )
    return model._default_manager.select_related(*related).get(pk=job_id) if is_taken else None


def held(job: Job) -> QuerySet[Any]:
    """The job's row, if this attempt still holds the lease and the result is still needed."""
    return type(job).needed().filter(pk=job.pk, lease=job.lease, state=State.RUNNING)


def settle(job: Job, state: str, **columns: Any) -> bool:
    """Keep how the attempt ended. False: the job is not this attempt's any more, and nothing is kept.

    Asked again with the same `finished_at`, because the database went away before it answered, it says what it said.
    """
    columns = {"finished_at": timezone.now(), **columns, "state": state}
    settled = type(job)._default_manager.filter(pk=job.pk, state=state, finished_at=columns["finished_at"])
    is_ours = bool(held(job).update(lease=None, **columns)) or settled.exists()
    if is_ours:  # the attempt keeps its lease: the transaction may still fail
        for name, value in columns.items():
            setattr(job, name, value)
    return is_ours


def put_back(job: Job) -> bool:
    """Queue the job again as if it had not been taken; housekeeping sends it."""
    rows = type(job)._default_manager.filter(pk=job.pk, lease=job.lease, state=State.RUNNING)
    fresh = {"state": State.QUEUED, "lease": None, "attempts": F("attempts") - 1, "started_at": None}
    return bool(rows.update(**fresh))


def send_again(rows: QuerySet[Any], job: Job, **columns: Any) -> bool:
    """Queue the job again with a new count of attempts, if it is among `rows`."""
    fresh = {"state": State.QUEUED, "lease": None, "attempts": 0, "error": "", "finished_at": None}
    is_queued = bool(rows.filter(pk=job.pk).update(**fresh, **columns))
    if is_queued:
        send(job)
    return is_queued


def cancel(job: Job) -> None:
    """Immediately if no worker has the job, else when the worker checks for it."""
    rows = type(job)._default_manager.filter(pk=job.pk)
    over = {"state": State.CANCELLED, "finished_at": timezone.now(), "lease": None}
    if rows.filter(state=State.QUEUED).update(**over):
        return
    try:
        progress.ask_to_cancel(job.pk)
    except RedisError as error:
        raise Rejected(NOT_REACHED, 503) from error
    if is_abandoned(job):
        rows.filter(state=State.RUNNING).update(**over)


def replace(job: Job) -> None:
    """A job without a worker counts as failed, since the user starts it again."""
    running = type(job)._default_manager.filter(pk=job.pk, state=State.RUNNING)
    error = kinds.of(job).replaced
    running.update(state=State.FAILED, error=error, finished_at=timezone.now(), lease=None)


def is_abandoned(job: Job) -> bool:
    """Whether the job should be running but no worker reports it."""
    if job.state != State.RUNNING or (job.started_at and job.started_at > timezone.now() - SETTLING):
        return False
    try:
        return not progress.is_alive(job.pk)
    except RedisError:
        return True


def stages_of(job: Job) -> tuple[list[dict[str, Any]], bool]:
    """Stages as the worker last reported them, and whether Redis answered."""
    waiting = [{"name": name, "state": "waiting"} for name in kinds.of(job).stages]
    try:
        reported = progress.read(job.pk)
    except RedisError:
        return waiting, False
    if reported:
        return reported["stages"], True
    return ([] if job.is_over else waiting), True


def place_in_queue(job: Job) -> int:
    """Position among queued jobs of its kind, from 1."""
    column = kinds.of(job).asked_column
    before = {f"{column}__lt": getattr(job, column)}
    return type(job).needed().filter(state=State.QUEUED, **before).count() + 1
