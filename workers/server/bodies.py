"""Bodies of requests: at a least rate, whole in a temporary file or straight to the thread of an upload."""

from __future__ import annotations

import asyncio
import io
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any

from workers.server.limits import (
    BODY_BYTES,
    BYTES_PER_SECOND,
    GRACE_SECONDS,
    MEMORY_BYTES,
    SPOOL_BYTES,
)

Receive = Callable[[], Awaitable[dict[str, Any]]]


class TooSlow(OSError):
    """The body arrives more slowly than the minimum rate."""


class Gone(OSError):
    """The client disconnected."""


class TooLarge(Exception):
    """More than a body may have."""


class NoRoom(Exception):
    """The temporary files of all requests together are as large as they may be."""


class Pace:
    """Until when the next bytes must be here. Fast bytes earn time, but never more than the grace."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._deadline = clock() + GRACE_SECONDS

    def came(self, count: int) -> None:
        self._deadline = min(self._deadline + count / BYTES_PER_SECOND, self._clock() + GRACE_SECONDS)

    def seconds_left(self) -> float:
        """Seconds until the body is too slow."""
        return max(0.0, self._deadline - self._clock())


class Arriving:
    """A body on its way, block by block, at a least rate."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._pace = Pace()
        self.is_over = False

    async def block(self) -> bytes:
        """The next bytes, none at the end. Raises TooSlow and Gone."""
        body = b""
        while not body and not self.is_over:
            try:
                async with asyncio.timeout(self._pace.seconds_left()):
                    message = await self._receive()
            except TimeoutError:
                raise TooSlow from None
            if message["type"] != "http.request":
                raise Gone
            body = message.get("body", b"")
            self.is_over = not message.get("more_body", False)
            self._pace.came(len(body))
        return body

    async def hung_up(self) -> None:
        """Wait until the client has; for ever while its body was not read to the end, which would be in the way."""
        if not self.is_over:
            await asyncio.Event().wait()
        await self._receive()

    async def drain(self, seconds: float) -> None:
        """Throw the rest away, for a while: a connection closed over unread bytes takes the answer along."""
        try:
            async with asyncio.timeout(seconds):
                while await self.block():
                    pass
        except (TimeoutError, OSError):
            return


class FromLoop(io.RawIOBase):
    """The same for a thread: what is here, at once; nothing at the end. Raises OSError as `Arriving.block` does."""

    def __init__(self, body: Arriving, loop: asyncio.AbstractEventLoop) -> None:
        self._body, self._loop = body, loop
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for the next block only when nothing is left of the last one."""
        if not self._left:
            pending = asyncio.run_coroutine_threadsafe(self._body.block(), self._loop)
            self._left = pending.result(2 * GRACE_SECONDS)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


class Room:
    """Bytes in temporary files, over all requests of a process."""

    def __init__(self, max_bytes: int = SPOOL_BYTES) -> None:
        self.free_bytes = max_bytes
        self._lock = threading.Lock()

    def take(self, count: int) -> None:
        """Raises NoRoom."""
        with self._lock:
            if count > self.free_bytes:
                raise NoRoom
            self.free_bytes -= count

    def give_back(self, count: int) -> None:
        with self._lock:
            self.free_bytes += count


class Spool:
    """Bytes in memory, or in a file without a name once they are many; it counts in the room until it is closed."""

    def __init__(self, room: Room, folder: Path) -> None:
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=str(folder))  # noqa: SIM115
        self.size_bytes = 0
        self._room, self._taken_bytes = room, 0

    def write(self, block: bytes) -> None:
        """Raises NoRoom, and OSError for a full disk."""
        self.size_bytes += len(block)
        if self.size_bytes > MEMORY_BYTES:
            missing = self.size_bytes - self._taken_bytes
            self._room.take(missing)
            self._taken_bytes += missing
        self.file.write(block)

    def close(self) -> None:
        """May be called repeatedly."""
        self.file.close()
        self._room.give_back(self._taken_bytes)
        self._taken_bytes = 0


async def whole(body: Arriving, room: Room, folder: Path) -> Spool:
    """All of it. Raises TooSlow, Gone, TooLarge, NoRoom."""
    spool = Spool(room, folder)
    try:
        while block := await body.block():
            spool.write(block)
            if spool.size_bytes > BODY_BYTES:
                raise TooLarge
    except BaseException:
        spool.close()
        raise
    spool.file.seek(0)
    return spool
