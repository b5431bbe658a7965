"""One broker's connection: a question, its answer, the next question. Sizes and times are bounded."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from kafka.protocol.metadata import ApiVersionsRequest

from webapp.networks.guard import Networks
from workers.kafka import sign_in, tls, wire
from workers.kafka.errors import (
    Closed,
    KafkaError,
    NotKafka,
    NotSpoken,
    NotTrusted,
    Unreachable,
    broker_error,
)
from workers.kafka.releases import release_of
from workers.kafka.security import Security
from workers.net.address import written
from workers.net.tcp import open_port

# More than any answer to a bounded Fetch, and less than the first bytes of TLS or HTTP read as a size.
MAX_ANSWER_BYTES = 256 * 1024**2
# A broker whose quota is used up keeps the next answer back for this long at most (11 windows of a second, and more).
MAX_THROTTLE_SECONDS = 60.0
TLS_RECORDS, TLS_MAJOR = (0x15, 0x16), 3  # alert and handshake
NOT_A_BROKER = "Check host and port: this is not a listener of a Kafka broker."


class BrokerConnection:
    """Made by `connect`; `versions` are the broker's ApiVersions: key -> (lowest, highest)."""

    def __init__(self, broker: str, connection: socket.socket, timeout_seconds: float) -> None:
        self.broker, self.timeout_seconds = broker, timeout_seconds
        self.versions: dict[int, tuple[int, int]] = {}
        self._socket = connection
        self._asked = 0
        self._muted_until = 0.0

    @classmethod
    def connect(
        cls, host: str, port: int, security: Security, networks: Networks, timeout_seconds: float
    ) -> Self:
        """Resolved, checked, open, encrypted and signed in as `security` says. Raises KafkaError."""
        plain = open_port(host, port, networks.resolve(host, port), timeout_seconds)
        broker = written(host, port)
        try:
            secured = tls.secured(plain, host, broker, security) if security.is_encrypted else plain
        except KafkaError:
            plain.close()
            raise
        made = cls(broker, secured, timeout_seconds)
        try:
            made.learn_versions()
            if security.is_signed_in:
                sign_in.sign_in(made, security, networks)
        except KafkaError:
            made.close()
            raise
        return made

    def learn_versions(self) -> None:
        """Ask for ApiVersions v0, which every broker since 0.10 answers, before a sign-in as well."""
        try:
            answer = self.ask(ApiVersionsRequest, 0)
        except Closed as closed:
            raise Closed(
                f"{self.broker} closed the connection at the first request.",
                "Choose TLS if the port expects it; a broker older than 0.10 cannot be asked either.",
            ) from closed
        if answer.error_code:
            raise broker_error(answer.error_code, f"ApiVersions of {self.broker}")
        self.versions = {key.api_key: (key.min_version, key.max_version) for key in answer.api_keys or ()}

    def version_of(self, request_class: Any, at_most: int | None = None) -> int:
        """The highest version that both sides speak. Raises NotSpoken."""
        name = wire.READS.get(request_class.API_KEY, request_class.__name__)
        lowest, highest = self.versions.get(request_class.API_KEY, (0, -1))
        if highest < 0:
            raise NotSpoken(
                f"{self.broker} ({release_of(self.versions)}) has no {name} request.",
                "Brokers of this version do not report it. Captures do not contain it.",
            )
        version = min(highest, request_class.max_version, *([] if at_most is None else [at_most]))
        if version < lowest:
            raise NotSpoken(
                f"{self.broker} speaks {name} from v{lowest} on, Journalscope only up to v{version}.",
                "Use a newer Journalscope.",
            )
        return version

    def ask(self, request_class: Any, version: int | None = None, **fields: Any) -> Any:
        """The answer, in the highest version that both sides speak unless one is named.

        The connection is closed when there is none, so that no answer meets another question. Raises NotReadOnly,
        Closed, Unreachable, NotTrusted, NotKafka; without a version NotSpoken.
        """
        version = self.version_of(request_class) if version is None else version
        request = request_class(version=version, **fields)
        self._asked += 1
        seconds = self.timeout_seconds + fields.get("max_wait_ms", 0) / 1000
        with self._alert(request_class.__name__.removesuffix("Request"), seconds):
            self._socket.settimeout(seconds)
            wire.write(self._socket, request, self._asked)
            answer = wire.decoded(request, self._frame(seconds))
        throttled = (getattr(answer, "throttle_time_ms", 0) or 0) / 1000
        self._muted_until = time.monotonic() + min(throttled, MAX_THROTTLE_SECONDS)
        return answer

    def exchange_token(self, token: bytes) -> bytes:
        """The broker's bare token in return for ours (a sign-in that began with SaslHandshake v0)."""
        with self._alert("the sign-in", self.timeout_seconds):
            self._socket.settimeout(self.timeout_seconds)
            wire.write_token(self._socket, token)
            return bytes(self._frame(self.timeout_seconds, smallest=0))

    def close(self) -> None:
        self._socket.close()

    @contextmanager
    def _alert(self, request: str, seconds: float) -> Iterator[None]:
        """Turn what sockets raise into our errors, and close the connection after any."""
        try:
            yield
        except TimeoutError:
            self.close()
            raise Unreachable(
                f"{self.broker} did not answer {request} within {seconds:g} s.",
                "Try again. Check whether the broker is overloaded or a firewall blocks the answer.",
            ) from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            self.close()
            raise self._closed("within TLS") from None
        except ssl.SSLError as wrong:
            self.close()
            raise tls.translated(wrong, self.broker) from None
        except OSError as wrong:
            self.close()
            raise self._closed(type(wrong).__name__) from None
        except BaseException:
            self.close()
            raise

    def _closed(self, how: str) -> Closed:
        return Closed(
            f"{self.broker} closed the connection ({how}).",
            "Check the broker's log. A port that requires TLS or a sign-in closes other connections.",
        )

    def _frame(self, seconds: float, smallest: int = 4) -> memoryview:
        """The next response without its size."""
        until = max(time.monotonic(), self._muted_until) + seconds
        head = self._read(4, until)
        size = int.from_bytes(head, "big", signed=True)
        if not smallest <= size <= MAX_ANSWER_BYTES:
            raise _no_answer(self.broker, bytes(head), size)
        return self._read(size, until)

    def _read(self, size: int, until: float) -> memoryview:
        whole = memoryview(bytearray(size))
        had = 0
        while had < size:
            seconds_left = until - time.monotonic()
            if seconds_left <= 0:
                raise TimeoutError
            self._socket.settimeout(seconds_left)
            got = self._socket.recv_into(whole[had:])
            if not got:
                raise self._closed("in the middle of an answer" if had else "without an answer")
            had += got
        return whole


def _no_answer(broker: str, head: bytes, size: int) -> NotKafka | NotTrusted:
    """What answered, from four bytes that are no size of a response."""
    if head[0] in TLS_RECORDS and head[1] == TLS_MAJOR:
        return NotTrusted(f"{broker} speaks TLS.", "Choose a protocol with SSL, or enter the plaintext port.")
    if head == b"HTTP":
        says = "speaks HTTP"
    elif head.isascii() and head.decode().isprintable():
        says = f"answered with text ({head.decode()}...)"
    else:
        says = f"announced an answer of {size} bytes, more than any answer of Kafka"
    return NotKafka(f"{broker} {says}.", NOT_A_BROKER)
