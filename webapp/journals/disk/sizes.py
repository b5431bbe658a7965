"""How much room results take. They never change once they are whole, so each is measured once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.jobs.results import committed, folder_of, stored_folder_of

HASH = "journalscope:result-sizes"  # id of a run -> bytes
QUESTIONS = 16  # to a store at the same time


def result_sizes(ids: Iterable[object]) -> dict[str, int]:
    """Size in bytes by id; results that do not exist are left out."""
    names = [str(id) for id in ids]
    if not settings.RESULTS_URL:
        names = [name for name in names if folder_of(name).is_dir()]
    cached = _known(names)
    unknown = [name for name in names if name not in cached]
    with ThreadPoolExecutor(QUESTIONS) as pool:  # most wait for a store, if there is one
        measured = dict(zip(unknown, pool.map(_size_of, unknown), strict=True))
    keep(measured)
    return {name: size for name, size in {**cached, **measured}.items() if size}


def _size_of(name: str) -> int:
    stored = stored_folder_of(name)
    if stored is None or folder_of(name).is_dir():
        return folder_size(folder_of(name))
    return int(committed(stored).get("size_bytes", 0))


def forget(name: object) -> None:
    """Drop the cached size of a deleted result."""
    with suppress(RedisError):  # an id is never used twice
        redis_client.connection().hdel(HASH, str(name))


def folder_size(folder: Path) -> int:
    """Bytes of all files below; files that vanish meanwhile are ignored."""
    total = 0
    for path, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(path, file)).st_size  # noqa: PTH118
            except FileNotFoundError:
                continue
    return total


def _known(names: list[str]) -> dict[str, int]:
    if not names:
        return {}
    try:
        sizes = redis_client.connection().hmget(HASH, names)
    except RedisError:
        return {}
    return {name: int(size) for name, size in zip(names, sizes, strict=True) if size is not None}


def keep(measured: Mapping[str, int]) -> None:
    """Cache sizes in bytes by id."""
    if not measured:
        return
    with suppress(RedisError):
        redis_client.connection().hset(HASH, mapping=dict[Any, Any](measured))
