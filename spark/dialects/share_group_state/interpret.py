"""Records of `__share_group_state` -> entries. Never raises.

The entity is the share partition: group/topic id/partition. A coordinator skips a record of an unknown type. At any other
record that it cannot read it does not load the partition.
"""

from __future__ import annotations

from typing import Any

from spark.codecs.kafka_message import read_newest, read_versioned
from spark.codecs.kafka_topics.share_group_state import (
    DELIVERY_STATES,
    KEY,
    RECORD_TYPES,
    SNAPSHOT,
    ShareRecordType,
)
from spark.dialects._interpret import Read, dumped, interpreter
from spark.terms.errors import Unreadable

VERSION_BYTES = 2


def read_record(key: bytes | None, value: bytes | None) -> Read:
    kind = None
    members: dict[str, Any] = {}
    try:
        kind = kind_of(key)
        members = read_versioned(KEY, key or b"", "key")
        action, own = read_value(kind, value)
    except Unreadable as error:
        entry_type = kind.entry_type if kind and members else None
        marks = {"effect": "fatal"} if kind else error.marks
        return entry_type, None, entity_of(members), dumped({**members, **marks}), str(error), "raw"
    return kind.entry_type, action, entity_of(members), dumped({**members, **own}), None, "raw"


interpret = interpreter(read_record)


def kind_of(key: bytes | None) -> ShareRecordType:
    if key is None or len(key) < VERSION_BYTES:
        raise Unreadable("The record has no key that names its type.", "fatal")
    number = int.from_bytes(key[:VERSION_BYTES], "big", signed=True)
    if number not in RECORD_TYPES:
        raise Unreadable(f"The key begins with record type {number}. Share coordinators know 0 and 1.")
    return RECORD_TYPES[number]


def entity_of(members: dict[str, Any]) -> str | None:
    return f"{members['groupId']}/{members['topicId']}/{members['partition']}" if members else None


def read_value(kind: ShareRecordType, value: bytes | None) -> tuple[str, dict[str, Any]]:
    """The action's word and the members of a value."""
    if value is None:
        if kind.entry_type != SNAPSHOT:
            raise Unreadable("An update has a null value. Only a snapshot is deleted so.")
        return "delete", {}
    members = read_newest(kind.values, value)
    for batch in members["stateBatches"]:
        batch["deliveryState"] = state_name(batch["deliveryState"])
    return ("snapshot" if kind.entry_type == SNAPSHOT else "update"), members


def state_name(number: int) -> str:
    """A delivery state's name; an unknown one's number."""
    return DELIVERY_STATES[number] if 0 <= number < len(DELIVERY_STATES) else str(number)
