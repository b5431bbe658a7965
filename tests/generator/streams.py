"""Records of changelogs of Kafka Streams, byte by byte: windows, sessions, suppress buffers, joins.

    window => key start_ms:int64 sequence:int32       session => key end_ms:int64 start_ms:int64
    buffer => context prior old new release_ms:int64  with the header v=3
    join => timestamp_ms:int64 side:int8 key, a list of values, each behind its side

Source: Kafka Streams `WindowKeySchema`, `SessionKeySchema`, `BufferValue`, `ProcessorRecordContext`, `TimestampedKeyAndJoinSide`, `ListSerializer` (4.1).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tests.generator.segment import SOME_TIME_MS, Record

KEY, VALUE = b"till-4", b"42"
MINUTE_MS = 60_000
Header = tuple[bytes, bytes | None]


def window(
    key: bytes = KEY,
    start_ms: int = SOME_TIME_MS,
    value: bytes | None = VALUE,
    *,
    sequence: int = 0,
    timestamp_ms: int | None = None,
) -> Record:
    """A value of a window; its timestamp is that of the newest event in it."""
    whole = key + struct.pack(">qi", start_ms, sequence)
    return Record(whole, value, start_ms + MINUTE_MS if timestamp_ms is None else timestamp_ms)


def session(
    key: bytes = KEY, start_ms: int = SOME_TIME_MS, length_ms: int = MINUTE_MS, value: bytes | None = VALUE
) -> Record:
    """A value of a session."""
    return Record(key + struct.pack(">qq", start_ms + length_ms, start_ms), value, start_ms + length_ms)


def sized(content: bytes | None) -> bytes:
    """Bytes behind their size; null is -1."""
    return struct.pack(">i", -1) if content is None else struct.pack(">i", len(content)) + content


def buffered(
    key: bytes = KEY,
    new: bytes | None = VALUE,
    *,
    prior: bytes | None = None,
    old: bytes | None = None,
    headers: Sequence[Header] = (),
    topic: bytes = b"payments",
    release_ms: int = SOME_TIME_MS,
) -> Record:
    """A result that waits in a suppress buffer; an old value equal to the prior one is not written again."""
    names = b"".join(sized(name) + sized(value) for name, value in headers)
    context = (
        struct.pack(">qq", SOME_TIME_MS, 41) + sized(topic) + struct.pack(">ii", 3, len(headers)) + names
    )
    old_part = struct.pack(">i", -2) if prior is not None and old == prior else sized(old)
    value = context + sized(prior) + old_part + sized(new) + struct.pack(">q", release_ms)
    return Record(key, value, headers=[(b"v", b"\x03")])


def sent_on(key: bytes = KEY) -> Record:
    """The result left the buffer."""
    return Record(key, None)


def header_rows(record: Record) -> list[dict[str, bytes | None]]:
    """The headers as a row of the table `records` has them."""
    return [{"key": name, "value": value} for name, value in record.headers]


def waiting(
    *values: bytes, key: bytes = KEY, side: int = 1, time_ms: int = SOME_TIME_MS, is_joined: bool = False
) -> Record:
    """Records of a left or outer join that wait for a partner: left 1, right 0; `is_joined`: none waits any longer."""
    listed = b"".join(sized(bytes([side]) + value) for value in values or (VALUE,))
    value = struct.pack(">Bi", 1, len(values) or 1) + listed
    return Record(struct.pack(">qB", time_ms, side) + key, None if is_joined else value, time_ms)
