"""Changelogs of Kafka Streams' suppress buffers: results that wait until their window closes.

    header  => "v" = 3 (2.4.0 to 2.5.0 wrote 2)        a tombstone (the result was sent on) has none
    value   => context prior old new release_ms:int64
    context => timestamp_ms:int64 offset:int64 topic:bytes partition:int32 count:int32 (name:bytes value:bytes)*
    bytes, prior, old, new => size:int32 content       size -1: null; size -2 of old: the same bytes as prior

Results in the forms 0 to 2 (Kafka 2.1 to 2.3) are shown without their members. Source: Kafka Streams `BufferValue`, `ProcessorRecordContext`,
`InMemoryTimeOrderedKeyValueChangeBuffer` (4.1).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._history import replay_newest
from spark.dialects._interpret import Read, data_records, dumped, interpreter, keys_and_values
from spark.dialects._streams import (
    CHANGELOG,
    CONTENT_SCORE,
    MAX_SAMPLED,
    PROVEN_SCORE,
    is_time,
    key_text,
    time_text,
)
from spark.terms.errors import Unreadable
from spark.terms.wording import grouped

ENTRY_TYPE = "store-buffer"
LONGS, INT = struct.Struct(">qq"), struct.Struct(">i")
NULL, SAME_AS_PRIOR = -1, -2
MAX_HEADERS = 10_000
TOPIC = re.compile(rb"[\w.-]{1,249}", re.ASCII)
VERSION_HEADER, FORM_3 = b"v", b"\x03"
Headers = Sequence[Mapping[str, bytes | None]]


class BufferCursor:
    """A position in a value that advances with each read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def numbers(self, form: struct.Struct) -> tuple[int, ...]:
        values = form.unpack_from(self.data, self.position)
        self.position += form.size
        return values

    def sized(self) -> tuple[int, bytes]:
        """A length, and that many bytes; empty for a negative length."""
        (size,) = self.numbers(INT)
        if not SAME_AS_PRIOR <= size <= len(self.data) - self.position:
            raise Unreadable("The size of a field is not that of a buffered result.", "fatal")
        content = self.data[self.position : self.position + max(size, 0)]
        self.position += len(content)
        return size, content


def read_value(value: bytes) -> dict[str, Any]:
    """The members of a buffered result. Raises Unreadable."""
    cursor = BufferCursor(value)
    try:
        context = read_context(cursor)
        sizes = {name: cursor.sized()[0] for name in ("prior", "old", "new")}
        (release_ms,) = struct.unpack_from(">q", value, cursor.position)
    except struct.error as error:
        raise Unreadable("The value ends within a field of the buffer.", "fatal") from error
    if cursor.position + 8 != len(value):
        raise Unreadable("The value has more bytes than a buffered result.", "fatal")
    sizes["old"] = sizes["prior"] if sizes["old"] == SAME_AS_PRIOR else sizes["old"]
    return {
        **context,
        "releaseMs": release_ms,
        **{f"{name}SizeBytes": size for name, size in sizes.items() if size >= 0},
    }


def read_context(cursor: BufferCursor) -> dict[str, Any]:
    """The record that a result comes from."""
    timestamp_ms, offset = cursor.numbers(LONGS)
    _, topic = cursor.sized()
    partition, count = (cursor.numbers(INT)[0] for _ in range(2))
    if not TOPIC.fullmatch(topic) or partition < 0 or not 0 <= count <= MAX_HEADERS:
        raise Unreadable("The value names no record that the result comes from.", "fatal")
    for _ in range(count):
        cursor.sized()
        cursor.sized()
    source = {"sourceTopic": topic.decode(), "sourcePartition": partition, "sourceOffset": offset}
    return {"timestampMs": timestamp_ms, **source, "headers": count}


def read_record(key: bytes | None, value: bytes | None, headers: Headers | None = None) -> Read:
    """A restore skips a record without a key."""
    if key is None:
        return ENTRY_TYPE, "ignored", None, "{}", None, "raw"
    name = entity_of(key)
    if value is None:
        return ENTRY_TYPE, "delete", name, "{}", None, "raw"
    try:
        return ENTRY_TYPE, "update", name, dumped(read_value(value)), None, "raw"
    except Unreadable as error:
        versions = [header["value"] for header in headers or () if header["key"] == VERSION_HEADER]
        if FORM_3 not in versions:
            return ENTRY_TYPE, "update", name, dumped({"valueSizeBytes": len(value)}), None, "raw"
        return ENTRY_TYPE, None, name, dumped(error.marks), str(error), "raw"


def entity_of(key: bytes) -> str:
    """The key; for a session or window, whose times end the key, with the times in words."""
    if len(key) > LONGS.size:
        end_ms, start_ms = LONGS.unpack(key[-LONGS.size :])
        if is_time(end_ms, None) and is_time(start_ms, end_ms):
            return "/".join((key_text(key[: -LONGS.size]), time_text(start_ms), time_text(end_ms)))
    start_ms = int.from_bytes(key[-8:], "big", signed=True)
    if len(key) > 8 and is_time(start_ms, None):
        return f"{key_text(key[:-8])}/{time_text(start_ms)}"
    return key_text(key)


def sniff(topic: str, records: pa.Table) -> Match:
    """By values that are buffered results to the last byte: all sampled ones."""
    data = data_records(records).slice(0, MAX_SAMPLED)
    pairs = [pair for pair in zip(*keys_and_values(data), strict=True) if pair[1] is not None]
    if not pairs or not all(key is not None and is_result(value or b"") for key, value in pairs):
        return Match(0, "The values are not results in a suppress buffer of Kafka Streams.")
    why = f"All {grouped(len(pairs))} checked values are results in a suppress buffer of Kafka Streams."
    return Match(PROVEN_SCORE if CHANGELOG.fullmatch(topic) else CONTENT_SCORE, why)


def is_result(value: bytes) -> bool:
    try:
        read_value(value)
    except Unreadable:
        return False
    return True


dialect = Dialect(
    id="streams-suppress",
    title="Kafka Streams changelog (suppress buffer)",
    sniff=sniff,
    interpret=interpreter(read_record, "headers"),
    replay=replay_newest,
    reads_committed=True,
)
