"""One request: its body first, then a thread that runs Django, then the answer as fast as the client takes it.

ASGI outside, because there a waiting client costs no thread; WSGI inside, because Django, SQLite and DuckDB block.
Source: the ASGI HTTP specification 2.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from workers.server.answers import Answer, answer, environ_of
from workers.server.bodies import Arriving, FromLoop, Gone, NoRoom, Receive, Room, TooLarge, TooSlow, whole
from workers.server.lanes import Busy, ThreadLane, in_thread
from workers.server.limits import (
    BODY_BYTES,
    DRAIN_SECONDS,
    FILE_THREADS,
    RETRY_SECONDS,
    STREAMS,
    UPLOADS,
)

Send = Callable[[dict[str, Any]], Awaitable[None]]
UPLOAD = b"application/offset+octet-stream"
BUSY = f"Too many of these requests are running. Try again in {RETRY_SECONDS} seconds."
TOO_SLOW = "The request arrived too slowly. Send it again."
TOO_LARGE = f"The request has more than {BODY_BYTES >> 20} MB. Upload a file instead."


class Front:
    def __init__(self, application: Any, threads: int, folder: Path) -> None:
        self.application, self.folder, self.room = application, folder, Room()
        self.requests = ThreadPoolExecutor(threads, "request")
        self.files = ThreadPoolExecutor(FILE_THREADS, "file")
        self.uploads, self.streams = ThreadLane("upload", UPLOADS), ThreadLane("stream", STREAMS)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        body = Arriving(receive)
        try:
            await self._answer(scope, body, send)
        except (Busy, NoRoom):
            await refuse(send, 503, BUSY, (b"Retry-After", str(RETRY_SECONDS).encode()))
        except TooSlow:
            await refuse(send, 408, TOO_SLOW)
        except TooLarge:
            await refuse(send, 413, TOO_LARGE)
        except Gone:
            return
        await body.drain(DRAIN_SECONDS)

    async def _answer(self, scope: dict[str, Any], body: Arriving, send: Send) -> None:
        if header(scope, b"content-type").split(b";")[0].strip() == UPLOAD:
            async with self.uploads.thread() as thread:
                stream = FromLoop(body, asyncio.get_running_loop())
                made = await self._ask(thread, environ_of(scope, stream, None))
        else:
            made = await self._ask_with_whole_body(scope, body)
        await self._deliver(scope, made, body, send)

    async def _ask_with_whole_body(self, scope: dict[str, Any], body: Arriving) -> Answer:
        length = header(scope, b"content-length")
        if length.isdigit() and int(length) > BODY_BYTES:
            raise TooLarge
        spool = await whole(body, self.room, self.folder)
        size_bytes = spool.size_bytes if spool.size_bytes or length else None
        return await self._ask(self.requests, environ_of(scope, spool.file, size_bytes), spool.close)

    async def _ask(
        self, executor: Executor, environ: dict[str, Any], after: Callable[[], None] | None = None
    ) -> Answer:
        call = partial(answer, self.application, environ, self.room, self.folder)
        made: Answer = await in_thread(executor, call, after)
        return made

    async def _deliver(self, scope: dict[str, Any], made: Answer, body: Arriving, send: Send) -> None:
        if not made.is_made:
            await deliver(scope, made, self.files, body, send)
            return
        try:
            async with self.streams.thread() as thread:
                await deliver(scope, made, thread, body, send)
        except Busy:
            self.files.submit(made.close)
            raise


async def deliver(
    scope: dict[str, Any], made: Answer, executor: Executor, body: Arriving, send: Send
) -> None:
    """Block by block until the end or until the client hangs up, then close it in the thread that made it."""
    gone = asyncio.ensure_future(body.hung_up())
    try:
        await send({"type": "http.response.start", "status": made.status, "headers": made.headers})
        while scope["method"] != "HEAD" and not gone.done():
            block = await in_thread(executor, made.next_block)
            if not block:
                break
            await send({"type": "http.response.body", "body": block, "more_body": True})
        await send({"type": "http.response.body"})
    finally:
        gone.cancel()
        executor.submit(made.close)


async def refuse(send: Send, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    """Answer with a sentence and this status."""
    body = f"{text}\n".encode()
    about = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"Content-Length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*about, *headers]})
    await send({"type": "http.response.body", "body": body})


def header(scope: dict[str, Any], name: bytes) -> bytes:
    """Empty if it is missing."""
    return next((value for key, value in scope["headers"] if key.lower() == name), b"")
