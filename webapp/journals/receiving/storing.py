"""Whole uploads that a worker is to store: its message, and why the last try failed. workers/storing.py does it.

journalscope:storing:<upload>    a message was sent within the last minute
journalscope:unstored:<upload>   the sentence of the last try, for as long as the next ones may take
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from django.db.models import F, QuerySet
from redis.exceptions import RedisError

from webapp import celery_client
from webapp.jobs.queues import Queue
from webapp.journals.models import Upload
from webapp.redis_client import connection, key

TASK = "journalscope.store_upload"
MAX_QUICK_BYTES = 1 << 30  # seconds of hashing; a larger file would hold up the queue `quick`
SEND_AGAIN_SECONDS = 60
PROBLEM_SECONDS = 300

logger = logging.getLogger(__name__)


def waiting() -> QuerySet[Upload]:
    """Complete uploads that are not stored."""
    return Upload.objects.filter(blob=None, expires_at=None, received_bytes=F("size_bytes"))


def send(upload: Upload) -> None:
    """Queue the upload, once a minute at most. Without Redis, housekeeping does it later."""
    try:
        if connection().set(key("storing", upload.pk), 1, ex=SEND_AGAIN_SECONDS, nx=True):
            celery_client.send(TASK, str(upload.pk), queue=queue_of(upload))
    except RedisError:
        logger.warning("Redis is not available. Upload %s is stored when it is available again.", upload.pk)


def queue_of(upload: Upload) -> Queue:
    """Large files have a queue of their own."""
    return "quick" if upload.size_bytes <= MAX_QUICK_BYTES else "transfers"


def keep_problem(upload_id: object, sentence: str) -> None:
    """Keep the reason of a failure for the journal's page."""
    connection().set(key("unstored", upload_id), sentence, ex=PROBLEM_SECONDS)


def forget_problem(upload_id: object) -> None:
    connection().delete(key("unstored", upload_id))


def problems(files: Iterable[Upload]) -> list[str]:
    """Reasons of failures, each once; empty without Redis."""
    keys = [key("unstored", upload.pk) for upload in files]
    try:
        sentences: Any = connection().mget(keys) if keys else []
    except RedisError:
        return []
    return sorted({sentence.decode() for sentence in sentences if sentence})
