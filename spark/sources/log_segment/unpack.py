"""Opens a batch: decompresses its records, or the messages inside a wrapper, into an arena.

    format 1   offsets of the inner messages are relative; the last one equals the wrapper's own offset
    format 0   offsets of the inner messages are absolute

A wrapper of format 1 with offset 0 counts from 0 (old librdkafka). Compaction leaves gaps between the inner offsets.
The cleaner of some brokers wrote inner messages of format 0 into wrappers of format 1 (KAFKA-4298): the wrapper's
format decides how to count. Source: Kafka `AbstractLegacyRecordBatch.DeepRecordsIterator`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.sources.log_segment import batches as b
from spark.sources.log_segment import records as r
from spark.sources.log_segment.checksums import messages_agree
from spark.sources.log_segment.codecs import CODECS, Broken, DecompressionArena, with_header_checksum
from spark.sources.log_segment.records import MIN_MESSAGE_BYTES


@dataclass(frozen=True)
class Wrapped:
    """Messages inside a wrapper. `shift` is added to their offsets; first and last offset are absolute."""

    messages: int
    first_offset: int
    last_offset: int
    shift: int
    first_timestamp_ms: int  # NO_TIME: the message carries none
    agree: bool
    fault: str | None  # why not all of them can be read


def is_packed(headers: b.Numbers) -> b.Numbers:
    """Which batches have compressed contents; a batch that the cleaner emptied has only a header."""
    has_payload = (headers[:, b.SIZE] > b.HEADER_BYTES) | (headers[:, b.MAGIC] < 2)
    return (headers[:, b.ATTRIBUTES] & 7 != 0) & has_payload


def unpack(data: b.Bytes, header: list[int], arena: DecompressionArena) -> tuple[int, int]:
    """Where in the arena the contents of a compressed batch are. Raises TargetTooSmall, Broken."""
    codec, magic = CODECS[header[b.ATTRIBUTES] & 7], header[b.MAGIC]
    if magic == 2:
        return arena.add(codec, data[header[b.PAYLOAD_AT] : header[b.POSITION] + header[b.SIZE]])
    if codec == "zstd":
        message = f"format {magic} has no zstd; brokers and consumers reject it"
        raise Broken(message)
    payload = data[header[b.PAYLOAD_AT] : header[b.POSITION] + header[b.SIZE]]
    if header[b.PAYLOAD_AT] < 0 or not len(payload):
        message = "the message has no content to decompress"
        raise Broken(message)
    return arena.add(codec, with_header_checksum(payload) if codec == "lz4" and magic == 0 else payload)


def wrapped(content: b.Bytes, start: int, end: int, magic: int, offset: int) -> Wrapped:
    """Examines the messages in a decompressed wrapper of this format and offset."""
    count, first, last, first_time, reached = (
        int(n) for n in r.measure(content, start, end, r.room_for_one())
    )
    fault = None
    if reached < end:
        is_double = end - reached >= MIN_MESSAGE_BYTES and content[reached + b.OLD_ATTRIBUTES_AT] & 7
        fault = "is compressed itself" if is_double else "does not parse"
        fault = f"hold {count:,} messages that can be read; the next one {fault}"
    elif not count:
        fault = "contain no message"
    elif magic == 1 and last > offset > 0:
        fault = f"count to {last}, which is more than the offset {offset} of the batch itself"
    shift = offset - last if magic == 1 and offset and not fault else 0
    agree = messages_agree(content, start, reached)
    return Wrapped(count, first + shift, max(last + shift, offset), shift, first_time, agree, fault)


def first_offset(data: b.Bytes, position: int) -> int:
    """First offset of the batch or message here; of a wrapper that cannot be decompressed its own."""
    offset = int(b.number_at(data, position, 8))
    if data[position + b.MAGIC_AT] == 2 or not data[position + b.OLD_ATTRIBUTES_AT] & 7:
        return offset
    batch = probe(data, position)
    return offset if batch is None or batch.fault else batch.first_offset


PROBE_BYTES = 64 * 1024 * 1024  # decompressed, to look into one batch while the file is surveyed


def header_at(data: b.Bytes, position: int) -> b.Numbers:
    """The header here, as a single row of headers."""
    headers = np.empty((1, b.FIELDS), np.int64)
    b.read_headers(data, position, position + 1, 0, headers)
    return headers


def probe(data: b.Bytes, position: int) -> Wrapped | None:
    """The messages in the wrapper here, or None if it cannot be decompressed."""
    header = header_at(data, position)[0].tolist()
    arena = DecompressionArena(PROBE_BYTES, PROBE_BYTES)
    try:
        start, end = unpack(data, header, arena)
    except Broken:
        return None
    return wrapped(arena.memory, start, end, header[b.MAGIC], header[b.BASE_OFFSET])


def records_hold(data: b.Bytes, position: int) -> bool:
    """Whether a batch's records parse from its first byte to its last and have the stated number."""
    headers = header_at(data, position)
    header = headers[0].tolist()
    if header[b.MAGIC] < 2:
        if not header[b.ATTRIBUTES] & 7:
            return bool(b.is_old_entry(data, position, data.size))
        batch = probe(data, position)
        return batch is not None and batch.fault is None
    if not header[b.ATTRIBUTES] & 7:
        content = data[header[b.PAYLOAD_AT] : position + header[b.SIZE]]
    else:
        arena = DecompressionArena(PROBE_BYTES, PROBE_BYTES)
        try:
            content = arena.memory[slice(*unpack(data, header, arena))]
        except Broken:
            return False
        content.flags.writeable = False
    return 0 <= header[b.COUNT] == r.count(content, r.room_for_one())
