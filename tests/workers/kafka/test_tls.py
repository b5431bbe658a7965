"""Certificates that do and do not convince us, keys that do and do not open, and ports without TLS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workers.kafka.certificates import Pair, self_signed
from tests.workers.kafka.small_broker import listening
from workers.kafka import tls
from workers.kafka.errors import KafkaError, NotTrusted, Unreachable
from workers.kafka.security import Security

GOOD = self_signed()
BROKER = "127.0.0.1:9093"


@contextmanager
def serving(pair: Pair, folder: Path) -> Iterator[int]:
    """A TLS server that shows this certificate."""
    path = folder / "server.pem"
    path.write_text(pair.certificate_pem + pair.key_pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.sendall(b"hello")

    with listening(talk) as port:
        yield port


def greeted(port: int, security: Security) -> bytes:
    """What the server says over TLS."""
    with (
        socket.create_connection(("127.0.0.1", port), 5) as plain,
        tls.secured(plain, "127.0.0.1", BROKER, security) as secured,
    ):
        return secured.recv(5)


def test_a_certificate_of_our_authority(tmp_path):
    with serving(GOOD, tmp_path) as port:
        assert greeted(port, Security("SSL", ca_pem=GOOD.certificate_pem)) == b"hello"


def test_several_authorities_with_words_between_them(tmp_path):
    bundle = f"# ours – and\n{self_signed().certificate_pem}\n# theirs\n{GOOD.certificate_pem}"
    with serving(GOOD, tmp_path) as port:
        assert greeted(port, Security("SSL", ca_pem=bundle)) == b"hello"


FAILURES = {
    "expired": (self_signed(from_days=-9, to_days=-1), True, "has expired"),
    "not yet valid": (self_signed(from_days=1, to_days=2), True, "is not valid yet"),
    "another name": (self_signed("10.0.0.1"), True, "is for another name"),
    "unknown issuer": (GOOD, False, "self-signed or signed by an unknown authority"),
}


@pytest.mark.parametrize(("pair", "is_known", "says"), FAILURES.values(), ids=FAILURES.keys())
def test_a_certificate_that_does_not_convince(tmp_path, pair, is_known, says):
    ca = pair.certificate_pem if is_known else None
    with serving(pair, tmp_path) as port, pytest.raises(NotTrusted, match=says) as failed:
        greeted(port, Security("SSL", ca_pem=ca))
    assert BROKER in failed.value.cause
    assert failed.value.cure


def test_the_name_is_not_checked_when_nobody_wants_it(tmp_path):
    other = self_signed("10.0.0.1")
    security = Security("SSL", ca_pem=other.certificate_pem, check_host_name=False)
    with serving(other, tmp_path) as port:
        assert greeted(port, security) == b"hello"


def test_a_certificate_is_checked_even_when_its_name_is_not(tmp_path):
    with serving(GOOD, tmp_path) as port, pytest.raises(NotTrusted):
        greeted(port, Security("SSL", check_host_name=False))


NO_TLS = {"hangs up": b"", "web server": b"HTTP/1.1 400 Bad Request\r\n\r\n", "broker": b"\0\0\0\4\0\0\0\1"}


@pytest.mark.parametrize("answer", NO_TLS.values(), ids=NO_TLS.keys())
def test_a_port_without_tls(answer):
    def talk(connection: socket.socket) -> None:
        connection.recv(2000)
        connection.sendall(answer)

    with listening(talk) as port, pytest.raises((NotTrusted, Unreachable), match="TLS") as failed:
        greeted(port, Security("SSL"))
    assert "without SSL" in failed.value.cure


@pytest.mark.parametrize("password", ["", "open it"], ids=["bare key", "encrypted key"])
def test_a_client_certificate_is_taken(password):
    pair = self_signed(password=password)
    security = Security(
        "SSL", certificate_pem=pair.certificate_pem, key_pem=pair.key_pem, key_password=password
    )
    assert tls.context_of(security)


LOCKED = self_signed(password="open it")
UNUSABLE = {
    "authority is no PEM": ({"ca_pem": "not a certificate"}, "authority is not a PEM"),
    "authority with letters beyond ASCII": ({"ca_pem": "– –"}, "authority is not a PEM"),
    "key missing": ({"certificate_pem": GOOD.certificate_pem}, "has no key"),
    "key of another": (
        {"certificate_pem": GOOD.certificate_pem, "key_pem": self_signed().key_pem}, "do not belong together",
    ),
    "key is no PEM": ({"certificate_pem": GOOD.certificate_pem, "key_pem": "s3cret"}, "cannot be read"),
    "certificate is no PEM": ({"certificate_pem": "nothing", "key_pem": GOOD.key_pem}, "cannot be read"),
    "pass phrase missing": (
        {"certificate_pem": LOCKED.certificate_pem, "key_pem": LOCKED.key_pem}, "requires a pass phrase",
    ),
    "pass phrase wrong": (
        {"certificate_pem": LOCKED.certificate_pem, "key_pem": LOCKED.key_pem, "key_password": "s3cret"},
        "pass phrase of the key is wrong",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "says"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_named_and_not_quoted(given, says):
    with pytest.raises(KafkaError, match=says) as failed:
        tls.context_of(Security("SSL", **given))
    assert "s3cret" not in str(failed.value)
