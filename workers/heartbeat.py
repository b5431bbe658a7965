"""The worker says every few seconds that it is alive, in a thread of its own: tasks may take all others."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time

from redis.exceptions import RedisError

from webapp.journals import progress
from webapp.operations.heartbeats import ALIVE_SECONDS, BEAT_SECONDS, key, text

logger = logging.getLogger(__name__)
_over = threading.Event()


def begin() -> None:
    """From now on until `end`."""
    _over.clear()
    threading.Thread(target=_beat, args=(_now_ms(),), name="heartbeat", daemon=True).start()


def end() -> None:
    """Gone, and said so."""
    _over.set()
    try:
        progress.connection().delete(key(socket.gethostname(), os.getpid()))
    except RedisError:
        logger.debug("The broker is gone already.")


def beat(began_ms: int) -> None:
    """Once."""
    host, pid = socket.gethostname(), os.getpid()
    progress.connection().set(key(host, pid), text(host, pid, began_ms, _now_ms()), ex=ALIVE_SECONDS)


def _beat(began_ms: int) -> None:
    while not _over.is_set():
        try:
            beat(began_ms)
        except RedisError:
            logger.debug("The broker does not answer.", exc_info=True)
        _over.wait(BEAT_SECONDS)


def _now_ms() -> int:
    return int(time.time() * 1000)
