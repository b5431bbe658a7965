"""Which workers are alive: each renews a key in the broker every few seconds.

journalscope:worker:<host>:<pid>   {"host", "pid", "began_ms", "said_ms"}, lives ALIVE_SECONDS
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.journals import progress

BEAT_SECONDS = 5
ALIVE_SECONDS = 20
PREFIX = "journalscope:worker:"


@dataclass(frozen=True)
class Worker:
    """One worker process."""

    host: str
    pid: int
    began_at: datetime
    said_at: datetime


def key(host: str, pid: int) -> str:
    """Name of a worker's key."""
    return f"{PREFIX}{host}:{pid}"


def text(host: str, pid: int, began_ms: int, said_ms: int) -> str:
    """What stands there."""
    return json.dumps({"host": host, "pid": pid, "began_ms": began_ms, "said_ms": said_ms})


def alive_workers() -> list[Worker]:
    """By host and process. Raises RedisError."""
    connection = progress.connection()
    found = [connection.get(name) for name in connection.scan_iter(f"{PREFIX}*", count=1000)]
    workers = [_worker(json.loads(told)) for told in found if told]
    return sorted(workers, key=lambda worker: (worker.host, worker.pid))


def _worker(told: dict[str, int | str]) -> Worker:
    return Worker(str(told["host"]), int(told["pid"]), _moment(told["began_ms"]), _moment(told["said_ms"]))


def _moment(milliseconds: int | str) -> datetime:
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
