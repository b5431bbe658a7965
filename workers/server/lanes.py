"""Threads that one client holds at a time, so that slow ones wait for each other and for nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from workers.server.limits import LANE_SECONDS


class Busy(Exception):
    """All threads of a lane are held, and were for a while."""


class ThreadLane:
    """So many threads. All that happens for a client happens in the same one, as Django's connections want it."""

    def __init__(self, name: str, count: int) -> None:
        self._free: asyncio.Queue[ThreadPoolExecutor] = asyncio.Queue()
        for number in range(count):
            self._free.put_nowait(ThreadPoolExecutor(1, f"{name}-{number}"))

    @asynccontextmanager
    async def thread(self) -> AsyncIterator[Executor]:
        """One of them, free again when all that was submitted to it has ended. Raises Busy."""
        try:
            async with asyncio.timeout(LANE_SECONDS):
                lane = await self._free.get()
        except TimeoutError:
            raise Busy from None
        loop = asyncio.get_running_loop()
        try:
            yield lane
        finally:
            last = lane.submit(int)
            last.add_done_callback(lambda _: loop.call_soon_threadsafe(self._free.put_nowait, lane))


async def in_thread(
    executor: Executor, call: Callable[[], Any], after: Callable[[], None] | None = None
) -> Any:
    """What it returns; `after` follows in any case. What it returns when nobody waits for it any more is closed."""
    future = executor.submit(call)
    if after is not None:
        future.add_done_callback(lambda _: after())
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        future.add_done_callback(_close_result)
        raise


def _close_result(future: Future[Any]) -> None:
    if future.cancelled() or future.exception() is not None:
        return
    close = getattr(future.result(), "close", None)
    if close is not None:
        close()
