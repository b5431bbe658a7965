"""Requests over real connections: what Django sees, what comes back, and who waits for whom."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.workers.server.serving import Response, served
from tests.workers.slow_clients import ask
from workers.server import bodies, connections, front, lanes
from workers.server.limits import BLOCK_BYTES, MEMORY_BYTES

UPLOAD = {"Content-Type": "application/offset+octet-stream"}


def echo(environ: dict[str, Any], start: Any) -> Response:
    """The body, and what else the test asks for in the query."""
    start("200 OK", [("X-Seen", str(environ.get(environ["QUERY_STRING"], "none")))])
    return Response([environ["wsgi.input"].read()])


@pytest.mark.parametrize("size_bytes", [0, 1, MEMORY_BYTES, 3 * MEMORY_BYTES + 1])
def test_bodies_and_answers_of_any_size_come_through(tmp_path: Path, size_bytes: int) -> None:
    content = os.urandom(size_bytes)
    with served(echo, tmp_path) as port:
        answer, body = ask(port, "POST", "/?CONTENT_LENGTH", body=content)
    assert (answer.status, body) == (200, content)
    assert answer.headers["X-Seen"] == str(size_bytes)
    assert list(tmp_path.iterdir()) == []


def test_a_body_in_chunks_has_its_length_when_django_sees_it(tmp_path: Path) -> None:
    with served(echo, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"POST /?CONTENT_LENGTH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        line.sendall(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        line.settimeout(5)
        told = line.recv(9999)
    assert b"X-Seen: 5" in told


@pytest.mark.parametrize(
    ("path", "key", "seen"),
    [
        ("/a%C3%A4%FF%2Fb", "PATH_INFO", "/aä\xff/b".encode("latin-1").decode("latin-1")),
        ("/", "REMOTE_ADDR", "127.0.0.1"),
        ("/", "wsgi.url_scheme", "http"),
        ("/", "CONTENT_LENGTH", "none"),
    ],
)
def test_django_sees_the_request_as_wsgi_has_it(tmp_path: Path, path: str, key: str, seen: str) -> None:
    with served(echo, tmp_path) as port:
        answer, _ = ask(port, "GET", f"{path}?{key}")
    expected = "/a\xc3\xa4\xff/b" if key == "PATH_INFO" else seen
    assert answer.headers["X-Seen"] == expected


def test_headers_given_twice_are_joined(tmp_path: Path) -> None:
    with served(echo, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET /?HTTP_COOKIE HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\nCookie: b=2\r\n\r\n")
        line.settimeout(5)
        assert b"X-Seen: a=1; b=2" in line.recv(9999)


def test_a_file_is_sent_in_blocks_and_closed(tmp_path: Path) -> None:
    content = os.urandom(5 * BLOCK_BYTES + 7)
    file = BytesIO(content)

    def application(environ: dict[str, Any], start: Any) -> Any:
        start("200 OK", [("Content-Length", str(len(content)))])
        return environ["wsgi.file_wrapper"](file, 4096)

    with served(application, tmp_path) as port:
        _, body = ask(port, "GET", "/")
        assert body == content
        until(lambda: file.closed)


def test_an_answer_is_made_in_one_thread_and_only_as_fast_as_it_is_read(tmp_path: Path) -> None:
    made, threads = itertools.count(), set()

    def pieces() -> Any:
        for _ in range(100):
            next(made)
            threads.add(threading.get_ident())
            yield b"x" * (1 << 20)

    response = Response(pieces(), streaming=True)
    with served(answering(response), tmp_path) as port:
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(0.5)
            assert next(made) < 60, "it is made although nobody reads it"
        assert response.closed.wait(5), "it is closed when the client is gone"
    assert len(threads) == 1


def answering(response: Response) -> Any:
    def application(environ: dict[str, Any], start: Any) -> Response:
        start("200 OK", [])
        return response

    return application


def test_readers_that_do_not_read_hold_no_thread(tmp_path: Path) -> None:
    def application(environ: dict[str, Any], start: Any) -> Response:
        start("200 OK", [])
        return Response([b"x" * (20 << 20 if environ["PATH_INFO"] == "/big" else 1)])

    with served(application, tmp_path, threads=1) as port:
        lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
        for line in lines:
            line.sendall(b"GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        answer, _ = ask(port, "GET", "/", seconds=5)
        assert answer.status == 200
        for line in lines:
            line.close()


def test_a_reader_that_does_not_read_is_left_after_a_while(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.3)
    big = answering(Response([b"x" * (20 << 20)]))
    with served(big, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(1)
        line.settimeout(5)
        received = 0
        while block := line.recv(1 << 20):
            received += len(block)
    assert received < 20 << 20


@pytest.mark.parametrize("more", [b"", b"X"], ids=["silent", "trickled"])
def test_headers_that_do_not_end_are_not_waited_for(tmp_path: Path, monkeypatch: Any, more: bytes) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.5)
    with served(echo, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        until(lambda: is_closed(line, more), seconds=3)


def is_closed(line: socket.socket, more: bytes) -> bool:
    line.settimeout(0.1)
    try:
        line.sendall(more)
        return not line.recv(100)
    except TimeoutError:
        return False
    except OSError:
        return True


def test_a_trickled_form_is_answered_with_408_and_takes_no_thread(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(front, "DRAIN_SECONDS", 0.1)
    calls: list[str] = []

    def application(environ: dict[str, Any], start: Any) -> Response:
        calls.append(environ["PATH_INFO"])
        return echo(environ, start)

    with served(application, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\na")
        line.settimeout(5)
        assert line.recv(999).startswith(b"HTTP/1.1 408")
    assert calls == []


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in chunks"])
def test_a_body_above_the_limit_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: Any, announced: bool
) -> None:
    monkeypatch.setattr(front, "BODY_BYTES", 1 << 20)
    monkeypatch.setattr(bodies, "BODY_BYTES", 1 << 20)
    content = b"x" * (2 << 20)
    with served(echo, tmp_path) as port:
        answer, body = ask(port, "POST", "/", body=content if announced else iter([content]))  # type: ignore[arg-type]
    assert (answer.status, body) == (413, b"The request has more than 256 MB. Upload a file instead.\n")


def upload(port: int, promised: int, content: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    head = f"PATCH / HTTP/1.1\r\nHost: a\r\nContent-Length: {promised}\r\nContent-Type: {UPLOAD['Content-Type']}\r\n\r\n"
    line.sendall(head.encode() + content)
    line.settimeout(5)
    return line


def test_uploads_beyond_their_share_are_told_when_to_come_again_and_others_are_answered(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(lanes, "LANE_SECONDS", 0.2)
    monkeypatch.setattr(front, "UPLOADS", 2)
    with served(echo, tmp_path, threads=1) as port:
        held = [upload(port, 100, b"x") for _ in range(2)]
        time.sleep(0.2)
        answer, body = ask(port, "PATCH", "/", UPLOAD, b"y" * 100)
        assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        assert body == b"Too many of these requests are running. Try again in 5 seconds.\n"
        assert ask(port, "GET", "/")[0].status == 200
        for line in held:
            line.close()
        until(lambda: ask(port, "PATCH", "/", UPLOAD, b"y" * 100)[0].status == 200)


def test_what_arrived_of_an_upload_is_seen_before_its_client_stalls(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.5)
    seen: list[bytes | str] = []

    def application(environ: dict[str, Any], start: Any) -> Response:
        try:
            while block := environ["wsgi.input"].read(1 << 20):
                seen.append(block)
        except OSError as error:
            seen.append(type(error).__name__)
        start("204 No Content", [])
        return Response([])

    with served(application, tmp_path) as port, upload(port, 1000, b"abc") as line:
        assert line.recv(999).startswith(b"HTTP/1.1 204")
    assert seen == [b"abc", "TooSlow"]


def test_a_refused_upload_hears_why_although_its_bytes_are_on_the_way(tmp_path: Path) -> None:
    def application(environ: dict[str, Any], start: Any) -> Response:
        start("401 Unauthorized", [])
        return Response([b"Sign in."])

    with served(application, tmp_path) as port:
        answer, body = ask(port, "PATCH", "/", UPLOAD, os.urandom(3 << 20))
    assert (answer.status, body) == (401, b"Sign in.")


def test_connections_beyond_the_limit_are_refused_and_room_comes_back(tmp_path: Path) -> None:
    with served(echo, tmp_path, connections=3) as port:
        lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        time.sleep(0.2)
        assert ask(port, "GET", "/")[0].status == 503
        for line in lines:
            line.close()
        until(lambda: ask(port, "GET", "/")[0].status == 200)


def test_one_connection_carries_several_requests(tmp_path: Path) -> None:
    with served(echo, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as line:
        line.settimeout(5)
        for number in range(3):
            line.sendall(f"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n{number}".encode())
            told = b""
            while not told.endswith(b"0\r\n\r\n"):
                told += line.recv(9999)
            assert f"\r\n{number}\r\n".encode() in told


def test_a_websocket_is_refused(tmp_path: Path) -> None:
    fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    with served(echo, tmp_path) as port:
        answer, _ = ask(port, "GET", "/", fields | {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
    assert answer.status == 403


def test_an_error_in_the_application_is_a_500_and_the_next_request_is_answered(tmp_path: Path) -> None:
    def application(environ: dict[str, Any], start: Any) -> Response:
        if environ["PATH_INFO"] == "/broken":
            raise ValueError
        return echo(environ, start)

    with served(application, tmp_path, threads=1) as port:
        assert ask(port, "GET", "/broken")[0].status == 500
        assert ask(port, "GET", "/")[0].status == 200


def until(holds: Any, seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.05)
