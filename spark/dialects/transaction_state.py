"""`__transaction_state`: what the transaction coordinators know of each transactional id.

    Key      => version:int16 (0) transactional_id:string16
    Value v0 => version:int16 producer_id:int64 producer_epoch:int16 timeout_ms:int32 status:int8
                partitions:[topic:string16 [partition:int32]] last_update_ms:int64 start_ms:int64
    Value v1 => the same in flexible form; tags: 0 previous and 1 next producer id, 2 client's transaction version

A null value is a tombstone: the id expired. Source: Kafka `TransactionLogKey.json`, `TransactionLogValue.json` (3.9).
"""

from __future__ import annotations

import struct
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import Read, Unreadable, entries

TOPIC = "__transaction_state"
ENTRY_TYPE = "transaction"
STATES = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead",
    "PrepareEpochFence",
)  # fmt: skip
TAGS = {
    0: ("previousProducerId", ">q"),
    1: ("nextProducerId", ">q"),
    2: ("clientTransactionVersion", ">h"),
}
SAMPLE_RECORDS = 200


class Reader:
    """Kafka's types, one after the other, from the bytes of a key or value."""

    def __init__(self, data: bytes, what: str):
        self._data = data
        self._at = 0
        self._what = what

    def take(self, size_bytes: int) -> bytes:
        """The next bytes."""
        start, self._at = self._at, self._at + size_bytes
        if size_bytes < 0 or self._at > len(self._data):
            raise Unreadable(f"The {self._what} ends within a field, {len(self._data)} bytes in.")
        return self._data[start : self._at]

    def number(self, form: str) -> int:
        """A whole number of fixed size."""
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def varint(self) -> int:
        """An unsigned varint of at most five bytes."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Unreadable(f"The {self._what} holds a length of more than five bytes.")

    def length(self, is_flexible: bool, form: str) -> int:
        """A length before a text or list; null counts as 0, as Kafka's own reader takes it here."""
        return max(self.varint() - 1 if is_flexible else self.number(form), 0)

    def text(self, is_flexible: bool) -> str:
        """A string."""
        return self.take(self.length(is_flexible, ">h")).decode("utf-8", "replace")

    def end(self) -> None:
        """Nothing may be left."""
        if self._at != len(self._data):
            raise Unreadable(
                f"The {self._what} has {len(self._data) - self._at} bytes behind its last field."
            )


def read_key(key: bytes | None) -> str:
    """The transactional id."""
    if key is None:
        raise Unreadable("The record has no key.")
    reader = Reader(key, "key")
    version = reader.number(">h")
    if version != 0:
        raise Unreadable(f"The key has version {version}; only 0 is known.")
    name = reader.text(is_flexible=False)
    reader.end()
    return name


def read_value(value: bytes) -> dict[str, Any]:
    """The members of a value, under Kafka's names."""
    reader = Reader(value, "value")
    version = reader.number(">h")
    if version not in (0, 1):
        raise Unreadable(f"The value has version {version}; 0 and 1 are known.")
    is_flexible = version == 1
    members: dict[str, Any] = {
        "producerId": reader.number(">q"),
        "producerEpoch": reader.number(">h"),
        "timeoutMs": reader.number(">i"),
        "state": state_name(reader.number(">b")),
        "partitions": read_partitions(reader, is_flexible),
        "lastUpdateTimestamp": reader.number(">q"),
        "startTimestamp": reader.number(">q"),
    }
    if is_flexible:
        read_tags(reader, members)
    reader.end()
    return members


def state_name(status: int) -> str:
    """The state's name."""
    if not 0 <= status < len(STATES):
        raise Unreadable(f"The value names state {status}; 0 to {len(STATES) - 1} are known.")
    return STATES[status]


def read_partitions(reader: Reader, is_flexible: bool) -> list[str]:
    """The partitions of the transaction as `topic-0`."""
    found = []
    for _ in range(reader.length(is_flexible, ">i")):
        topic = reader.text(is_flexible)
        numbers = [reader.number(">i") for _ in range(reader.length(is_flexible, ">i"))]
        found += [f"{topic}-{number}" for number in numbers]
        if is_flexible:
            read_tags(reader, {})
    return found


def read_tags(reader: Reader, members: dict[str, Any]) -> None:
    """Tagged fields; those that nobody here knows are passed over."""
    for _ in range(reader.varint()):
        tag, size_bytes = reader.varint(), reader.varint()
        content = reader.take(size_bytes)
        name, form = TAGS.get(tag, ("", ""))
        if name and struct.calcsize(form) == size_bytes:
            members[name] = struct.unpack(form, content)[0]


def read_record(key: bytes | None, value: bytes | None) -> Read:
    """One record as its entry's columns, in the order of READ."""
    name = None
    try:
        name = read_key(key)
        if value is None:
            return ENTRY_TYPE, "delete", name, "{}", None, "raw"
        members = read_value(value)
    except Unreadable as error:
        return ENTRY_TYPE, None, name, None, str(error), "raw"
    return ENTRY_TYPE, members["state"], name, orjson.dumps(members).decode(), None, "raw"


def interpret(records: pa.Table) -> pa.Table:
    """ENTRIES rows, one per data record, in their order."""
    return entries(records, read_record)


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of keys and values; the topic's name settles what they leave open."""
    errors = interpret(records.slice(0, SAMPLE_RECORDS)).column("decode_error")
    readable = errors.null_count
    is_named = topic == TOPIC
    if readable and readable == len(errors):
        return Match(
            100 if is_named else 60, "Keys and values are those of Kafka's transaction coordinators."
        )
    if is_named:
        return Match(90, "The topic has the name in which Kafka's transaction coordinators keep their state.")
    return Match(0, "Keys and values are not those of Kafka's transaction coordinators.")


dialect = Dialect(
    id="transaction-state",
    title="Transaction coordinator (__transaction_state)",
    sniff=sniff,
    interpret=interpret,
)
