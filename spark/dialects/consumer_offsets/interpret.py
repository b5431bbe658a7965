"""Records of `__consumer_offsets` -> entries. Never raises.

Attributes are the value's members under Kafka's names, and the key's except for committed offsets, whose entity has them.
Keys repeat often, so parsed keys are cached.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from spark.codecs.kafka_message import MessageSchema, read, read_newest, read_versioned
from spark.codecs.kafka_topics.consumer_offsets import (
    CLASSIC_GROUP,
    MEMBERS,
    OFFSET_COMMIT,
    RECORD_TYPES,
    VALUES,
    RecordType,
)
from spark.dialects._interpret import Read, interpreter
from spark.terms.errors import Unreadable

KEYS_KEPT = 200_000
COMMITTED = VALUES["OffsetCommitValue"]
SUBSCRIPTION, ASSIGNMENT = MEMBERS["Subscription"], MEMBERS["Assignment"]
VERSION_BYTES = 2
FATAL, SKIPPED = '{"effect":"fatal"}', '{"effect":"skipped"}'


@dataclass(frozen=True, slots=True)
class OffsetsKey:
    """The parts of a key; `error` if it is unreadable."""

    kind: RecordType | None
    entity_id: str | None
    members: dict[str, Any]
    error: str | None = None


def read_record(key: bytes | None, value: bytes | None) -> Read:
    about = read_key(key)
    kind = about.kind
    if kind is None or about.error:
        effect = FATAL if kind or is_short(key) else SKIPPED
        return kind.entry_type if kind else None, None, None, effect, about.error, "raw"
    if value is None:
        text = None if kind.entry_type == OFFSET_COMMIT else dumped(about.members)
        return kind.entry_type, "delete", about.entity_id, text or "{}", None, "raw"
    try:
        if kind.entry_type == OFFSET_COMMIT:
            text = dumped(read_versioned(COMMITTED, value, "value"))
            return OFFSET_COMMIT, "commit", about.entity_id, text, None, "raw"
        action, members = read_value(kind, value)
    except Unreadable as error:
        members = {**about.members, "effect": "fatal"}
        return kind.entry_type, None, about.entity_id, dumped(members), str(error), "raw"
    return kind.entry_type, action, about.entity_id, dumped({**about.members, **members}), None, "raw"


interpret = interpreter(read_record)


def is_short(key: bytes | None) -> bool:
    """Whether a key is too short for a type. A coordinator skips unknown types, but not these."""
    return key is None or len(key) < VERSION_BYTES


def dumped(members: dict[str, Any]) -> str:
    return orjson.dumps(members).decode()


@lru_cache(KEYS_KEPT)
def read_key(key: bytes | None) -> OffsetsKey:
    """Entry type and members of a key."""
    if key is None or len(key) < VERSION_BYTES:
        return OffsetsKey(
            None, None, {}, "The record has no key that names its type: the coordinator cannot load it."
        )
    number = int.from_bytes(key[:VERSION_BYTES], "big", signed=True)
    kind = RECORD_TYPES.get(number)
    if kind is None:
        return OffsetsKey(
            None, None, {}, f"The key begins with record type {number}, which no coordinator knows."
        )
    try:
        members = read_versioned(kind.key, key, "key")
    except Unreadable as error:
        return OffsetsKey(kind, None, {}, str(error))
    return OffsetsKey(kind, "/".join(str(member) for member in members.values()), members)


def read_value(kind: RecordType, value: bytes) -> tuple[str, dict[str, Any]]:
    """The action's word and the members of a value."""
    if not kind.values:
        return "update", {}
    members = read_newest(kind.values, value)
    if kind.entry_type != CLASSIC_GROUP:
        return "update", members
    if members["protocolType"] == "consumer":
        for member in members["members"]:
            member["subscription"] = decoded(SUBSCRIPTION, member["subscription"])
            member["assignment"] = decoded(ASSIGNMENT, member["assignment"])
    return "Stable" if members["members"] else "Empty", members


def decoded(message: MessageSchema, encoded: str) -> Any:
    """The decoded subscription or assignment of a consumer; its bytes if they have another form."""
    data = b64decode(encoded)
    version = int.from_bytes(data[:VERSION_BYTES], "big", signed=True)
    try:
        return read(message, min(version, message.last_version), data, VERSION_BYTES, "member")
    except Unreadable:
        return encoded
