"""JSON exports of tools that are not known by name: objects with an offset, a key and a value under any of their usual names.

    offset     offset Offset messageOffset kafkaOffset          partition  partition Partition partitionId partitionID
    timestamp  timestamp Timestamp ts time (ms or ISO 8601)     topic      topic Topic
    key        key Key messageKey                               value      value Value payload content Content message body data ...
    headers    headers Headers (a map, or a list of {key, value})

Also one level down (`metadata`, `meta`, `record`). Members that are none of these are named in a note. An object without a
member for its value has an unknown value, never a null one. A last resort for records: every other layout is asked first.
Page: docs/sources/other-json.md
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._json.shape import look
from spark.sources._lines.lines import whole
from spark.sources._lines.objects import MAX_BYTES, objects
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.terms.wording import listed, plural

ID = "other-json"
OFFSET = ("offset", "Offset", "messageOffset", "kafkaOffset", "kafka_offset", "OFFSET")
PARTITION = ("partition", "Partition", "partitionId", "partitionID", "kafka_partition", "PARTITION")
TIMESTAMP = ("timestamp", "Timestamp", "ts", "time", "kafka_timestamp", "timestampMs")
TOPIC = ("topic", "Topic", "kafka_topic", "topicName")
KEY = ("key", "Key", "messageKey", "kafka_key", "KEY")
VALUE = (
    "value", "Value", "payload", "Payload", "content", "Content", "message", "Message", "body", "Body", "data", "Data",
    "messageValue", "messageBody", "kafka_value", "VALUE",
)  # fmt: skip
HEADERS = ("headers", "Headers")
INNER = ("metadata", "meta", "record", "Metadata")
ROLES = {
    "offset": OFFSET,
    "partition": PARTITION,
    "timestamp": TIMESTAMP,
    "topic": TOPIC,
    "key": KEY,
    "value": VALUE,
    "headers": HEADERS,
}
MAX_MS = 1 << 48


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By an offset, and a partition, a key or a value."""
    shape = look(head)
    if shape.problem:
        return Recognition(False, shape.problem)
    names = set(shape.names) | {
        name for inner in INNER for one in shape.values(inner) if isinstance(one, dict) for name in one
    }
    if not names.intersection(OFFSET):
        return Recognition(
            False, f"no offset under a usual name; has {', '.join(shape.names[:12]) or 'no members'}"
        )
    if not names.intersection((*PARTITION, *KEY, *VALUE)):
        return Recognition(False, "an offset, but no partition, key or value under a usual name")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"an unknown tool's export of more than {MAX_BYTES >> 20} MiB: split it")
    known = [name for role in ROLES.values() for name in role if name in names]
    return Recognition(True, f"an unknown tool's records: {', '.join(known)}; {shape.form}", 15)


@dataclass
class OtherJsonReader:
    """Objects into records, under the names that this file uses."""

    unknown: Counter[str] = field(default_factory=Counter)
    without_value: int = 0
    without_key: int = 0
    as_json: int = 0
    names: set[str] = field(default_factory=set)

    def read(self, split: Split) -> Iterator[TextRecord | UnreadLine]:
        """Records and objects that are none."""
        for start, end, found in objects(split):
            yield (
                UnreadLine(start, end, "not valid JSON") if found is None else self.record(start, end, found)
            )

    def record(self, start: int, end: int, members: dict[str, Any]) -> TextRecord | UnreadLine:
        """One object."""
        flat = {
            **{
                k: v
                for inner in INNER
                if isinstance(members.get(inner), dict)
                for k, v in members[inner].items()
            },
            **members,
        }
        roles = {role: next((name for name in names if name in flat), None) for role, names in ROLES.items()}
        offset = whole_number(flat.get(roles["offset"] or ""))
        if offset is None:
            return UnreadLine(start, end, "no offset that is a whole number", json.dumps(members).encode())
        for name in flat:
            self.unknown[name] += name not in roles.values() and name not in INNER
        found = TextRecord(
            start, end, offset=offset, partition=whole_number(flat.get(roles["partition"] or ""))
        )
        found.topic = flat[roles["topic"]] if isinstance(flat.get(roles["topic"] or ""), str) else None
        found.timestamp_ms = time_ms(flat.get(roles["timestamp"] or ""))
        found.headers = headers(flat.get(roles["headers"] or "")) if roles["headers"] else None
        found.key, found.key_is_null = self.side(flat, roles["key"])
        found.value, found.value_is_null = self.side(flat, roles["value"])
        self.without_value += roles["value"] is None
        self.without_key += roles["key"] is None
        self.names.update(name for name in (roles["key"], roles["value"]) if name)
        return found

    def side(self, flat: dict[str, Any], name: str | None) -> tuple[bytes | None, bool]:
        """Key or value and whether it is null; one that is not there is unknown."""
        if name is None:
            return None, False
        told = flat[name]
        if told is None or isinstance(told, str):
            return (None, True) if told is None else (told.encode("utf-8", "surrogatepass"), False)
        self.as_json += 1
        return json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode(), False

    def note(self) -> str:
        """What the user should know."""
        said = [f"Read under the names {listed(sorted(self.names))}."] if self.names else []
        if unknown := [name for name, count in self.unknown.most_common() if count]:
            said.append(f"Members that were not read: {listed(unknown[:20])}.")
        if self.without_value:
            said.append(
                f"{plural(self.without_value, 'record')} without a member for the value: the value is unknown, not null."
            )
        if self.without_key:
            said.append(
                f"{plural(self.without_key, 'record')} without a member for the key: the key is unknown."
            )
        if self.as_json:
            said.append("Keys and values that are JSON in the file are kept as compact JSON text.")
        return " ".join(said)


def whole_number(told: Any) -> int | None:
    """A whole number that fits 63 bits, also as text."""
    try:
        found = int(told) if isinstance(told, (int, str)) and not isinstance(told, bool) else -1
    except ValueError:
        return None
    return found if 0 <= found < 1 << 63 else None


def time_ms(told: Any) -> int | None:
    """Milliseconds, or ISO 8601."""
    if isinstance(told, str) and not told.lstrip("-").isdigit():
        try:
            at = datetime.fromisoformat(told.replace("Z", "+00:00"))
        except ValueError:
            return None
        return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    found = whole_number(told)
    return found if found is not None and found < MAX_MS else None


def headers(told: Any) -> list[tuple[bytes, bytes | None]]:
    """A map, or a list of objects with key and value."""
    pairs = list(told.items()) if isinstance(told, dict) else []
    if isinstance(told, list):
        pairs = [(one.get("key"), one.get("value")) for one in told if isinstance(one, dict) and "key" in one]
    return [(str(name).encode(), None if value is None else str(value).encode()) for name, value in pairs]


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split."""
    return whole(ID, file, number, topic, partition, replica)


def read(part: Split) -> Iterator[Chunk]:
    """All rows of the file."""
    reader = OtherJsonReader()
    yield from chunks(part, reader.read(part))
    if note := reader.note():
        yield Chunk(note=note)


source = Source(
    id=ID,
    title="JSON records of an unknown tool",
    kind="export",
    lacks=frozenset({"batches", "producers", "control", "aborted", "topic", "duplicate-headers"}),
    recognise=recognise,
    split=split,
    read=read,
)
