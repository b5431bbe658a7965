"""Our connections and our front on a port, in a thread of the test: gunicorn's worker without its processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gunicorn.config import Config
from gunicorn.glogging import Logger

from workers.server.connections import Connection
from workers.server.front import Front

Application = Callable[[dict[str, Any], Callable[..., Any]], Any]


class Response:
    """As Django gives it: pieces, whether they are made while they are sent, and a close that is called."""

    def __init__(self, pieces: Any, streaming: bool = False) -> None:
        self.pieces, self.streaming, self.closed = pieces, streaming, threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.pieces)

    def close(self) -> None:
        self.closed.set()


@contextmanager
def served(application: Application, folder: Path, threads: int = 2, connections: int = 50) -> Iterator[int]:
    """The port."""
    loop = asyncio.new_event_loop()
    cfg = Config()
    cfg.set("worker_connections", connections)
    worker = SimpleNamespace(
        cfg=cfg, log=Logger(cfg), loop=loop, nr_conns=0, nr=0, max_requests=1 << 60, alive=True
    )
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    start = _start(worker, application, folder, threads)
    server = asyncio.run_coroutine_threadsafe(start, loop).result(5)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _end(server: Any) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _start(worker: Any, application: Application, folder: Path, threads: int) -> Any:
    worker.asgi = Front(application, threads, folder)
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: Connection(worker), "127.0.0.1", 0)
