"""Connections of gunicorn's asyncio protocol, with what it lacks: an end for headers, for readers and for their number.

Source: gunicorn 27 `asgi/protocol.py`; what is overridden here is asyncio's own `Protocol` and three methods of it.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any

from gunicorn.asgi.protocol import ASGIProtocol

from workers.server.limits import HEADER_SECONDS, KERNEL_BYTES, RETRY_SECONDS, WRITE_SECONDS

FULL = f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: {RETRY_SECONDS}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(ASGIProtocol):
    """One connection. The headers of a second request on it have gunicorn's keep-alive seconds."""

    _timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: Any) -> None:
        """Refuse it when there are too many, else give its headers some seconds."""
        if self.worker.nr_conns >= self.cfg.worker_connections:
            self._is_refused = True
            transport.write(FULL.encode())
            transport.close()
            return
        line = transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
        super().connection_made(transport)
        self._end_after(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Ignored on a rejected connection."""
        if not self._is_refused:
            super().data_received(data)

    def _on_headers_complete(self) -> Any:
        self._do_not_end()
        return super()._on_headers_complete()

    def pause_writing(self) -> None:
        """The client has not taken what it has; it takes it in time or is left."""
        super().pause_writing()
        self._end_after(WRITE_SECONDS)

    def resume_writing(self) -> None:
        self._do_not_end()
        super().resume_writing()

    def _close_transport(self) -> None:
        super()._close_transport()
        if self.transport is not None and self._timer is None:
            self._end_after(WRITE_SECONDS)  # in which the last bytes must go

    def connection_lost(self, exc: Exception | None) -> None:
        self._do_not_end()
        if not self._is_refused:
            super().connection_lost(exc)

    def _end_after(self, seconds: float) -> None:
        self._do_not_end()
        self._timer = self.worker.loop.call_later(seconds, self._end)

    def _do_not_end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        with suppress(OSError):
            self.transport.abort()
