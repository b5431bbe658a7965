"""What may be written to a broker, and that nothing else is."""

from __future__ import annotations

import importlib
import pkgutil
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafka.protocol
import pytest
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer import FetchRequest, ListOffsetsRequest, OffsetForLeaderEpochRequest
from kafka.protocol.metadata import ApiVersionsRequest, MetadataRequest

from workers.kafka import wire
from workers.kafka.errors import NotKafka, NotReadOnly

ROOT = Path(__file__).resolve().parents[3]


def request_classes() -> Iterator[Any]:
    """Every request class that kafka-python has."""
    for module in pkgutil.walk_packages(kafka.protocol.__path__, "kafka.protocol."):
        if ".old" not in module.name and "generate" not in module.name:
            importlib.import_module(module.name)
    for found in ApiMessage.__subclasses__():
        if found.is_request() and found._class_version is None:
            yield found


CLASSES = {found.__name__: found for found in request_classes()}
OTHERS = {name: found for name, found in CLASSES.items() if found.API_KEY not in wire.READS}


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Our end and the broker's."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def came(theirs: socket.socket) -> bytes:
    """What reached the broker by now."""
    try:
        return theirs.recv(1 << 20)
    except BlockingIOError:
        return b""


def test_the_library_s_writers_are_among_the_others():
    assert {"ProduceRequest", "CreateTopicsRequest", "OffsetCommitRequest", "JoinGroupRequest"} < set(OTHERS)
    assert {"InitProducerIdRequest", "AlterConfigsRequest", "FindCoordinatorRequest"} < set(OTHERS)
    assert len(OTHERS) >= 35


@pytest.mark.parametrize("request_class", OTHERS.values(), ids=OTHERS.keys())
def test_every_other_request_is_refused_before_a_byte_is_written(pair, request_class):
    ours, theirs = pair
    for version in range(request_class.max_version + 1):
        with pytest.raises(NotReadOnly, match=f"API key {request_class.API_KEY}"):
            wire.write(ours, request_class(version=version), 1)
    assert came(theirs) == b""


@pytest.mark.parametrize("key", wire.READS)
def test_what_reads_is_written_with_its_key(pair, key):
    ours, theirs = pair
    (request_class,) = (found for found in CLASSES.values() if key == found.API_KEY)
    version = request_class.max_version
    fields: dict[str, Any] = {"allow_auto_topic_creation": False} if key == wire.METADATA else {}
    if "Sasl" in request_class.__name__:
        fields = {"mechanism": "PLAIN"} if key == 17 else {"auth_bytes": b""}
    wire.write(ours, request_class(version=version, **fields), 7)
    frame = came(theirs)
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    assert int.from_bytes(frame[4:6], "big") == key
    assert request_class.__name__ == f"{wire.READS[key]}Request"


FOR_A_TOPIC = [MetadataRequest.MetadataRequestTopic(name="no-such-topic")]
SIDE_EFFECTS = {
    "metadata that creates": MetadataRequest(version=9, topics=FOR_A_TOPIC, allow_auto_topic_creation=True),
    "metadata that creates by default": MetadataRequest(version=4, topics=FOR_A_TOPIC),
    **{
        f"metadata v{version} by name": MetadataRequest(
            version=version, topics=FOR_A_TOPIC, allow_auto_topic_creation=False
        )
        for version in range(4)
    },
    "fetch that begins a session": FetchRequest(version=12, topics=[], session_epoch=0),
    "fetch in a session": FetchRequest(version=12, topics=[], session_id=5, session_epoch=3),
    "fetch as a replica": FetchRequest(version=12, topics=[], replica_id=2),
    "fetch as a replica, since 3.5": FetchRequest(
        version=17, topics=[], replica_state=FetchRequest.ReplicaState(replica_id=2, replica_epoch=1)
    ),
    "offsets as a replica": ListOffsetsRequest(version=5, topics=[], replica_id=0),
    "epochs as a replica": OffsetForLeaderEpochRequest(version=4, topics=[], replica_id=1),
}


@pytest.mark.parametrize("request_", SIDE_EFFECTS.values(), ids=SIDE_EFFECTS.keys())
def test_what_reads_is_refused_where_it_has_a_side_effect(pair, request_):
    ours, theirs = pair
    with pytest.raises(NotReadOnly):
        wire.write(ours, request_, 1)
    assert came(theirs) == b""


@pytest.mark.parametrize("version", range(18))
def test_a_plain_fetch_is_a_consumer_s_without_a_session(pair, version):
    ours, theirs = pair
    wire.write(ours, FetchRequest(version=version, topics=[]), 1)
    written = FetchRequest.decode(came(theirs)[4:], version=version, header=True)
    assert (written.replica_id, written.session_id, written.session_epoch, written.isolation_level) == (
        -1,
        0,
        -1,
        0,
    )


def test_a_bare_token_cannot_be_taken_for_a_request(pair):
    ours, theirs = pair
    produce = bytes.fromhex("0000 0002 00000001 ffff")
    with pytest.raises(NotReadOnly):
        wire.write_token(ours, produce)
    assert came(theirs) == b""
    wire.write_token(ours, b"user\0user\0secret")
    wire.write_token(ours, b"\1")
    assert came(theirs) == b"\0\0\0\x10user\0user\0secret\0\0\0\1\1"


def test_only_one_module_writes_to_brokers():
    writing = re.compile(
        r"\.(send|sendall|sendmsg|sendto|sendfile)\(|makefile|asyncio|KafkaClient|kafka\.net\.connection"
    )
    places = [
        str(path.relative_to(ROOT))
        for folder in ("workers/kafka", "workers/capture")
        for path in (ROOT / folder).rglob("*.py")
        if writing.search(path.read_text())
    ]
    assert places == ["workers/kafka/wire.py"]


def test_an_answer_to_another_question_is_none(pair):
    ours, _ = pair
    asked = ApiVersionsRequest(version=0)
    wire.write(ours, asked, 3)
    answer = memoryview(bytes.fromhex("00000003 0000 00000000"))
    assert wire.decoded(asked, answer).error_code == 0
    with pytest.raises(NotKafka, match="question 4, and number 3"):
        wire.decoded(asked, memoryview(bytes.fromhex("00000004 0000 00000000")))


@pytest.mark.parametrize("cut", range(10))
def test_an_answer_that_ends_too_early_is_damage(pair, cut):
    ours, _ = pair
    asked = ApiVersionsRequest(version=0)
    wire.write(ours, asked, 3)
    with pytest.raises(NotKafka):
        wire.decoded(asked, memoryview(bytes.fromhex("00000003 0000 00000001 0000 0000 0009"))[:cut])
