"""The site's cache: Redis, so that all web processes count sign-ins together; while Redis is away, this process's memory.

Nothing that must last is kept in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from webapp import redis_client

FALLING_BACK = (
    "add",
    "get",
    "set",
    "touch",
    "delete",
    "get_many",
    "has_key",
    "incr",
    "set_many",
    "delete_many",
    "clear",
)


class SharedCache(RedisCache):
    """Falls back to the process's memory while Redis is away: a partial count is better than refusing every sign-in."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        options = redis_client.limits() | params.get("OPTIONS", {})
        super().__init__(server, {**params, "OPTIONS": options})
        self.memory = LocMemCache("while-redis-is-away", params)


def _falling_back(name: str) -> Callable[..., Any]:
    method = getattr(RedisCache, name)

    @wraps(method)
    def ask(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (RedisError, OSError):
            return getattr(self.memory, name)(*args, **kwargs)

    return ask


for _name in FALLING_BACK:
    setattr(SharedCache, _name, _falling_back(_name))
