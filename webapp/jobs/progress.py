"""Progress and cancellation of a job, in Redis: the worker writes, the pages read.

journalscope:progress:<id>   JSON, lives PROGRESS_SECONDS after the last write; of an inspection or a repair:
    {"stage": "decode", "stages": [{"name", "state": "waiting|running|done", "done", "total", "seconds", "note"}]}
journalscope:alive:<id>      the lease of the attempt that works on it (renewed every second, lives ALIVE_SECONDS)
journalscope:cancel:<id>     exists when somebody asked for it to stop
"""

from __future__ import annotations

import json
from typing import Any

from webapp.redis_client import connection, key

PROGRESS_SECONDS = 24 * 3600
ALIVE_SECONDS = 10


def read(job_id: object) -> dict[str, Any] | None:
    """The last report of the worker, or None."""
    text = connection().get(key("progress", job_id))
    return json.loads(text) if text else None


def is_alive(job_id: object) -> bool:
    """Whether a worker runs the job now."""
    return bool(connection().exists(key("alive", job_id)))


def ask_to_cancel(job_id: object) -> None:
    connection().set(key("cancel", job_id), 1, ex=PROGRESS_SECONDS)
