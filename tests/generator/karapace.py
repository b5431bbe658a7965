"""A schema journal as Karapace backs it up: versions 1 to 3. Layouts: `spark.sources.karapace_v1`, `_v2`, `_v3`."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import xxhash

from tests.generator.segment import varint

if TYPE_CHECKING:
    from tests.generator.journal import Journal

RECORDS_PER_CHECKPOINT = 100
NULL, THERE = varint(1), varint(0)


def version_1(journal: Journal) -> bytes:
    """One array of pairs; keys and values as JSON."""
    pairs = [[_json(each.record.key), _json(each.record.value)] for each in journal.stored]
    return json.dumps(pairs).encode()


def _json(content: bytes | None) -> object:
    return None if content is None else json.loads(content)


def version_2(journal: Journal) -> bytes:
    """Hexadecimal lines."""
    lines = [_hex(each.record.key) + b"\t" + _hex(each.record.value) + b"\n" for each in journal.stored]
    return b"/V2\n" + b"".join(lines)


def _hex(content: bytes | None) -> bytes:
    return b"null" if content is None else content.hex().upper().encode()


def _bytes(content: bytes) -> bytes:
    return varint(len(content)) + content


def _optional(content: bytes | None) -> bytes:
    return NULL if content is None else THERE + _bytes(content)


def digest(content: bytes) -> bytes:
    """XXH64 in big-endian order."""
    return xxhash.xxh64_digest(content)


def version_3_data(journal: Journal, records_per_checkpoint: int = RECORDS_PER_CHECKPOINT) -> bytes:
    """The data file."""
    data = bytearray()
    for number, each in enumerate(journal.stored, 1):
        record = each.record
        pairs = b"".join(_bytes(name) + _bytes(value or b"") for name, value in record.headers)
        checkpoint = digest(bytes(data)) if number % records_per_checkpoint == 0 else None
        encoded = _optional(record.key) + _optional(record.value)
        encoded += (varint(len(record.headers)) + pairs if record.headers else b"") + varint(0)
        encoded += varint(each.offset) + varint(record.timestamp_ms) + _optional(checkpoint)
        data += struct.pack(">I", len(encoded)) + encoded
    return bytes(data)


def version_3_metadata(journal: Journal, data: bytes, tool_version: str = "4.1.0") -> bytes:
    """The metadata file for such a data file."""
    stored = journal.stored
    count = varint(len(stored))
    policy = varint(1) + _bytes(b"cleanup.policy") + _bytes(b"compact") + varint(0)
    name = f"{journal.topic}:{journal.partition}.data".encode()
    file = _bytes(name) + varint(journal.partition) + _bytes(digest(data)) + count
    file += varint(stored[0].offset) + varint(stored[-1].offset)
    encoded = varint(3) + _bytes(b"karapace") + _bytes(tool_version.encode()) + varint(0) + varint(0) + count
    encoded += _bytes(journal.topic.encode()) + NULL + varint(1) + varint(1) + policy
    encoded += varint(1) + file + varint(0) + varint(1)
    return b"/V3\n" + struct.pack(">I", len(encoded)) + encoded
