"""How much disk result folders take. They never change once they are whole, so each is measured once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.exceptions import RedisError

from webapp import redis_client

HASH = "journalscope:result-sizes"  # id of a run -> bytes


def result_sizes(ids: Iterable[object]) -> dict[str, int]:
    """Bytes of each result folder that is there, by the id it is named for."""
    folders = {str(one): Path(settings.RESULTS_DIR) / str(one) for one in ids}
    names = [name for name, folder in folders.items() if folder.is_dir()]
    known = _known(names)
    measured = {name: folder_size(folders[name]) for name in names if name not in known}
    _keep(measured)
    return {**known, **measured}


def forget(name: object) -> None:
    """Its folder was deleted."""
    try:
        redis_client.connection().hdel(HASH, str(name))
    except RedisError:
        return  # an id is never used twice


def folder_size(folder: Path) -> int:
    """Bytes of all files below; what vanishes meanwhile counts nothing."""
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
        found = redis_client.connection().hmget(HASH, names)
    except RedisError:
        return {}
    return {name: int(size) for name, size in zip(names, found, strict=True) if size is not None}


def _keep(measured: dict[Any, Any]) -> None:
    if not measured:
        return
    try:
        redis_client.connection().hset(HASH, mapping=measured)
    except RedisError:
        return
