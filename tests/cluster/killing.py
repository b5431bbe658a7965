"""Kills processes while an inspection runs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.cluster.inspecting import MAX_RUN_S


@contextmanager
def killing(is_time: Callable[[], bool], victims: Callable[[], list[int]]) -> Iterator[list[int]]:
    """Kill processes once it is time; the ids of those that were killed."""
    killed: list[int] = []
    is_over = threading.Event()

    def wait() -> None:
        until = time.monotonic() + MAX_RUN_S
        while not is_time() and time.monotonic() < until and not is_over.is_set():
            time.sleep(0.02)
        for pid in [] if is_over.is_set() else victims():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield killed
    finally:
        is_over.set()
        thread.join()
