"""A broker of a few lines on the loopback, for bytes that no real broker sends. Answers are made by kafka-python's classes."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kafka.protocol.metadata import ApiVersionsResponse, MetadataResponse

VERSIONS = {0: (0, 9), 1: (0, 12), 2: (0, 6), 3: (0, 11), 17: (0, 1), 18: (0, 3), 36: (0, 2)}  # those of 2.8


class SmallBroker:
    """`port`, and the (api key, version) of all that was `asked`, connection after connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[tuple[int, int]] = []
        self.connections = 0

    @property
    def address(self) -> str:
        """As a bootstrap server."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def listening(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that talks so on each connection."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                talk(self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


@contextmanager
def small_broker(
    answer: Callable[[SmallBroker, int, int, int], bytes | None],
    versions: dict[int, tuple[int, int]] = VERSIONS,
) -> Iterator[SmallBroker]:
    """Answers ApiVersions itself and leaves the rest to `answer(broker, key, version, correlation id)`.

    What `answer` gives is sent as it is; None closes the connection.
    """
    broker = SmallBroker(0)

    def talk(connection: socket.socket) -> None:
        broker.connections += 1
        while frame := request_of(connection):
            key, version, correlation_id = struct.unpack_from(">hhi", frame)
            broker.asked.append((key, version))
            if key == 18:
                said: bytes | None = framed(api_versions(versions), key, version, correlation_id)
            else:
                said = answer(broker, key, version, correlation_id)
            if said is None:
                return
            connection.sendall(said)

    with listening(talk) as port:
        broker.port = port
        yield broker


def request_of(connection: socket.socket) -> bytes:
    """The next request without its size; empty at the end."""
    head = received(connection, 4)
    return received(connection, int.from_bytes(head, "big")) if head else b""


def received(connection: socket.socket, size: int) -> bytes:
    """So many bytes, or nothing when they do not come."""
    whole = b""
    while len(whole) < size:
        part = connection.recv(size - len(whole))
        if not part:
            return b""
        whole += part
    return whole


def framed(response: Any, key: int, version: int, correlation_id: int) -> bytes:
    """An answer with its size and header."""
    response.API_VERSION = version
    response.with_header(correlation_id=correlation_id)
    assert key == response.API_KEY
    return bytes(response.encode(header=True, framed=True))


def api_versions(versions: dict[int, tuple[int, int]]) -> Any:
    """ApiVersions."""
    key_class = ApiVersionsResponse.ApiVersion
    keys = [
        key_class(api_key=key, min_version=low, max_version=high) for key, (low, high) in versions.items()
    ]
    return ApiVersionsResponse(version=0, error_code=0, api_keys=keys)


def metadata(version: int, brokers: dict[int, tuple[str, int]], topics: tuple[str, ...] = ()) -> Any:
    """Metadata of these brokers and of topics with one partition each, led by broker 1."""
    topic_class = MetadataResponse.MetadataResponseTopic
    partition = topic_class.MetadataResponsePartition(
        version=version, error_code=0, partition_index=0, leader_id=1, replica_nodes=[1], isr_nodes=[1]
    )
    return MetadataResponse(
        version=version,
        brokers=[
            MetadataResponse.MetadataResponseBroker(version=version, node_id=node, host=host, port=port)
            for node, (host, port) in brokers.items()
        ],
        topics=[
            topic_class(version=version, error_code=0, name=name, partitions=[partition]) for name in topics
        ],
    )
