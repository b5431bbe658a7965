"""The Redis that carries Celery's messages, progress, signs of life and small caches; names of keys by job.

A Redis that hangs (a stopped process, a full machine) holds no page up: one command waits for ANSWER_SECONDS, and for
AWAY_SECONDS after it nobody asks. Workers, who have nothing to do without it, wait for PATIENT_SECONDS each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Self

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

ANSWER_SECONDS, PATIENT_SECONDS = 0.4, 5.0  # for a connection, and for the answer to a command
AWAY_SECONDS = 5.0


class ShortCircuit(Retry):
    """No retries, and no commands at all while Redis is away. Shared by all connections and threads."""

    def __init__(self) -> None:
        super().__init__(NoBackoff(), 0)
        self._away_until = 0.0

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    @property
    def is_open(self) -> bool:
        """Whether Redis counts as unavailable."""
        return time.monotonic() < self._away_until

    def open(self) -> None:
        """After a timeout."""
        self._away_until = time.monotonic() + AWAY_SECONDS

    def close(self) -> None:
        self._away_until = 0.0

    def call_with_retry(self, do: Callable[[], Any], fail: Callable[..., Any], *args: Any, **how: Any) -> Any:
        """Called by redis-py for each connection and command. Raises ConnectionError, TimeoutError."""
        if self.is_open:
            raise redis.ConnectionError("Redis did not answer in time a moment ago.")
        try:
            return super().call_with_retry(do, fail, *args, **how)
        except redis.TimeoutError:
            self.open()
            raise


short_circuit = ShortCircuit()
_is_worker = False


def limits() -> dict[str, Any]:
    """Timeouts and retries of this process's connections, for redis-py."""
    if _is_worker:
        return _waiting(PATIENT_SECONDS, Retry(NoBackoff(), 0))
    return _waiting(ANSWER_SECONDS, short_circuit)


def _waiting(seconds: float, retry: Retry) -> dict[str, Any]:
    return {"socket_connect_timeout": seconds, "socket_timeout": seconds, "retry": retry}


@cache
def connection() -> redis.Redis:
    """One connection pool per process."""
    return redis.Redis.from_url(settings.REDIS_URL, **limits())


def patient() -> redis.Redis:
    """A new connection for commands that take long on the server."""
    return redis.Redis.from_url(settings.REDIS_URL, **_waiting(PATIENT_SECONDS, Retry(NoBackoff(), 0)))


def be_worker() -> None:
    global _is_worker
    _is_worker = True
    connection.cache_clear()


def key(purpose: str, job_id: object) -> str:
    return f"journalscope:{purpose}:{job_id}"
