"""Progress and cancellation of an inspection or a repair, in Redis: the worker writes, the pages read.

journalscope:progress:<id>   JSON, lives PROGRESS_SECONDS after the last write
    {"stage": "decode", "stages": [{"name", "state": "waiting|running|done", "done", "total", "seconds", "note"}]}
journalscope:alive:<id>      exists while a worker works on it (renewed every second, lives ALIVE_SECONDS)
journalscope:cancel:<id>     exists when somebody asked for it to stop
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import redis
from django.conf import settings

STAGES = ("plan", "decode", "relate", "replay", "detect", "summarise")
REPAIR_STAGES = ("gather", "build", "append", "copy")
PROGRESS_SECONDS = 24 * 3600
CONNECT_SECONDS, ANSWER_SECONDS = 2, 5  # a Redis that is slower counts as away
ALIVE_SECONDS = 10


@cache
def connection() -> redis.Redis:
    """The Redis that also carries Celery's messages."""
    limits = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": ANSWER_SECONDS}
    return redis.Redis.from_url(settings.REDIS_URL, **limits)


def key(what: str, inspection_id: object) -> str:
    """Name of a Redis key of one inspection."""
    return f"journalscope:{what}:{inspection_id}"


def read(inspection_id: object) -> dict[str, Any] | None:
    """What the worker last said, or None."""
    text = connection().get(key("progress", inspection_id))
    return json.loads(text) if text else None


def is_alive(inspection_id: object) -> bool:
    """Whether a worker is at it right now."""
    return bool(connection().exists(key("alive", inspection_id)))


def ask_to_cancel(inspection_id: object) -> None:
    """Leave word for the worker to stop."""
    connection().set(key("cancel", inspection_id), 1, ex=PROGRESS_SECONDS)
