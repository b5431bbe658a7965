"""One thread of the process says that the process lives, and that each of its attempts does; it hears the words to stop.

    journalscope:alive:<job>           the attempt's lease, renewed every second: `webapp.jobs.progress`
    journalscope:worker:<host>:<pid>   the process, every few seconds: `webapp.operations.heartbeats`

The sign of life carries the lease, so that an attempt that stalled, and whose job another one took, neither renews nor
deletes the other's: it hears that it shall stop instead. A new attempt overwrites what an earlier one left.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from webapp.jobs.models import Job
from webapp.jobs.progress import ALIVE_SECONDS
from webapp.operations import heartbeats
from webapp.redis_client import connection, key
from workers.jobs.progress import Cancelled, LeaseLost, Progress, WorkerStops, unreachable_is_fine

logger = logging.getLogger(__name__)

RENEW_SECONDS = 1.0
# KEYS: alive, cancel; ARGV: lease, seconds. -> [whether the lease holds, whether to cancel]
RENEW = """
local lease = redis.call('get', KEYS[1])
if lease and lease ~= ARGV[1] then return {0, 0} end
redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {1, redis.call('exists', KEYS[2])}
"""
DROP = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1], KEYS[2]) end"
_attempts: dict[str, tuple[Job, Progress]] = {}  # by lease
_changing = threading.Lock()
_thread: threading.Thread | None = None
_process: tuple[int, Sequence[str]] | None = None  # when it began, in ms, and the queues that it serves
_stopping = threading.Event()


def begin(queues: Sequence[str]) -> None:
    """Report this process as a worker until `end`."""
    global _process
    _process = int(time.time() * 1000), queues
    with unreachable_is_fine():
        beat()
    _ensure_thread()


def end() -> None:
    global _process
    _process = None
    with unreachable_is_fine():
        connection().delete(heartbeats.key(socket.gethostname(), os.getpid()))


def stop() -> None:
    """Shut down: all attempts are asked to end, also those that begin later."""
    _stopping.set()
    for _, progress in list(_attempts.values()):
        progress.stop(WorkerStops())


def is_stopping() -> bool:
    return _stopping.is_set()


@contextmanager
def attempting(job: Job, progress: Progress) -> Iterator[None]:
    """Renew the job's lease while the block runs, and check for cancellation."""
    lease = str(job.lease)
    with unreachable_is_fine():
        connection().set(key("alive", job.pk), lease, ex=ALIVE_SECONDS)
        renew(job, progress)
    _attempts[lease] = job, progress
    if is_stopping():
        progress.stop(WorkerStops())
    _ensure_thread()
    try:
        yield
    finally:
        del _attempts[lease]
        with unreachable_is_fine():
            connection().eval(DROP, 2, key("alive", job.pk), key("cancel", job.pk), lease)


def renew(job: Job, progress: Progress) -> None:
    """Renew the lease once; ends the job if it was cancelled or the lease was lost."""
    is_held, is_cancelled = _renewed(job)
    if not is_held:
        progress.stop(LeaseLost())
    elif is_cancelled:
        progress.stop(Cancelled())


def _renewed(job: Job) -> tuple[int, int]:
    answer: Any = connection().eval(
        RENEW, 2, key("alive", job.pk), key("cancel", job.pk), str(job.lease), ALIVE_SECONDS
    )
    return answer[0], answer[1]


def beat() -> None:
    if _process is not None:
        host, pid = socket.gethostname(), os.getpid()
        text = heartbeats.text(host, pid, _process[0], int(time.time() * 1000), _process[1])
        connection().set(heartbeats.key(host, pid), text, ex=heartbeats.ALIVE_SECONDS)


def _ensure_thread() -> None:
    global _thread
    with _changing:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_run, name="heartbeat", daemon=True)
            _thread.start()


def _run() -> None:
    beats = 0
    while True:
        time.sleep(RENEW_SECONDS)
        beats += 1
        with unreachable_is_fine():
            for job, progress in list(_attempts.values()):
                renew(job, progress)
            if beats % heartbeats.BEAT_SECONDS == 0:
                beat()
