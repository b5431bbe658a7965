"""What the worker tells about a running job, and how the job hears that it shall stop.

While Redis is away nothing is told and nothing is heard; the work continues. The keys and the form of the JSON are those
of `webapp.jobs.progress`, which the pages read.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis.exceptions import RedisError

from webapp.jobs.progress import PROGRESS_SECONDS
from webapp.redis_client import connection, key

logger = logging.getLogger(__name__)


class Stopped(Exception):
    """The job shall end early."""


class Cancelled(Stopped):
    """Somebody asked for it."""


class WorkerStops(Stopped):
    """The worker shuts down; the job is queued again."""


class LeaseLost(Stopped):
    """Another attempt has taken the job, since this worker was silent for too long."""


class Progress:
    """The stages of one job; safe to use from the thread that works and those that watch."""

    def __init__(self, job_id: object, stages: Sequence[str]) -> None:
        self.job_id = job_id
        self._lock = threading.Lock()
        self._stages: list[dict[str, Any]] = [_waiting(name) for name in stages]
        self._current: dict[str, Any] | None = None
        self._began = time.monotonic()
        self._stop: Stopped | None = None

    def stage(self, name: str, note: str = "") -> None:
        """Start a stage; the one before it is done."""
        with self._lock:
            self._finish_current()
            self._current = next(stage for stage in self._stages if stage["name"] == name)
            self._current.update(state="running", note=note)
            self._began = time.monotonic()
        self.publish()

    def tasks(self, done: int, total: int) -> None:
        """Progress of the running stage."""
        with self._lock:
            if self._current is None or (self._current["done"], self._current["total"]) == (done, total):
                return
            self._current.update(done=done, total=total)
        self.publish()

    def finish(self) -> None:
        with self._lock:
            self._finish_current()
        if self._stages:
            self.publish()

    def stop(self, why: Stopped) -> None:
        """Ask the working thread to end at its next check."""
        self._stop = self._stop or why

    @property
    def seconds(self) -> dict[str, float]:
        """Duration of each finished stage."""
        return {stage["name"]: float(stage["seconds"]) for stage in self._stages if stage["state"] == "done"}

    @property
    def log(self) -> list[dict[str, Any]]:
        """Stages that have begun, the running one with its time so far."""
        with self._lock:
            begun = [dict(stage) for stage in self._stages if stage["state"] != "waiting"]
            if begun and begun[-1]["state"] == "running":
                begun[-1] |= {"state": "done", "seconds": round(time.monotonic() - self._began, 2)}
        return begun

    @property
    def current(self) -> str | None:
        return self._current["name"] if self._current else None

    @property
    def shall_stop(self) -> bool:
        return self._stop is not None

    @property
    def is_cancelled(self) -> bool:
        """Whether the result is not wanted any more, even if it is complete."""
        return isinstance(self._stop, Cancelled)

    def raise_if_cancelled(self) -> None:
        """Raises Stopped."""
        if self._stop is not None:
            raise self._stop

    def publish(self) -> None:
        """Write the stages to Redis."""
        with self._lock:
            if self._current is not None and self._current["state"] == "running":
                self._current["seconds"] = round(time.monotonic() - self._began, 2)
            name = self._current["name"] if self._current else None
            text = json.dumps({"stage": name, "stages": self._stages})
        with unreachable_is_fine():
            connection().set(key("progress", self.job_id), text, ex=PROGRESS_SECONDS)

    def _finish_current(self) -> None:
        if self._current is not None:
            self._current.update(state="done", seconds=round(time.monotonic() - self._began, 2))
            self._current["done"] = self._current["total"]


def _waiting(name: str) -> dict[str, Any]:
    return {"name": name, "state": "waiting", "done": 0, "total": 0, "seconds": 0, "note": ""}


@contextmanager
def unreachable_is_fine() -> Iterator[None]:
    """Progress is not reported while Redis is away."""
    try:
        yield
    except RedisError:
        logger.debug("Redis does not answer.", exc_info=True)
