"""HTTP to checked addresses only: bounded in bytes and in time, without redirects, cookies and proxies.

An answer has `timeout_seconds` from one byte to the next and `total_seconds` in all: whoever sends a byte now and then holds
nobody up for longer.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import urllib3
import urllib3.connection

from spark.codecs import json_text
from webapp.networks.errors import NetError, NotTrusted, SentInClear, Unreachable
from webapp.networks.guard import Networks, is_sent_in_clear
from workers.net.address import written
from workers.net.authorities import trusting

MAX_ANSWER_BYTES = 32 * 1024**2
USUAL_PORTS = {"http": 80, "https": 443}
BLOCK_BYTES = 64 * 1024


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    body: bytes

    def json(self) -> Any:
        """The body's document. Raises ValueError, also where it nests too deeply."""
        return json_text.read(self.body)


@dataclass(frozen=True)
class Target:
    """Where a URL leads: `addresses` were checked, `host` is what the certificate must name."""

    scheme: str
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]

    @property
    def netloc(self) -> str:
        return written(self.host, self.port)

    @property
    def host_header(self) -> str:
        """Without the scheme's default port."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == USUAL_PORTS[self.scheme] else self.netloc


def locate(url: str, networks: Networks) -> Target:
    """The URL's host, resolved and checked. Raises Unreachable, NetworkBlocked; neither quotes the URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme]
    except (ValueError, KeyError):
        host, port = "", 0
    if not host or parts.username is not None:
        raise Unreachable(
            "That is not an address such as https://host/path.", "Enter one, without a user name in it."
        )
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    return Target(parts.scheme, host, port, path, tuple(networks.resolve(host, port)))


def ask(method: str, url: str, networks: Networks, *, confidential: str = "", **how: Any) -> HttpAnswer:
    """One request, whatever its status; `how` as `send` takes it. One with a secret does not leave this machine unencrypted.

    `confidential` says which, such as "the token". Raises NetError; none of them quotes what was sent.
    """
    target = locate(url, networks)
    if confidential and is_sent_in_clear(target.scheme, target.addresses):
        raise SentInClear(
            f"{target.host} is another machine, and http would send {confidential} unencrypted.",
            f"Use https, or a tunnel to a port of this machine: ssh -L 8000:127.0.0.1:{target.port} {target.host}",
        )
    return send(method, target, **how)


def send(
    method: str,
    target: Target,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    ca_pem: str | None = None,
    timeout_seconds: float = 10.0,
    total_seconds: float = 60.0,
    at_most_bytes: int = MAX_ANSWER_BYTES,
    reads_body: bool = True,
) -> HttpAnswer:
    """The answer of the first address that takes a connection; `ca_pem` counts beside the system's authorities."""
    sent = {"User-Agent": "Journalscope", "Host": target.host_header} | dict(headers or {})
    for address in target.addresses:
        pool = _pool(target, address, ca_pem, timeout_seconds)
        try:
            with _ended_after(total_seconds, pool) as is_over:
                answer = pool.urlopen(
                    method, target.path, body=body, headers=sent, redirect=False, preload_content=False,
                    decode_content=False,
                )  # fmt: skip
                content = _read(answer, at_most_bytes) if reads_body else b""
            if is_over.is_set():  # a body without a length ends like a whole one
                raise _late(target.netloc, total_seconds)
            break
        except urllib3.exceptions.NewConnectionError:
            if address == target.addresses[-1]:
                raise Unreachable(f"{target.netloc} cannot be reached.", "Check host and port.") from None
        except (urllib3.exceptions.HTTPError, OSError) as wrong:
            if is_over.is_set():
                raise _late(target.netloc, total_seconds) from None
            raise _failed(wrong, target.netloc, timeout_seconds) from None
        finally:
            pool.close()
    if len(content) > at_most_bytes:
        raise NetError(f"{target.netloc} answered more than {at_most_bytes} bytes.", "Check the address.")
    return HttpAnswer(int(answer.status), content)


def _read(answer: urllib3.BaseHTTPResponse, at_most_bytes: int) -> bytes:
    """One byte more than is wanted tells that there is more."""
    content = bytearray()
    while len(content) <= at_most_bytes and (
        block := answer.read(min(BLOCK_BYTES, at_most_bytes + 1 - len(content)))
    ):
        content += block
    answer.close()
    return bytes(content)


@contextmanager
def _ended_after(seconds: float, pool: urllib3.HTTPConnectionPool) -> Iterator[threading.Event]:
    """Connections that the pool opens meanwhile are shut after so long, which ends whoever reads from them."""
    opened: list[socket.socket] = []
    is_over = threading.Event()

    class Noted(pool.ConnectionCls):  # type: ignore[name-defined, misc]
        def connect(self) -> None:
            super().connect()
            opened.append(self.sock)

    def shut() -> None:
        is_over.set()
        for connection in opened:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    pool.ConnectionCls = Noted
    timer = threading.Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()


def _failed(wrong: Exception, netloc: str, timeout_seconds: float) -> NetError:
    if isinstance(wrong, urllib3.exceptions.SSLError):
        return NotTrusted(
            f"The certificate of {netloc} is not valid: {wrong.args[0] if wrong.args else wrong}.",
            "Add the authority that signed it, or enter the name in the certificate.",
        )
    if isinstance(wrong, urllib3.exceptions.TimeoutError):
        return _late(netloc, timeout_seconds)
    return Unreachable(
        f"{netloc} cannot be reached ({type(wrong).__name__}).",
        "Check host and port, and that the server uses https.",
    )


def _late(netloc: str, seconds: float) -> Unreachable:
    return Unreachable(f"{netloc} did not answer within {seconds:g} s.", "Try again later.")


def _pool(
    target: Target, address: str, ca_pem: str | None, timeout_seconds: float
) -> urllib3.HTTPConnectionPool:
    """To the address that was checked; the name is only what the certificate must have."""
    plain: dict[str, Any] = {"timeout": urllib3.Timeout(timeout_seconds), "retries": False}
    if target.scheme == "http":
        return urllib3.HTTPConnectionPool(address, target.port, **plain)
    context = trusting(ca_pem)
    context.load_default_certs()
    return urllib3.HTTPSConnectionPool(
        address,
        target.port,
        **plain,
        ssl_context=context,
        server_hostname=target.host,
        assert_hostname=target.host,
    )
