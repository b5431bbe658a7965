"""Records of unknown tools: a record's parts have any of their usual names.

Other names are counted for a note. A record without a name for its value has an unknown value, never a
null one.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from spark.sources._iso_time import iso_ms
from spark.sources._lines.records import TextRecord, UnreadLine
from spark.terms.wording import listed, plural

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
INNER = ("metadata", "meta", "record", "Metadata", "consumerRecord")
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


@dataclass
class NamedParts:
    """Parts of records by the names that a file uses. `named`: what the layout calls a name, in the plural."""

    named: str = "Members"
    unknown: Counter[str] = field(default_factory=Counter)
    without_value: int = 0
    without_key: int = 0
    as_json: int = 0
    names: set[str] = field(default_factory=set)

    def record(self, start: int, end: int, members: dict[str, Any]) -> TextRecord | UnreadLine:
        flat = flattened(members)
        roles = {role: next((name for name in names if name in flat), None) for role, names in ROLES.items()}
        parts = {role: flat[name] for role, name in roles.items() if name is not None}
        offset = whole_number(parts.get("offset"))
        if offset is None:
            return UnreadLine(start, end, "no offset that is a whole number", json.dumps(members).encode())
        for name in flat:
            self.unknown[name] += name not in roles.values() and name not in INNER
        record = TextRecord(start, end, offset=offset, partition=whole_number(parts.get("partition")))
        record.topic = parts["topic"] if isinstance(parts.get("topic"), str) else None
        record.timestamp_ms = time_ms(parts.get("timestamp"))
        record.headers = headers(parts["headers"]) if "headers" in parts else None
        record.key, record.key_is_null = self.side(flat, roles["key"])
        record.value, record.value_is_null = self.side(flat, roles["value"])
        self.without_value += roles["value"] is None
        self.without_key += roles["key"] is None
        self.names.update(name for name in (roles["key"], roles["value"]) if name)
        return record

    def side(self, flat: dict[str, Any], name: str | None) -> tuple[bytes | None, bool]:
        """Key or value, and whether it is null; an absent one is unknown."""
        if name is None:
            return None, False
        value = flat[name]
        if value is None or isinstance(value, str):
            return (None, True) if value is None else (value.encode("utf-8", "surrogatepass"), False)
        self.as_json += 1
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), False

    def note(self) -> str:
        sentences = [f"Read under the names {listed(sorted(self.names))}."] if self.names else []
        if unknown := [name for name, count in self.unknown.most_common() if count]:
            sentences.append(f"{self.named} that were not read: {listed(unknown[:20])}.")
        if self.without_value:
            sentences.append(
                f"{plural(self.without_value, 'record')} without a value by a usual name: the value is unknown, not null."
            )
        if self.without_key:
            sentences.append(
                f"{plural(self.without_key, 'record')} without a key by a usual name: the key is unknown."
            )
        if self.as_json:
            sentences.append("Keys and values that are JSON in the file are kept as compact JSON text.")
        return " ".join(sentences)


def flattened(members: dict[str, Any], depth: int = 2) -> dict[str, Any]:
    """The members, and those of objects in which tools nest some of them, up to `depth` levels down."""
    inner = [members[name] for name in INNER if isinstance(members.get(name), dict)] if depth else []
    return {
        **{k: v for inner_members in inner for k, v in flattened(inner_members, depth - 1).items()},
        **members,
    }


def whole_number(value: Any) -> int | None:
    """A whole number that fits 63 bits, also as text."""
    try:
        number = int(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else -1
    except ValueError:
        return None
    return number if 0 <= number < 1 << 63 else None


def time_ms(value: Any) -> int | None:
    if isinstance(value, str) and not value.lstrip("-").isdigit():
        return iso_ms(value)
    number = whole_number(value)
    return number if number is not None and number < MAX_MS else None


def headers(printed: Any) -> list[tuple[bytes, bytes | None]]:
    """From a map, or from a list of objects with key and value."""
    pairs = list(printed.items()) if isinstance(printed, dict) else []
    if isinstance(printed, list):
        pairs = [
            (header.get("key"), header.get("value"))
            for header in printed
            if isinstance(header, dict) and "key" in header
        ]
    return [(str(name).encode(), None if value is None else str(value).encode()) for name, value in pairs]
