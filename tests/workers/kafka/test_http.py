"""HTTP to checked addresses: what comes back, and what is never followed, read or told."""

from __future__ import annotations

import http.server
import ssl
import threading
from collections.abc import Iterator

import pytest

from tests.workers.kafka.certificates import self_signed
from workers.kafka import http as asking
from workers.kafka.allowed import Networks
from workers.kafka.errors import KafkaError, NotTrusted, Refused, Unreachable

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


def ask(server: Server, path: str, **fields: object) -> asking.Page:
    return asking.ask("GET", f"http://127.0.0.1:{server.server_port}{path}", HERE, **fields)  # type: ignore[arg-type]


def test_an_answer_comes_with_its_status(server):
    assert ask(server, "/fine?a=b%20c", headers={"Accept": "text/plain"}) == asking.Page(200, b"fine")
    path, headers = server.asked[0]
    assert path == "/fine?a=b%20c"
    assert headers["Host"] == f"127.0.0.1:{server.server_port}"
    assert headers["Accept"] == "text/plain"
    assert ask(server, "/wrong").status == 404


def test_a_redirect_is_not_followed(server):
    assert ask(server, "/elsewhere").status == 302
    assert len(server.asked) == 1


def test_more_than_was_asked_for_is_not_read(server):
    with pytest.raises(KafkaError, match="more than 1000 bytes"):
        ask(server, "/large", at_most_bytes=1000)


def test_an_address_off_limits_is_not_asked(server):
    with pytest.raises(Refused):
        asking.ask("GET", f"http://127.0.0.1:{server.server_port}/fine", Networks.of([]))
    assert server.asked == []


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://host/x", "https://", "http://me:s3cret@host/", "http://h:x/"]
)
def test_what_is_no_address_is_not_quoted(url):
    with pytest.raises(Unreachable, match="no address of the form") as failed:
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
        with pytest.raises(NotTrusted, match="is not valid for us"):
            asking.ask("GET", url, HERE, ca_pem=ca)


def test_an_authority_that_is_none():
    with pytest.raises(NotTrusted, match="no PEM certificate"):
        asking.ask("GET", "https://127.0.0.1:1/", HERE, ca_pem="nothing")
