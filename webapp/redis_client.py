"""The Redis that carries Celery's messages, progress, signs of life and small caches; names of keys by job."""

from __future__ import annotations

from functools import cache

import redis
from django.conf import settings

CONNECT_SECONDS, ANSWER_SECONDS = 2, 5  # a Redis that is slower counts as away


@cache
def connection() -> redis.Redis:
    """One for the process."""
    limits = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": ANSWER_SECONDS}
    return redis.Redis.from_url(settings.REDIS_URL, **limits)


def key(what: str, job_id: object) -> str:
    """Name of a Redis key of one job."""
    return f"journalscope:{what}:{job_id}"
