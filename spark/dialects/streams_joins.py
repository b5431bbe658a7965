"""Changelogs of Kafka Streams' left and outer joins of streams: records that wait for a partner.

    key   => timestamp_ms:int64 side:int8 key          side: 1 left, 0 right
    value => 1:int8 count:int32 (size:int32 side:int8 value)*     all records of that time, side and key; null: they are joined, or sent on

Recognised if the name is that of a changelog and every key and value looked at has this form, to the last byte. A list of values is always
written whole. Source: Kafka Streams `TimestampedKeyAndJoinSideSerializer`, `LeftOrRightValueSerializer`, `ListSerializer`,
`ChangeLoggingListValueBytesStore` (3.1 to 4.1; 3.0 kept windows).
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._history import replay_newest
from spark.dialects._interpret import Read, data_records, dumped, interpreter, keys_and_values
from spark.dialects._streams import (
    CHANGELOG,
    MAX_SAMPLED,
    PROVEN_SCORE,
    is_time,
    key_text,
    time_text,
)
from spark.terms.errors import Unreadable
from spark.terms.wording import grouped

ENTRY_TYPE = "store-join"
KEY_START, LIST_START, SIZE = struct.Struct(">qB"), struct.Struct(">Bi"), struct.Struct(">i")
VARIABLE_SIZE = 1  # of the values in a list
SIDES = {1: "left", 0: "right"}


class JoinKey(NamedTuple):
    time_ms: int
    side: int
    key: bytes


def read_key(key: bytes) -> JoinKey:
    if len(key) < KEY_START.size:
        raise Unreadable(
            f"The key has {len(key)} bytes, fewer than the {KEY_START.size} of a time and a side.", "fatal"
        )
    time_ms, side = KEY_START.unpack_from(key)
    if side not in SIDES:
        raise Unreadable(f"The key names side {side}. There are 0 (right) and 1 (left).", "fatal")
    return JoinKey(time_ms, side, key[KEY_START.size :])


def read_sizes(value: bytes, side: int) -> list[int]:
    """The size of each value in a list, without its side byte. Raises Unreadable."""
    if len(value) < LIST_START.size or value[0] != VARIABLE_SIZE:
        raise Unreadable("The value is not a list of values with sizes.", "fatal")
    (_, count), position = LIST_START.unpack_from(value), LIST_START.size
    sizes: list[int] = []
    while position < len(value):
        position += SIZE.size
        size = SIZE.unpack_from(value, position - SIZE.size)[0] if position < len(value) else 0
        if not 1 <= size <= len(value) - position or value[position] != side:
            raise Unreadable("A value in the list is truncated, or of the other side of the join.", "fatal")
        sizes.append(size - 1)
        position += size
    if len(sizes) != count:
        raise Unreadable(f"The list has {len(sizes)} values and says {count}.", "fatal")
    return sizes


def read_record(key: bytes | None, value: bytes | None) -> Read:
    """A restore skips a record without a key."""
    if key is None:
        return ENTRY_TYPE, "ignored", None, "{}", None, "raw"
    name = None
    try:
        join_key = read_key(key)
        text, side = key_text(join_key.key), SIDES[join_key.side]
        name = "/".join((text, side, time_text(join_key.time_ms)))
        members: dict[str, Any] = {"key": text, "side": side, "timestampMs": join_key.time_ms}
        if value is None:
            return ENTRY_TYPE, "delete", name, dumped(members), None, "raw"
        sizes = read_sizes(value, join_key.side)
    except Unreadable as error:
        return name and ENTRY_TYPE, None, name, dumped(error.marks), str(error), "raw"
    counts = {"values": len(sizes), "valueSizeBytes": sum(sizes)}
    return ENTRY_TYPE, "update", name, dumped(members | counts), None, "raw"


def sniff(topic: str, records: pa.Table) -> Match:
    """By the name, and by the form of all sampled keys and values; keys alone prove nothing."""
    if not CHANGELOG.fullmatch(topic):
        return Match(0, "The name is not that of a changelog of Kafka Streams.")
    keys, values = keys_and_values(data_records(records).slice(0, MAX_SAMPLED))
    pairs = list(zip(keys, values, strict=True))
    if not any(value is not None for value in values) or not all(is_waiting(*pair) for pair in pairs):
        return Match(0, "The keys and values are not those of a join of Kafka Streams.")
    return Match(
        PROVEN_SCORE,
        f"All {grouped(len(pairs))} checked records are of a left or outer join of Kafka Streams.",
    )


def is_waiting(key: bytes | None, value: bytes | None) -> bool:
    """Whether a record has the form of one that waits for a partner, with a time of this century."""
    try:
        join_key = read_key(key or b"")
        return is_time(join_key.time_ms, None) and (
            value is None or len(read_sizes(value, join_key.side)) > 0
        )
    except Unreadable:
        return False


dialect = Dialect(
    id="streams-joins",
    title="Kafka Streams changelog (left and outer joins)",
    sniff=sniff,
    interpret=interpreter(read_record),
    replay=replay_newest,
    reads_committed=True,
)
