"""Clients that hold a connection for as long as they are let: unfinished headers, trickled bodies, slow readers."""

from __future__ import annotations

import base64
import contextlib
import http.client
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

TRICKLE_SECONDS = 2.0
UPLOAD_BYTES_PER_SECOND = 2000


@dataclass
class Visitor:
    """Somebody signed in: what a request needs."""

    cookies: str
    csrf: str

    def headers(self) -> dict[str, str]:
        return {"Cookie": self.cookies, "X-CSRFToken": self.csrf}


@dataclass
class SlowClient:
    """One connection: what it says at once, how many bytes it adds each time, whether it reads."""

    first: bytes
    more: bytes = b""
    reads: bool = True
    received: bytes = b""
    closed: bool = False
    sock: socket.socket = field(init=False)

    def connect(self, port: int) -> None:
        self.sock = socket.socket()
        if not self.reads:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.settimeout(10)
        self.sock.connect(("127.0.0.1", port))
        self.sock.sendall(self.first)
        self.sock.setblocking(False)

    def go_on(self) -> None:
        """A little more; never more than the line takes."""
        if self.closed:
            return
        try:
            if self.more:
                self.sock.send(self.more)
            if self.reads:
                self.read()
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True

    def read(self) -> None:
        """What is there."""
        data = self.sock.recv(65536)
        self.received += data
        self.closed = not data


def headers_without_end() -> SlowClient:
    return SlowClient(b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X")


def trickled_sign_in() -> SlowClient:
    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n"
    return SlowClient(head + b"Content-Type: application/x-www-form-urlencoded\r\n\r\nlogin=a", b"a")


def slow_upload(visitor: Visitor, path: str) -> SlowClient:
    fields = {
        **visitor.headers(),
        "Host": "localhost",
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
        "Content-Length": "5000000",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    more = b"x" * int(UPLOAD_BYTES_PER_SECOND * TRICKLE_SECONDS)
    return SlowClient(f"PATCH {path} HTTP/1.1\r\n{head}\r\n".encode() + more, more)


def slow_reader(path: str, visitor: Visitor | None = None) -> SlowClient:
    fields = {"Host": "localhost"} | (visitor.headers() if visitor else {})
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return SlowClient(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode(), reads=False)


@contextmanager
def kept_slow(port: int, clients: list[SlowClient]) -> Iterator[list[SlowClient]]:
    """All of them connected, and going on in a thread of their own."""
    for client in clients:
        with contextlib.suppress(OSError):
            client.connect(port)
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(TRICKLE_SECONDS):
            for client in clients:
                client.go_on()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield clients
    finally:
        ended.set()
        thread.join()
        for client in clients:
            client.sock.close()


def announce(port: int, visitor: Visitor, size_bytes: int) -> str:
    """Announce an upload; its path."""
    fields = {
        **visitor.headers(),
        "Tus-Resumable": "1.0.0",
        "Upload-Length": str(size_bytes),
        "Upload-Metadata": f"filename {base64.b64encode(b'a.log').decode()}",
    }
    answer, _ = ask(port, "POST", "/uploads/", fields, seconds=20)
    assert answer.status == 201, answer.status
    return "/uploads/" + answer.headers["Location"].split("/uploads/")[1]


def upload(port: int, visitor: Visitor, content: bytes, seconds: float) -> str:
    """A file in one piece; the id of its row, as the database has it."""
    path = announce(port, visitor, len(content))
    fields = visitor.headers() | {
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
    }
    assert ask(port, "PATCH", path, fields, content, seconds)[0].status == 204
    return path.strip("/").rpartition("/")[2].replace("-", "")


def ask(
    port: int,
    method: str,
    path: str,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
    seconds: float = 5,
) -> tuple[http.client.HTTPResponse, bytes]:
    """One request on a connection of its own. The time counts for each step."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        line.request(method, path, body=body, headers={"Host": "localhost"} | (headers or {}))
        answer = line.getresponse()
        return answer, answer.read()
    finally:
        line.close()


def seconds_of(call: Callable[[], object]) -> float:
    """How long it took; infinite when it failed."""
    began = time.monotonic()
    try:
        call()
    except (OSError, http.client.HTTPException):
        return float("inf")
    return time.monotonic() - began


def wait_until_closed(clients: list[SlowClient], seconds: float) -> float:
    """Seconds until the server has ended all of them; infinite when it did not."""
    watched = selectors.DefaultSelector()
    for client in clients:
        watched.register(client.sock, selectors.EVENT_READ, client)
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if all(client.closed for client in clients):
            return time.monotonic() - began
        time.sleep(0.2)
    return float("inf")
