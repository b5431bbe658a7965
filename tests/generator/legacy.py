"""Encoder of messages of the formats 0 and 1 and of the compressed wrappers around them.

    Message => offset:8 size:4 crc:4 magic:1 attributes:1 [timestamp:8, format 1] key_size:4 key value_size:4 value
    Wrapper => a message without key whose value is a compressed run of whole messages; its offset is their last one's

Format 1 numbers the inner messages from 0, format 0 gives them their true offsets. Compaction keeps the numbers of
those that stay. Source: Kafka `LegacyRecord.java`, `MemoryRecordsBuilder.java`, `KafkaLZ4BlockOutputStream.java`.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import orjson

from tests.generator import bulk
from tests.generator.segment import (
    CODEC_NUMBERS,
    LOG_APPEND_TIME,
    SOME_TIME_MS,
    Codec,
    Record,
    compress,
    segment_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Magic = Literal[0, 1]
LZ4_CHECKSUM_AT = 6
LZ4_CHECKSUM_OF_FORMAT_0 = 0x1A  # Kafka before 0.10 took four bytes too many into it; 0x82 is right
FRAME = struct.Struct(">qi")
CRC = struct.Struct(">I")


def _field(content: bytes | None) -> bytes:
    return struct.pack(">i", -1) if content is None else struct.pack(">i", len(content)) + content


def message(
    record: Record, offset: int = 0, magic: Magic = 1, *, attributes: int = 0, bad_checksum: bool = False
) -> bytes:
    """One message; format 0 drops the timestamp, both drop headers."""
    timestamp = struct.pack(">q", record.timestamp_ms) if magic else b""
    checked = bytes([magic, attributes]) + timestamp + _field(record.key) + _field(record.value)
    body = CRC.pack(zlib.crc32(checked) ^ bad_checksum) + checked
    return FRAME.pack(offset, len(body)) + body


def log_append(record: Record, offset: int, timestamp_ms: int) -> bytes:
    """A message of format 1 whose time the broker has set."""
    return message(replace(record, timestamp_ms=timestamp_ms), offset, attributes=LOG_APPEND_TIME)


def packed(plain: bytes, codec: Codec, magic: Magic) -> bytes:
    """A run of messages as clients of that format compressed it."""
    content = compress(plain, codec)
    if codec != "lz4" or magic:
        return content
    return content[:LZ4_CHECKSUM_AT] + bytes([LZ4_CHECKSUM_OF_FORMAT_0]) + content[LZ4_CHECKSUM_AT + 1 :]


def wrapper(
    records: Sequence[Record],
    base_offset: int = 0,
    magic: Magic = 1,
    *,
    codec: Codec = "gzip",
    inner_magic: Magic | None = None,
    log_append_time_ms: int | None = None,
    offset: int | None = None,
    bad_inner: int | None = None,
) -> bytes:
    """Messages inside a wrapper. `offset_delta` counts from `base_offset`; None: the place in the list.

    `inner_magic` may differ (KAFKA-4298). `offset` replaces the wrapper's own, as old librdkafka wrote 0.
    `bad_inner` is the number of the message whose checksum is made wrong.
    """
    deltas = [place if r.offset_delta is None else r.offset_delta for place, r in enumerate(records)]
    inner = [
        message(
            record,
            delta + (0 if magic else base_offset),
            magic if inner_magic is None else inner_magic,
            bad_checksum=place == bad_inner,
        )
        for place, (record, delta) in enumerate(zip(records, deltas, strict=True))
    ]
    newest_ms = max((record.timestamp_ms for record in records), default=SOME_TIME_MS)
    attributes = CODEC_NUMBERS[codec] | (0 if log_append_time_ms is None else LOG_APPEND_TIME)
    time_ms = newest_ms if log_append_time_ms is None else log_append_time_ms
    content = Record(None, packed(b"".join(inner), codec, magic), time_ms)
    last_offset = base_offset + max(deltas, default=0)
    return message(content, last_offset if offset is None else offset, magic, attributes=attributes)


def segment(
    records: Sequence[Record],
    base_offset: int = 0,
    magic: Magic = 1,
    *,
    codec: Codec = "none",
    records_per_wrapper: int = 100,
) -> bytes:
    """Consecutive messages, or wrappers of them; no gaps."""
    if codec == "none":
        return b"".join(message(record, base_offset + n, magic) for n, record in enumerate(records))
    return b"".join(
        wrapper(records[start : start + records_per_wrapper], base_offset + start, magic, codec=codec)
        for start in range(0, len(records), records_per_wrapper)
    )


def bulk_records(batch: bulk.Batch) -> list[Record]:
    """The records of a batch of the bulk generator."""
    lines = (orjson.loads(line) for line in batch.shape.lines.filled(batch).tobytes().splitlines())
    return [
        Record(
            line["key"].encode(), None if (value := line["payload"]) is None else value.encode(), line["ts"]
        )
        for line in lines
    ]


def write_segment(parent: Path, size_bytes: int, magic: Magic = 1, codec: Codec = "gzip") -> Path:
    """The records of `bulk.write_segments` with the same size as one segment of an old format, in a partition folder."""
    folder = parent / f"{bulk.TOPIC}-0"
    folder.mkdir(parents=True)
    path = folder / segment_name(bulk.FIRST_OFFSET)
    with path.open("wb") as stream:
        for batch in bulk.batches(size_bytes):
            count = batch.shape.record_count
            stream.write(
                segment(bulk_records(batch), batch.base_offset, magic, codec=codec, records_per_wrapper=count)
            )
    return path
