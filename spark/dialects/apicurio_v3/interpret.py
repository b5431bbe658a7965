"""Records of an Apicurio Registry 3.x -> entries: calls of the journal, snapshots, events. Never raises.

A call's attributes are its members; `contentHash` (as the registry computes it, null for drafts) and `content_size_bytes`
replace the content. The registry decodes a value by the header `mt`; a layout without headers uses the key's messageType,
which is equal.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects._interpret import Read, data_records, dumped, entry_rows, json_object, keys_and_values
from spark.dialects.apicurio_v3.message_classes import (
    ACTIONS,
    BOOTSTRAP,
    EVENT,
    MESSAGE_CLASSES,
    SNAPSHOT,
    WRITTEN_BUT_NOT_READ,
    entity_id,
)
from spark.dialects.apicurio_v3.sniff import UUID, is_event
from spark.terms.errors import Unreadable

Members = dict[str, Any]
Headers = list[dict[str, bytes | None]] | None
REFERENCE = ("groupId", "artifactId", "version", "name")  # in this order they are hashed, null or not
DRAFT = ("draft", "versionIsDraft", "isDraft")


def interpret(records: pa.Table) -> pa.Table:
    data = data_records(records)
    headers = data.column("headers").to_pylist()
    rows = zip(*keys_and_values(data), headers, strict=True)
    return entry_rows(data, [read_record(key, value, pairs) for key, value, pairs in rows])


def read_record(key: bytes | None, value: bytes | None, headers: Headers) -> Read:
    if key is not None and UUID.fullmatch(key):
        return read_snapshot(key, value)
    if key is None or key[:1] != b"{":
        event = read_event(value)
        if event:
            return event
    try:
        message_class = read_key(key)
    except Unreadable as error:
        return None, None, None, dumped(error.marks), str(error), "raw"
    try:
        message_class = told_class(message_class, headers)
        members = read_value(message_class, value)
    except Unreadable as error:
        return message_class, None, None, dumped(error.marks), str(error), "raw"
    action = ACTIONS.get(message_class)
    if value is None and message_class != BOOTSTRAP:
        action = "tombstone"
    return message_class, action, entity_id(members), dumped(members), None, "raw"


def read_snapshot(key: bytes, value: bytes | None) -> Read:
    """A record of the snapshots topic: the snapshot's id and the path of its file."""
    snapshot_id, location = key.decode("ascii"), (value or b"").decode("utf-8", "replace")
    members = {"snapshotId": snapshot_id, "snapshotLocation": location}
    return SNAPSHOT, "snapshot", snapshot_id, dumped(members), None, "raw"


def read_event(value: bytes | None) -> Read | None:
    """A record of the events topic."""
    if not is_event(value):
        return None
    members = orjson.loads(value or b"")
    return EVENT, "event", entity_id(members), dumped(members), None, "raw"


def read_key(key: bytes | None) -> str:
    """The key's message class, known or unknown."""
    if not key:
        raise Unreadable("The record has no key: the registry skips it.")
    try:
        members = json_object(key, "key")
    except Unreadable as error:
        is_older = len(key) > 1 and key[0] < 0x20 and key[1:2] == b"{"
        writer = (
            "It has the form that Apicurio Registry 2.x writes." if is_older else "The registry skips it."
        )
        raise Unreadable(f"{error} {writer}", is_foreign=True) from error
    message_class = members.get("messageType")
    if not isinstance(message_class, str) or "uuid" not in members:
        raise Unreadable(
            "The key names no messageType and uuid: the registry skips the record.", is_foreign=True
        )
    return message_class


def told_class(message_class: str, headers: Headers) -> str:
    """The class by which the registry decodes the value. Raises Unreadable if it has none."""
    if headers:
        named = next((pair["value"] for pair in headers if pair["key"] == b"mt"), None)
        if named is None:
            raise Unreadable(
                "The header mt is missing: the registry does not know the message class and treats the value as null.",
                "tombstone",
            )
        message_class = named.decode("utf-8", "replace")
    if message_class not in MESSAGE_CLASSES:
        raise Unknown(message_class)
    if message_class in WRITTEN_BUT_NOT_READ:
        raise Unknown(message_class, WRITTEN_BUT_NOT_READ[message_class])
    return message_class


class Unknown(Unreadable):
    """A message class that the reader does not list."""

    def __init__(self, message_class: str, versions: str | None = None) -> None:
        reason = f"does not list in its versions {versions}" if versions else "does not know"
        why = f"The message class {message_class} is one that the registry {reason}: it treats the value as null."
        super().__init__(why, "tombstone")
        self.message_class = message_class

    @property
    def marks(self) -> dict[str, Any]:
        """Adds the class, for the detector that counts these."""
        return {**super().marks, "unknownClass": self.message_class}


def read_value(message_class: str, value: bytes | None) -> Members:
    """The call's members; none for a null value."""
    if value is None:
        return {}
    if not value:
        raise Unreadable(
            "The value is empty (0 bytes), not null. The registry cannot parse it and treats it as null.",
            "tombstone",
        )
    members = json_object(value, "value", "tombstone")
    members.pop("key", None)
    if "content" in MESSAGE_CLASSES[message_class]:
        measure_content(message_class, members)
    return members


def measure_content(message_class: str, members: Members) -> None:
    """Replaces the content by its hash and size; a draft's hash is random and left out."""
    content = members.pop("content", None)
    if not isinstance(content, str) or message_class.startswith("Import"):
        return
    text = content.encode("utf-8", "surrogatepass")
    members["content_size_bytes"] = len(text)
    is_draft = any(members.get(name) for name in DRAFT) or message_class.startswith("UpdateArtifactVersion")
    references = hashed_references(members.get("references"))
    members["contentHash"] = None if is_draft else hashlib.sha256(text + references).hexdigest()


def hashed_references(references: Any) -> bytes:
    """References in the form that is hashed after the content; empty if there are none."""
    if not isinstance(references, list):
        return b""
    rows = [
        {name: reference.get(name) for name in REFERENCE}
        for reference in references
        if isinstance(reference, dict)
    ]
    unlike = {orjson.dumps(row): row for row in rows}
    return orjson.dumps(list(unlike.values())) if unlike else b""
