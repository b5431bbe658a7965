"""Changelogs of Kafka Streams' window and session stores: keys that end in times.

    window  => key start_ms:int64 sequence:int32      sequence 0 unless the store keeps duplicates (joins)
    session => key end_ms:int64 start_ms:int64        the end comes first
    value   => the store's value; null deletes the window or session

Recognised if the name is that of a changelog and the times of all sampled keys agree with the records' timestamps. At its start, an application
restores the newest value of each key; windows older than the retention of the store are restored and then not served.
Source: Kafka Streams `WindowKeySchema`, `SessionKeySchema`, `StoreChangelogReader` (4.1).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

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

WINDOW, SESSION = "store-window", "store-session"
AFTER_KEY = {WINDOW: struct.Struct(">qi"), SESSION: struct.Struct(">qq")}
MAX_SEQUENCE = 1 << 24  # a store counts the duplicates of a window


class StoreKey(NamedTuple):
    """A key of the store; `number`: a window's sequence or a session's start; `time_ms`: a window's start or a session's end."""

    entry_type: str
    key: bytes
    time_ms: int
    number: int

    def is_proven(self, timestamp_ms: int | None) -> bool:
        """Whether its times agree with the timestamp of the record."""
        if not is_time(self.time_ms, timestamp_ms):
            return False
        if self.entry_type == SESSION:
            return is_time(self.number, self.time_ms)
        return 0 <= self.number < MAX_SEQUENCE


def split_key(key: bytes, entry_type: str) -> StoreKey:
    form = AFTER_KEY[entry_type]
    if len(key) < form.size:
        raise Unreadable(
            f"The key has {len(key)} bytes, fewer than the {form.size} of a window's times.", "fatal"
        )
    return StoreKey(entry_type, key[: -form.size], *form.unpack(key[-form.size :]))


def read_key(key: bytes) -> StoreKey:
    """A session if both times agree with the record's timestamp, else a window: no window's bytes look like a session's."""
    if len(key) >= AFTER_KEY[SESSION].size:
        session = split_key(key, SESSION)
        if session.is_proven(None):
            return session
    return split_key(key, WINDOW)


def read_record(key: bytes | None, value: bytes | None) -> Read:
    """A restore skips a record without a key."""
    if key is None:
        return WINDOW, "ignored", None, "{}", None, "raw"
    try:
        store_key = read_key(key)
    except Unreadable as error:
        return None, None, None, dumped(error.marks), str(error), "raw"
    action = "delete" if value is None else "update"
    size = {} if value is None else {"valueSizeBytes": len(value)}
    return (
        store_key.entry_type,
        action,
        entity_of(store_key),
        dumped(members_of(store_key) | size),
        None,
        "raw",
    )


def members_of(store_key: StoreKey) -> dict[str, str | int]:
    members: dict[str, str | int] = {"key": key_text(store_key.key)}
    if store_key.entry_type == SESSION:
        return members | {"sessionStartMs": store_key.number, "sessionEndMs": store_key.time_ms}
    return members | {"windowStartMs": store_key.time_ms, "sequence": store_key.number}


def entity_of(store_key: StoreKey) -> str:
    """`till-4/2024-02-08T00:00:00Z`; for a session both times, for a duplicate its number."""
    times = [store_key.time_ms]
    if store_key.entry_type == SESSION:
        times = [store_key.number, store_key.time_ms]
    number = [str(store_key.number)] if store_key.entry_type == WINDOW and store_key.number else []
    return "/".join([key_text(store_key.key), *map(time_text, times), *number])


def sniff(topic: str, records: pa.Table) -> Match:
    """By the name, and by the times in all keys looked at."""
    if not CHANGELOG.fullmatch(topic):
        return Match(0, "The name is not that of a changelog of Kafka Streams.")
    data = data_records(records).slice(0, MAX_SAMPLED)
    keys, _ = keys_and_values(data)
    times = data.column("timestamp_ms").to_pylist()
    kinds = [kind for kind in AFTER_KEY if keys and all_are(kind, keys, times)]
    if len(kinds) != 1:
        return Match(0, "The keys do not end in times of windows or sessions.")
    period = "session" if kinds[0] == SESSION else "window"
    return Match(
        PROVEN_SCORE,
        f"All {grouped(len(keys))} checked keys end in the times of a {period} of Kafka Streams.",
    )


def all_are(entry_type: str, keys: Sequence[bytes | None], times: Sequence[int | None]) -> bool:
    """Whether all keys are of this kind, judged by the timestamps of their records."""
    size = AFTER_KEY[entry_type].size
    return all(
        key is not None and len(key) > size and split_key(key, entry_type).is_proven(timestamp_ms)
        for key, timestamp_ms in zip(keys, times, strict=True)
    )


dialect = Dialect(
    id="streams-windows",
    title="Kafka Streams changelog (windows, sessions)",
    sniff=sniff,
    interpret=interpreter(read_record),
    replay=replay_newest,
    reads_committed=True,
)
