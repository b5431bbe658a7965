"""Requests that only read, as bytes, and answers from bytes, by kafka-python's classes of the protocol.

    Request => size:int32 api_key:int16 api_version:int16 correlation_id:int32 client_id ... body

`write` and `write_token` are the only places of the project that send anything to a broker. FindCoordinator is left out
on purpose: a broker creates `__transaction_state` or `__consumer_offsets` when it is asked for a coordinator and there is
none yet. Source: Kafka `ApiKeys.java`, `KafkaApis.scala` (handleFindCoordinatorRequest, handleTopicMetadataRequest).
"""

from __future__ import annotations

import io
import socket
import struct
from typing import Any

from kafka.protocol.api_header import ResponseClassRegistry

from workers.kafka.errors import NotKafka, NotReadOnly

READS = {
    1: "Fetch",
    2: "ListOffsets",
    3: "Metadata",
    17: "SaslHandshake",
    18: "ApiVersions",
    23: "OffsetForLeaderEpoch",
    32: "DescribeConfigs",
    35: "DescribeLogDirs",
    36: "SaslAuthenticate",
    60: "DescribeCluster",
    61: "DescribeProducers",
    65: "DescribeTransactions",
    66: "ListTransactions",
    75: "DescribeTopicPartitions",
}
FETCH, METADATA = 1, 3
TOPIC, BROKER = 2, 4  # resource types of DescribeConfigs
EARLIEST, LATEST = -2, -1  # timestamps of ListOffsets
CLIENT_ID = "journalscope"
CONSUMER = -1
# More than a response header can take: a correlation id and no tagged fields that Kafka knows of.
HEADER_BYTES = 256


def write(connection: socket.socket, request: Any, correlation_id: int) -> None:
    """Send it. Raises NotReadOnly before the first byte when it is none of the requests that only read."""
    if request.API_KEY not in READS:
        raise NotReadOnly(
            f"{type(request).__name__} (API key {request.API_KEY}) is not a read-only request.",
            "Journalscope sends nothing else to a broker.",
        )
    wrong = _side_effect(request)
    if wrong:
        raise NotReadOnly(f"{READS[request.API_KEY]} {wrong}.", "Ask without it.")
    request.with_header(correlation_id=correlation_id, client_id=CLIENT_ID)
    connection.sendall(request.encode(header=True, framed=True))


def write_token(connection: socket.socket, token: bytes) -> None:
    """Send the bare token of a sign-in that began with SaslHandshake v0.

    Raises NotReadOnly for one that a broker could take for a request: their API keys begin with a byte of 0.
    """
    if len(token) > 1 and token[0] < ord(" "):
        raise NotReadOnly(
            "A sign-in token that begins with a control character.", "Check the user name that was entered."
        )
    connection.sendall(struct.pack(">i", len(token)) + token)


def decoded(request: Any, frame: memoryview) -> Any:
    """The answer to a request that was written, from its frame without the size. Raises NotKafka."""
    header = request.header
    answer_class = ResponseClassRegistry.get_response_class(header)
    try:
        head = io.BytesIO(frame[:HEADER_BYTES])
        correlation_id = answer_class.parse_header(head).correlation_id
        if correlation_id == header.correlation_id:
            return answer_class.decode(frame[head.tell() :])
    except Exception as wrong:
        raise NotKafka(
            f"The answer to {READS[request.API_KEY]} v{request.API_VERSION} cannot be read ({type(wrong).__name__}).",
            "Check that a Kafka broker listens on this port, not another kind of proxy.",
        ) from wrong
    raise NotKafka(
        f"An answer came to question {correlation_id}, and number {header.correlation_id} had been asked.",
        "Check that a Kafka broker listens on this port, not another kind of proxy.",
    )


def _side_effect(request: Any) -> str | None:
    """What of an allowed request would change something in the cluster, in words."""
    version = request.API_VERSION
    if request.API_KEY == METADATA and version < 4 and request.topics:
        return f"v{version} of a named topic creates a missing topic"
    if request.API_KEY == METADATA and version >= 4 and request.allow_auto_topic_creation:
        return "with allow_auto_topic_creation creates a missing topic"
    if request.API_KEY == FETCH and (request.session_id, request.session_epoch) != (0, -1):
        return "with a session leaves the session in the broker's memory"
    state = getattr(request, "replica_state", None)
    replicas = [getattr(request, "replica_id", None), getattr(state, "replica_id", None)]
    if any(replica is not None and replica > CONSUMER for replica in replicas):
        return "as a replica moves the partition's high watermark"
    return None
