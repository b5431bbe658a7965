"""Records of `__remote_log_metadata`, byte by byte, as brokers of Kafka 4.1 write them. Keys are null.

    value => frame:1 kind:varint version:varint topic id partition [segment_id] fields tags

Source: Kafka `RemoteLogMetadataSerde`, `RemoteLogSegmentMetadata*Record.json`, `RemotePartitionDeleteMetadataRecord.json` (4.1).
"""

from __future__ import annotations

import hashlib
import struct

from tests.generator.segment import SOME_TIME_MS, Record

NO_TAGS, NULL = b"\x00", b"\x00"
COPY_STARTED, COPY_FINISHED, DELETE_STARTED, DELETE_FINISHED = range(4)
MARKED, STARTED, FINISHED = range(3)


def text(value: str) -> bytes:
    """A compact string."""
    return bytes([len(value) + 1]) + value.encode()


def uuid(name: str) -> bytes:
    """Sixteen bytes that belong to a name."""
    return hashlib.md5(name.encode()).digest()


def partition_field(topic: str, partition: int) -> bytes:
    """Topic, topic id, partition."""
    return text(topic) + uuid(topic) + struct.pack(">i", partition) + NO_TAGS


def segment_field(segment: str, topic: str, partition: int) -> bytes:
    """Partition and segment id."""
    return partition_field(topic, partition) + uuid(segment) + NO_TAGS


def started(
    segment: str = "a",
    first_offset: int = 0,
    last_offset: int = 99,
    *,
    topic: str = "orders",
    partition: int = 3,
    broker: int = 1,
    timestamp_ms: int = SOME_TIME_MS,
) -> Record:
    """A broker starts to copy a segment; all of it is of leader epoch 0."""
    epochs = b"\x02" + struct.pack(">iq", 0, first_offset) + NO_TAGS
    numbers = struct.pack(">qqiqq", first_offset, last_offset, broker, timestamp_ms - 1000, timestamp_ms)
    rest = epochs + struct.pack(">i", 1 << 20) + NULL + bytes([COPY_STARTED]) + NO_TAGS
    return framed(0, segment_field(segment, topic, partition) + numbers + rest, timestamp_ms)


def update(
    state: int,
    segment: str = "a",
    *,
    topic: str = "orders",
    partition: int = 3,
    broker: int = 1,
    timestamp_ms: int = SOME_TIME_MS,
) -> Record:
    """A segment's state changes."""
    rest = struct.pack(">iq", broker, timestamp_ms) + NULL + bytes([state]) + NO_TAGS
    return framed(1, segment_field(segment, topic, partition) + rest, timestamp_ms)


def partition_deletion(
    state: int, *, topic: str = "orders", partition: int = 3, timestamp_ms: int = SOME_TIME_MS
) -> Record:
    """A partition is to be deleted, is being deleted, is deleted."""
    rest = struct.pack(">iq", 1, timestamp_ms) + bytes([state]) + NO_TAGS
    return framed(2, partition_field(topic, partition) + rest, timestamp_ms)


def framed(kind: int, body: bytes, timestamp_ms: int = SOME_TIME_MS) -> Record:
    """The event behind its frame."""
    return Record(None, bytes([1, kind, 0]) + body, timestamp_ms)
