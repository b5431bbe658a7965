"""Answers that are made while they are sent, such as exports: their share of the threads, and what a client gets whose server dies."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.workers.server.serving import Response, served
from tests.workers.server.test_front import until
from tests.workers.slow_clients import ask
from workers.server import front, lanes
from workers.server.limits import BLOCK_BYTES

HANGS = 30  # seconds; what takes so long on the busiest machine never comes


def site(environ: dict[str, Any], start: Any) -> Response:
    """An export without end below /export, one that breaks off below /broken, a page elsewhere."""
    start("200 OK", [("Content-Disposition", "attachment")])
    if environ["PATH_INFO"] == "/export":
        return Response((b"x" * 100_000 for _ in iter(int, 1)), streaming=True)
    if environ["PATH_INFO"] == "/broken":
        return Response(broken(int(environ["QUERY_STRING"])), streaming=True)
    return Response([b"a page"])


def broken(size_bytes: int) -> Any:
    """The first rows, then nothing more."""
    yield b"0,a\n" * (size_bytes // 4)
    raise OSError("the table is gone")


def reader(port: int) -> tuple[socket.socket, bytes]:
    """Somebody who asks for an export and reads its first bytes only, and which these are."""
    line = socket.create_connection(("127.0.0.1", port))
    line.settimeout(5)
    line.sendall(b"GET /export HTTP/1.1\r\nHost: a\r\n\r\n")
    return line, line.recv(12)


def starts(port: int) -> bool:
    """Whether an export is given now."""
    line, first = reader(port)
    line.close()
    return first == b"HTTP/1.1 200"


def test_exports_beyond_their_share_are_told_when_to_come_again_and_pages_are_answered_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "LANE_SECONDS", 0.5)
    monkeypatch.setattr(front, "STREAMS", 2)
    with served(site, tmp_path, threads=1) as port:
        held, begun = zip(*(reader(port) for _ in range(2)), strict=True)
        assert set(begun) == {b"HTTP/1.1 200"}
        told: list[Any] = []
        beyond = threading.Thread(target=lambda: told.append(ask(port, "GET", "/export")))
        beyond.start()
        while beyond.is_alive():
            began = time.monotonic()
            assert ask(port, "GET", "/")[1] == b"a page"
            assert time.monotonic() - began < HANGS
        answer, body = told[0]
        assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        assert body == b"Too many of these requests are running. Try again in 5 seconds.\n"
        for line in held:
            line.close()
        until(lambda: starts(port))


@pytest.mark.parametrize(
    ("size_bytes", "sees"),
    [(8, http.client.RemoteDisconnected), (4 * BLOCK_BYTES, http.client.IncompleteRead)],
)
def test_an_export_that_breaks_off_is_a_broken_transfer_and_no_file_that_looks_whole(
    tmp_path: Path, size_bytes: int, sees: type[Exception]
) -> None:
    with served(site, tmp_path) as port:
        with pytest.raises(sees):
            ask(port, "GET", f"/broken?{size_bytes}")
        assert ask(port, "GET", "/")[1] == b"a page"
