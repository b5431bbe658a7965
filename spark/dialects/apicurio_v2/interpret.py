"""Records of an Apicurio Registry 2.x journal -> entries. Reads every form from 2.0.0 to 2.6.13; never raises.

An entry's attributes are the members of key and value under the journal's names, flat. `has_content`, `content_size_bytes`
and the form of its hashes (hashes.py) replace the content.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson

from spark.dialects._interpret import Read, dumped, interpreter, json_object
from spark.dialects.apicurio_v2.content import NotAContentValue, read_content
from spark.dialects.apicurio_v2.hashes import hash_forms
from spark.dialects.apicurio_v2.message_types import (
    CONTENT,
    MESSAGE_TYPES,
    MessageType,
    action_word,
    entity_id,
)
from spark.terms.errors import Unreadable

Members = dict[str, Any]


def read_record(key: bytes | None, value: bytes | None) -> Read:
    try:
        kind, members = read_key(key)
    except Unreadable as error:
        return None, None, None, dumped(error.marks), str(error), "raw"
    if value is None:
        action = "restart" if kind.ordinal == 0 else "tombstone"
        return kind.name, action, entity_id(kind, members), dumped(members), None, "raw"
    try:
        action, reading = read_value(kind, value, members)
    except Unreadable as error:
        attributes = dumped({**members, **error.marks})
        return kind.name, None, entity_id(kind, members), attributes, str(error), "raw"
    return kind.name, action, entity_id(kind, members), dumped(members), None, reading


interpret = interpreter(read_record)


def read_key(key: bytes | None) -> tuple[MessageType, Members]:
    if not key:
        raise Unreadable("The record has no key: the registry skips it.")
    kind = MESSAGE_TYPES.get(key[0])
    if kind is None:
        raise Unreadable(
            f"The key starts with byte {key[0]}, which is not a message type: the registry skips the record.",
            is_foreign=True,
        )
    return kind, json_object(key[1:], "key")


def read_value(kind: MessageType, value: bytes, members: Members) -> tuple[str, str]:
    """Adds the value's members; returns the action's word and the reading that the bytes needed."""
    if not value:
        raise Unreadable(
            "The value is empty (0 bytes), not null. The registry cannot parse it and treats it as a tombstone.",
            "tombstone",
        )
    if value[0] != kind.ordinal:
        raise Unreadable(
            f"The value starts with type byte {value[0]}, its key with {kind.ordinal}.", "tombstone"
        )
    if kind.ordinal == CONTENT:
        return read_content_value(value, members)
    fields = json_object(value[1:], "value", "tombstone")
    action = action_word(fields.get("action"))
    if action is None:
        raise Unreadable(
            f"The value names the action {fields.get('action')!r}, which no version knows.", "tombstone"
        )
    if kind.name == "ContentV2":
        fields = content_v2_fields(fields)
    if kind.name == "Comment":
        fields["text"] = fields.pop("value", None)
    for name, member in fields.items():
        members.setdefault(name, member)
    return action, "raw"


def read_content_value(value: bytes, members: Members) -> tuple[str, str]:
    try:
        parts = read_content(value, str(members.get("contentHash")))
    except NotAContentValue as error:
        raise Unreadable(f"The content value cannot be read: {error}.", "tombstone") from error
    action = action_word(parts.action)
    if action is None:
        raise Unreadable(
            f"The content value names action {parts.action}, which no version knows.", "tombstone"
        )
    members["action"] = parts.action
    members["canonicalHash"] = parts.canonical_hash or None
    members["has_content"] = bool(parts.content)
    members["content_size_bytes"] = len(parts.content)
    if parts.references is not None:
        members["references"] = references(parts.references)
    if parts.content:
        stored = members.get("contentHash"), parts.canonical_hash
        members |= hash_forms(parts.content, parts.references or b"", *stored)
    return action, parts.reading


def content_v2_fields(fields: Members) -> Members:
    """ContentV2's members under Content's names; the content is replaced by its size."""
    text = fields.pop("base64Content", None)
    fields["canonicalHash"] = fields.pop("canonicalContentHash", None)
    fields["has_content"] = bool(text)
    fields["content_size_bytes"] = (
        len(text) * 3 // 4 - text[-2:].count("=") if isinstance(text, str) and text else 0
    )
    serialized = str(fields.pop("serializedReferences", None) or "").encode("utf-8", "replace")
    fields["references"] = references(serialized)
    content = decoded(text)
    if content:
        fields |= hash_forms(content, serialized, fields.get("contentHash"), fields["canonicalHash"])
    return fields


def decoded(text: object) -> bytes | None:
    """The decoded bytes; None if the text is not base64."""
    try:
        return base64.b64decode(text) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None


def references(text: bytes) -> Any:
    """The references as a list; as text if they are not JSON; None if there are none."""
    if not text:
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return text.decode("utf-8", "replace")
