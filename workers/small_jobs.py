"""Comparisons, questions to clusters and shared links that lost their message or their worker.

Their tasks know no attempts. One that runs without a sign of life goes back into the queue, a few times; one that is
queued although its message is gone is sent again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Model, QuerySet

from webapp.clusters.models import Trial
from webapp.journals import progress
from webapp.journals.models import Comparison
from webapp.sharing.models import Share
from workers.app import app
from workers.clock import is_past
from workers.progress import is_alive

logger = logging.getLogger(__name__)
QUEUED, RUNNING, FAILED = "queued", "running", "failed"
QUEUE = "celery"

LOST_AFTER = timedelta(seconds=30)  # a message that a worker has in its hands
SETTLING = timedelta(seconds=progress.ALIVE_SECONDS)  # a worker that took one up says so within this
RESEND_SECONDS = 30
MAX_LOST_WORKERS = 2
REMEMBERED_SECONDS = 24 * 3600
STOPPED = "The worker stopped during this {what}, and again at the second attempt. Try again, or ask an admin to look into the worker's log."


@dataclass(frozen=True)
class Kind:
    """One kind: its rows, its task, and the column that says since when it waits or runs."""

    model: type[Model]
    task: str
    what: str
    asked: str = "requested_at"
    started: str = "requested_at"
    over: tuple[str, ...] = ()  # columns that are set once nobody wants it

    def rows(self, state: str) -> QuerySet[Any]:
        """Those in a state that somebody still wants."""
        found: QuerySet[Any] = self.model._default_manager.filter(state=state)
        return found.filter(**{f"{column}__isnull": True for column in self.over})


KINDS = (
    Kind(Comparison, "journalscope.compare", "comparison"),
    Kind(Trial, "journalscope.try_cluster", "question to the cluster"),
    Kind(
        Share,
        "journalscope.share",
        "shared link",
        "created_at",
        "started_at",
        ("revoked_at", "source_deleted_at"),
    ),
)


def take_up() -> None:
    """One round, for housekeeping."""
    for kind in KINDS:
        take_up_abandoned(kind)
        send_lost(kind)


def take_up_abandoned(kind: Kind) -> None:
    """Running without a sign of life: into the queue again, else failed."""
    for row in kind.rows(RUNNING).filter(is_past(kind.started, SETTLING)):
        if progress.is_alive(row.pk):
            continue
        mine = kind.rows(RUNNING).filter(pk=row.pk)
        if workers_lost(row.pk) >= MAX_LOST_WORKERS:
            mine.update(state=FAILED, error=STOPPED.format(what=kind.what))
        elif mine.update(state=QUEUED):
            logger.warning("The %s %s lost its worker and is queued again.", kind.what, row.pk)
            send(kind, row)


def workers_lost(work_id: object) -> int:
    """How many workers it lost, this one included."""
    name = progress.key("lost", work_id)
    count = int(progress.connection().incr(name))
    progress.connection().expire(name, REMEMBERED_SECONDS)
    return count


def send_lost(kind: Kind) -> None:
    """Queued for a while, and no message about it is in the queue."""
    waiting = list(kind.rows(QUEUED).filter(is_past(kind.asked, LOST_AFTER)))
    messages = progress.connection().lrange(QUEUE, 0, -1) if waiting else []
    for row in waiting:
        id_bytes = str(row.pk).encode()
        if not any(id_bytes in message for message in messages):
            send(kind, row)


def send(kind: Kind, row: Any) -> None:
    """Put its task into the queue unless that was just done, or a worker has it in its hands."""
    mark = progress.key("sent", row.pk)
    if not is_alive(row.pk) and progress.connection().set(mark, 1, ex=RESEND_SECONDS, nx=True):
        app.send_task(kind.task, args=[str(row.pk)])
