"""How a transaction comes to hang: one more batch of it arrives after its marker, as a delayed request would bring it.

A client of Kafka does no such thing any more, so the request is written by hand: Produce v7, accepted by brokers that do
not verify transactions (before 3.6, or `transaction.partition.verification.enable=false`).
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Any

from kafka.protocol.producer import ProduceRequest, ProduceResponse
from kafka.record.default_records import DefaultRecordBatchBuilder

from tests.live.brokers import Broker

VERSION = 7
SIZE = struct.Struct(">i")
ROOM_BYTES = 65536


@dataclass(frozen=True)
class Producer:
    """As a broker knows it from the log."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    next_sequence: int


def append_late(broker: Broker, topic: str, partition: int, producer: Producer, timestamp_ms: int) -> int:
    """Append one record of the producer's last transaction; gives its offset."""
    builder = DefaultRecordBatchBuilder(2, 0, True, -1, -1, -1, ROOM_BYTES)
    builder.set_producer_state(producer.producer_id, producer.producer_epoch, producer.next_sequence, True)
    builder.append(0, timestamp_ms, b"late", b"value", [])
    request = ProduceRequest(
        version=VERSION,
        transactional_id=producer.transactional_id,
        acks=-1,
        timeout_ms=10_000,
        topic_data=[_part(ProduceRequest.TopicProduceData, topic, partition, bytes(builder.build()))],
    )
    answer = asked(broker, request, ProduceResponse, VERSION)
    (one,) = answer.responses[0].partition_responses
    assert one.error_code == 0, f"the broker answered error {one.error_code}"
    return int(one.base_offset)


def asked(broker: Broker, request: Any, response: Any, version: int) -> Any:
    """The broker's answer to a request that was written by hand."""
    request.with_header(correlation_id=1, client_id="late")
    with socket.create_connection(("127.0.0.1", broker.port), timeout=20) as connection:
        connection.sendall(request.encode(header=True, framed=True))
        with connection.makefile("rb") as answers:
            frame = answers.read(SIZE.unpack(answers.read(SIZE.size))[0])
    return response.decode(frame, version=version, header=True)


def _part(kind: Any, topic: str, partition: int, records: bytes) -> Any:
    return kind(name=topic, partition_data=[kind.PartitionProduceData(index=partition, records=records)])
