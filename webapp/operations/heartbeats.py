"""Which workers are alive: each renews a key in the broker every few seconds.

journalscope:worker:<host>:<pid>   {"host", "pid", "began_ms", "said_ms", "queues"}, lives ALIVE_SECONDS
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp import redis_client
from webapp.jobs.queues import QUEUES

BEAT_SECONDS = 5
ALIVE_SECONDS = 20
PREFIX = "journalscope:worker:"


@dataclass(frozen=True)
class WorkerProcess:
    host: str
    pid: int
    began_at: datetime
    said_at: datetime
    queues: tuple[str, ...] = QUEUES


def key(host: str, pid: int) -> str:
    """Redis key of a worker process."""
    return f"{PREFIX}{host}:{pid}"


def text(host: str, pid: int, began_ms: int, said_ms: int, queues: Sequence[str] = QUEUES) -> str:
    """Value of the key."""
    members = {"host": host, "pid": pid, "began_ms": began_ms, "said_ms": said_ms, "queues": list(queues)}
    return json.dumps(members)


def alive_workers() -> list[WorkerProcess]:
    """Sorted by host and process id. Raises RedisError."""
    connection = redis_client.connection()
    texts = [connection.get(name) for name in connection.scan_iter(f"{PREFIX}*", count=1000)]
    workers = [_worker(json.loads(text)) for text in texts if text]
    return sorted(workers, key=lambda worker: (worker.host, worker.pid))


def queues_without_worker() -> list[str]:
    """Raises RedisError."""
    served = {name for worker in alive_workers() for name in worker.queues}
    return [name for name in QUEUES if name not in served]


def _worker(members: dict[str, Any]) -> WorkerProcess:
    began_at, said_at = _moment(members["began_ms"]), _moment(members["said_ms"])
    queues = tuple(name for name in members.get("queues", QUEUES) if name in QUEUES)
    return WorkerProcess(str(members["host"]), int(members["pid"]), began_at, said_at, queues)


def _moment(milliseconds: int | str) -> datetime:
    return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
