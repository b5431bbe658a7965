"""HTTP to checked addresses: what comes back, and what is never followed, read or told."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
import time
from collections.abc import Iterator

import pytest

from tests.workers.kafka.certificates import self_signed
from webapp.networks.errors import NetError, NetworkBlocked, NotTrusted, Unreachable
from webapp.networks.guard import Networks
from workers.net import http as asking

HANGS = 30  # seconds; what takes so long on the busiest machine never comes
HERE = Networks.of(["loopback"])
ANSWERS = {"/fine": (200, b"fine"), "/large": (200, b"x" * 1001), "/wrong": (404, b"nothing here")}


class Server(http.server.ThreadingHTTPServer):
    """Notes the paths and headers that it is asked with."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.server.asked.append((self.path, dict(self.headers)))
        status, body = ANSWERS.get(self.path.partition("?")[0], (302, b""))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Location", "/fine")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield made
        made.shutdown()


def ask(server: Server, path: str, **fields: object) -> asking.HttpAnswer:
    return asking.ask("GET", f"http://127.0.0.1:{server.server_port}{path}", HERE, **fields)  # type: ignore[arg-type]


def test_an_answer_comes_with_its_status(server):
    assert ask(server, "/fine?a=b%20c", headers={"Accept": "text/plain"}) == asking.HttpAnswer(200, b"fine")
    path, headers = server.asked[0]
    assert path == "/fine?a=b%20c"
    assert headers["Host"] == f"127.0.0.1:{server.server_port}"
    assert headers["Accept"] == "text/plain"
    assert ask(server, "/wrong").status == 404


def test_a_redirect_is_not_followed(server):
    assert ask(server, "/elsewhere").status == 302
    assert len(server.asked) == 1


def test_more_than_was_asked_for_is_not_read(server):
    with pytest.raises(NetError, match="more than 1000 bytes"):
        ask(server, "/large", at_most_bytes=1000)


class Dribbling(http.server.BaseHTTPRequestHandler):
    """Sends a byte now and then, for as long as anybody listens; `path` says of what."""

    def do_GET(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self.wfile.write(b"" if self.path == "/header" else b"Connection: close\r\n\r\n")
        try:
            for _ in range(1000):
                time.sleep(0.05)
                self.wfile.write(b"x")
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("path", ["/header", "/body"])
def test_whoever_sends_a_byte_now_and_then_is_not_waited_for(server, path):
    server.RequestHandlerClass = Dribbling
    begun = time.monotonic()
    with pytest.raises(Unreachable, match=r"did not answer within 0\.3 s"):
        ask(server, path, total_seconds=0.3)
    assert time.monotonic() - begun < HANGS


def test_proxies_of_the_environment_are_not_asked(server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(server, "/fine").body == b"fine"


def test_the_name_is_asked_for_once_and_the_checked_address_is_connected_to(server, monkeypatch):
    """DNS rebinding: whoever answers for the name says another address the second time."""
    answers = iter(["127.0.0.1", "169.254.169.254"])

    def getaddrinfo(host, port, *_, **__):
        address = next(answers) if host == "rebound.example" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    url = f"http://rebound.example:{server.server_port}/fine"
    assert asking.ask("GET", url, HERE).body == b"fine"
    assert server.asked[0][1]["Host"] == f"rebound.example:{server.server_port}"
    assert next(answers) == "169.254.169.254"


def test_a_document_that_nests_too_deeply_is_a_value_error():
    with pytest.raises(ValueError, match="nests deeper"):
        asking.HttpAnswer(200, b"[" * 100_000 + b"]" * 100_000).json()


def test_an_address_off_limits_is_not_asked(server):
    with pytest.raises(NetworkBlocked):
        asking.ask("GET", f"http://127.0.0.1:{server.server_port}/fine", Networks.of([]))
    assert server.asked == []


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://host/x", "https://", "http://me:s3cret@host/", "http://h:x/"]
)
def test_what_is_no_address_is_not_quoted(url):
    with pytest.raises(Unreachable, match="not an address such as") as failed:
        asking.ask("GET", url, HERE)
    assert "s3cret" not in str(failed.value)


def test_the_next_address_is_asked_when_the_first_takes_no_connection(server, monkeypatch):
    monkeypatch.setattr(Networks, "resolve", lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert ask(server, "/fine").status == 200


def test_nobody_there():
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1 cannot be reached"):
        asking.ask("GET", "http://127.0.0.1:1/", HERE)


@pytest.mark.parametrize(
    ("address", "is_known", "is_fine"),
    [("127.0.0.1", True, True), ("127.0.0.1", False, False), ("10.0.0.1", True, False)],
    ids=["our authority", "unknown authority", "another name"],
)
def test_certificates_are_checked(server, tmp_path, address, is_known, is_fine):
    pair = self_signed(address)
    path = tmp_path / "server.pem"
    path.write_text(pair.certificate_pem + pair.key_pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    url, ca = f"https://127.0.0.1:{server.server_port}/fine", pair.certificate_pem if is_known else None
    if is_fine:
        assert asking.ask("GET", url, HERE, ca_pem=ca).body == b"fine"
    else:
        with pytest.raises(NotTrusted, match="is not valid"):
            asking.ask("GET", url, HERE, ca_pem=ca)


def test_an_authority_that_is_none():
    with pytest.raises(NotTrusted, match="not a PEM certificate"):
        asking.ask("GET", "https://127.0.0.1:1/", HERE, ca_pem="nothing")
