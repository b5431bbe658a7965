"""Encoder of record batches (message format 2) and of the log segments made of them.

    Batch  => base_offset:8 length:4 leader_epoch:4 magic:1 crc:4 attributes:2 last_offset_delta:4
              base_timestamp:8 max_timestamp:8 producer_id:8 producer_epoch:2 base_sequence:4 count:4 records
    Record => length:varint attributes:1 timestamp_delta:varlong offset_delta:varint key value headers

Source: Kafka `DefaultRecordBatch.java`, `DefaultRecord.java`, `EndTransactionMarker.java`, `SnappyOutputStream` of xerial.
"""

from __future__ import annotations

import gzip
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import cramjam
import crc32c
import zstandard

if TYPE_CHECKING:
    from collections.abc import Sequence

Codec = Literal["none", "gzip", "snappy", "snappy-raw", "lz4", "zstd"]

CODEC_NUMBERS = {"none": 0, "gzip": 1, "snappy": 2, "snappy-raw": 2, "lz4": 3, "zstd": 4}
LOG_APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 0x08, 0x10, 0x20, 0x40
MARKER_TYPES = {"abort": 0, "commit": 1}

AFTER_CRC = struct.Struct(">hiqqqhii")
BEFORE_CRC = struct.Struct(">qiibI")
SIZE_BEFORE_LENGTH_COUNTS = 12
HEADER_SIZE_BYTES = BEFORE_CRC.size + AFTER_CRC.size

SNAPPY_HEADER = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
SNAPPY_CHUNK_BYTES = 32 * 1024
LZ4_HEADER = bytes.fromhex("04224d18604082")  # independent blocks of 64 KB, no checksums
LZ4_BLOCK_BYTES = 64 * 1024
LZ4_STORED = 0x8000_0000

SOME_TIME_MS = 1_707_350_400_000  # 2024-02-08T00:00:00Z


@dataclass(frozen=True)
class Record:
    """One record. `offset_delta` counts from the base offset; None: its place in the list."""

    key: bytes | None
    value: bytes | None
    timestamp_ms: int = SOME_TIME_MS
    headers: Sequence[tuple[bytes, bytes | None]] = ()
    offset_delta: int | None = None


def varint(number: int) -> bytes:
    """Zigzag and base 128, as Kafka writes varint and varlong."""
    left = (number << 1) ^ (number >> 63)
    encoded = bytearray()
    while left > 0x7F:
        encoded.append(left & 0x7F | 0x80)
        left >>= 7
    encoded.append(left)
    return bytes(encoded)


def _bytes_field(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


def _record(record: Record, offset_delta: int, base_timestamp_ms: int) -> bytes:
    headers = [_bytes_field(name) + _bytes_field(value) for name, value in record.headers]
    body = b"".join(
        (
            b"\x00",
            varint(record.timestamp_ms - base_timestamp_ms),
            varint(offset_delta),
            _bytes_field(record.key),
            _bytes_field(record.value),
            varint(len(headers)),
            *headers,
        )
    )
    return varint(len(body)) + body


def _snappy_xerial(plain: bytes) -> bytes:
    parts = [SNAPPY_HEADER]
    for start in range(0, len(plain), SNAPPY_CHUNK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(plain[start : start + SNAPPY_CHUNK_BYTES]))
        parts.append(struct.pack(">i", len(block)) + block)
    return b"".join(parts)


def _lz4_frame(plain: bytes) -> bytes:
    parts = [LZ4_HEADER]
    for start in range(0, len(plain), LZ4_BLOCK_BYTES):
        content = plain[start : start + LZ4_BLOCK_BYTES]
        block = bytes(cramjam.lz4.compress_block(content, store_size=False))
        is_smaller = len(block) < len(content)
        parts.append(struct.pack("<I", len(block) if is_smaller else len(content) | LZ4_STORED))
        parts.append(block if is_smaller else content)
    return b"".join((*parts, b"\x00\x00\x00\x00"))


def compress(plain: bytes, codec: Codec) -> bytes:
    """The records of a batch as Kafka's clients compress them (`snappy-raw`: without the xerial framing)."""
    match codec:
        case "none":
            return plain
        case "gzip":
            return gzip.compress(plain, mtime=0)
        case "snappy":
            return _snappy_xerial(plain)
        case "snappy-raw":
            return bytes(cramjam.snappy.compress_raw(plain))
        case "lz4":
            return _lz4_frame(plain)
        case "zstd":
            return zstandard.compress(plain, 3)


@dataclass(frozen=True)
class BatchHeader:
    """Fields of a batch header that do not follow from the records."""

    base_offset: int
    last_offset_delta: int
    attributes: int
    base_timestamp_ms: int
    max_timestamp_ms: int
    record_count: int
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    leader_epoch: int = 0

    def before(self, payload: bytes) -> bytes:
        """The whole batch: header, with length and CRC-32C made right, and payload."""
        checked = (
            AFTER_CRC.pack(
                self.attributes,
                self.last_offset_delta,
                self.base_timestamp_ms,
                self.max_timestamp_ms,
                self.producer_id,
                self.producer_epoch,
                self.base_sequence,
                self.record_count,
            )
            + payload
        )
        length = BEFORE_CRC.size - SIZE_BEFORE_LENGTH_COUNTS + len(checked)
        return (
            BEFORE_CRC.pack(self.base_offset, length, self.leader_epoch, 2, crc32c.crc32c(checked)) + checked
        )


def batch(
    records: Sequence[Record],
    base_offset: int = 0,
    *,
    codec: Codec = "none",
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    leader_epoch: int = 0,
    transactional: bool = False,
    control: bool = False,
    log_append_time_ms: int | None = None,
    delete_horizon_ms: int | None = None,
    last_offset_delta: int | None = None,
    record_count: int | None = None,
) -> bytes:
    """One batch. `last_offset_delta` and `record_count` default to what the records say.

    Without records it is what the cleaner leaves behind to remember a producer: 61 bytes, count 0.
    """
    deltas = [index if r.offset_delta is None else r.offset_delta for index, r in enumerate(records)]
    first_timestamp_ms = records[0].timestamp_ms if records else -1
    base_timestamp_ms = first_timestamp_ms if delete_horizon_ms is None else delete_horizon_ms
    newest_ms = max((record.timestamp_ms for record in records), default=-1)
    attributes = CODEC_NUMBERS[codec]
    attributes |= LOG_APPEND_TIME if log_append_time_ms is not None else 0
    attributes |= TRANSACTIONAL if transactional else 0
    attributes |= CONTROL if control else 0
    attributes |= DELETE_HORIZON if delete_horizon_ms is not None else 0
    plain = b"".join(
        _record(record, delta, base_timestamp_ms) for record, delta in zip(records, deltas, strict=True)
    )
    header = BatchHeader(
        base_offset=base_offset,
        last_offset_delta=max(deltas, default=0) if last_offset_delta is None else last_offset_delta,
        attributes=attributes,
        base_timestamp_ms=base_timestamp_ms,
        max_timestamp_ms=newest_ms if log_append_time_ms is None else log_append_time_ms,
        record_count=len(records) if record_count is None else record_count,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        leader_epoch=leader_epoch,
    )
    return header.before(compress(plain, codec) if records else b"")


def marker(
    outcome: Literal["commit", "abort"],
    offset: int,
    producer_id: int,
    producer_epoch: int,
    coordinator_epoch: int = 0,
    timestamp_ms: int = SOME_TIME_MS,
    leader_epoch: int = 0,
) -> bytes:
    """The 78 bytes a transaction coordinator has written at the end of a transaction."""
    end = Record(
        key=struct.pack(">hh", 0, MARKER_TYPES[outcome]),
        value=struct.pack(">hi", 0, coordinator_epoch),
        timestamp_ms=timestamp_ms,
    )
    return batch(
        [end],
        offset,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        leader_epoch=leader_epoch,
        transactional=True,
        control=True,
    )


def segment_name(base_offset: int) -> str:
    """File name of the segment that starts there."""
    return f"{base_offset:020d}.log"


def segment(
    records: Sequence[Record],
    base_offset: int = 0,
    *,
    records_per_batch: int = 100,
    codec: Codec = "none",
    leader_epoch: int = 0,
) -> bytes:
    """Consecutive batches. `offset_delta` counts from `base_offset` here, so gaps between records stay gaps."""
    deltas = [index if r.offset_delta is None else r.offset_delta for index, r in enumerate(records)]
    batches = []
    for start in range(0, len(records), records_per_batch):
        first_delta = deltas[start]
        end = start + records_per_batch
        moved = [
            Record(record.key, record.value, record.timestamp_ms, record.headers, delta - first_delta)
            for record, delta in zip(records[start:end], deltas[start:end], strict=True)
        ]
        batches.append(batch(moved, base_offset + first_delta, codec=codec, leader_epoch=leader_epoch))
    return b"".join(batches)
