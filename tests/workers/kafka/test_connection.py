"""What a connection makes of brokers that answer badly, late, or not at all, and of what are no brokers."""

from __future__ import annotations

import socket
import time

import pytest
from kafka.protocol.consumer import FetchRequest
from kafka.protocol.metadata import MetadataRequest

from tests.workers.kafka.small_broker import framed, listening, metadata, request_of, small_broker
from webapp.networks.guard import Networks
from workers.kafka.connection import MAX_ANSWER_BYTES, BrokerConnection
from workers.kafka.errors import Closed, NetworkBlocked, NotKafka, NotSpoken, NotTrusted, Unreachable
from workers.kafka.security import Security

HERE = Networks.of(["loopback"])


def connect(port: int, timeout_seconds: float = 5.0) -> BrokerConnection:
    return BrokerConnection.connect("127.0.0.1", port, Security(), HERE, timeout_seconds)


def saying(answer: bytes):
    """A server that answers each first request with these bytes and hangs up."""

    def talk(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(answer)

    return listening(talk)


NO_BROKERS = {
    "web server": (b"HTTP/1.1 400 Bad Request\r\n\r\n", NotKafka, "speaks HTTP"),
    "mail server": (b"220 mail.example ESMTP\r\n", NotKafka, r"answered with text \(220 \.\.\.\)"),
    "tls alert": (bytes.fromhex("15030300020250"), NotTrusted, "speaks TLS"),
    "answer of 2 GiB": (b"\x7f\xff\xff\xff", NotKafka, "an answer of 2147483647 bytes"),
    "answer of less than nothing": (b"\xff\xff\xff\xff", NotKafka, "an answer of -1 bytes"),
    "answer one byte too large": (
        (MAX_ANSWER_BYTES + 1).to_bytes(4, "big"), NotKafka, f"of {MAX_ANSWER_BYTES + 1} bytes",
    ),
    "garbage": (b"\0\0\0\x0c" + b"\0\0\0\1" + b"\0\0\x7f\xff\xff\xff\xfe\xfe", NotKafka, "cannot be read"),
    "another question's answer": (b"\0\0\0\x0a\0\0\0\x63\0\0\0\0\0\0", NotKafka, "question 99"),
    "half an answer": (b"\0\0\0\x0a\0\0\0", Closed, "at the first request"),
    "no answer": (b"", Closed, "older than 0.10"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "error", "says"), NO_BROKERS.values(), ids=NO_BROKERS.keys())
def test_what_is_no_broker_is_told_apart(answer, error, says):
    with saying(answer) as port, pytest.raises(error, match=says) as failed:
        connect(port)
    assert failed.value.cause.startswith("127.0.0.1") or error is NotKafka
    assert failed.value.cure.endswith(".")


def test_a_silent_server_is_left_after_the_timeout():
    began = time.monotonic()
    with (
        listening(lambda connection: time.sleep(2)) as port,
        pytest.raises(Unreachable, match=r"within 0\.2 s"),
    ):
        connect(port, 0.2)
    assert time.monotonic() - began < 2


def test_an_answer_that_trickles_is_left_after_the_timeout():
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"\0\0\0\x40")
        while True:
            connection.sendall(b"\0")
            time.sleep(0.05)

    with listening(talk) as port, pytest.raises(Unreachable, match=r"within 0\.3 s"):
        connect(port, 0.3)


def test_a_port_where_nobody_listens():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(Unreachable, match=f"127.0.0.1:{port} refuses connections"):
        connect(port)


def test_an_address_that_is_off_limits_gets_no_byte():
    came: list[bytes] = []
    with listening(lambda connection: came.append(connection.recv(1))) as port, pytest.raises(NetworkBlocked):
        BrokerConnection.connect("127.0.0.1", port, Security(), Networks.of([]), 1.0)
    assert came == []


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch):
    """A name that resolves to another address the second time (DNS rebinding) leads nowhere else."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def once(host: str, *rest: object, **fields: object):
        asked.append(host)
        if host == "broker.example":
            return real("127.0.0.1" if asked.count(host) == 1 else "127.0.0.2", *rest, **fields)
        return real(host, *rest, **fields)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    with small_broker(lambda *_: None) as broker:
        BrokerConnection.connect("broker.example", broker.port, Security(), HERE, 5.0).close()
    assert asked.count("broker.example") == 1


def test_the_highest_version_that_both_speak():
    with small_broker(lambda *_: None, {18: (0, 3), 1: (4, 99), 3: (2, 8), 2: (99, 99)}) as broker:
        connection = connect(broker.port)
        assert connection.version_of(MetadataRequest) == 8
        assert connection.version_of(MetadataRequest, at_most=3) == 3
        assert connection.version_of(FetchRequest) == FetchRequest.max_version
        with pytest.raises(NotSpoken, match="speaks Metadata from v2 on, Journalscope only up to v1"):
            connection.version_of(MetadataRequest, at_most=1)
        connection.close()


def test_a_request_that_the_broker_does_not_have():
    with small_broker(lambda *_: None, {0: (0, 8), 1: (0, 11), 18: (0, 2)}) as broker:
        connection = connect(broker.port)
        with pytest.raises(NotSpoken, match=r"\(2\.4 to 2\.6\) has no Metadata request"):
            connection.version_of(MetadataRequest)
        connection.close()


def test_a_connection_that_failed_answers_nothing_more():
    with small_broker(lambda *_: b"\0\0\0\x04\0\0\0\x63") as broker:
        connection = connect(broker.port)
        with pytest.raises(NotKafka):
            connection.ask(MetadataRequest, 9, topics=[], allow_auto_topic_creation=False)
        with pytest.raises(Closed):
            connection.ask(MetadataRequest, 9, topics=[], allow_auto_topic_creation=False)


def test_a_broker_that_throttles_us_is_given_the_time_it_named():
    def slow(broker, key, version, id):
        answer = metadata(version, {})
        if len(broker.asked) > 2:
            time.sleep(1.2)
        answer.throttle_time_ms = 30_000
        return framed(answer, key, version, id)

    with small_broker(slow) as broker:
        connection = connect(broker.port, 1.0)
        for _ in range(2):
            connection.ask(MetadataRequest, 9, topics=[], allow_auto_topic_creation=False)
        connection.close()
