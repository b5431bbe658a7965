"""Records of `__remote_log_metadata` -> entries. Never raises. Keys have no meaning: brokers write null.

The entity is the segment, topic/partition/segment id, or the partition, topic/partition. A broker stops reading the topic at a
value that it cannot read (`ConsumerTask`, 4.1).
"""

from __future__ import annotations

from typing import Any

from spark.codecs.kafka_message import read
from spark.codecs.kafka_message.layout import varint
from spark.codecs.kafka_topics.remote_log_metadata import (
    COPY_STARTED,
    FRAME_VERSION,
    KINDS,
    PARTITION_DELETION,
    EventKind,
)
from spark.dialects._interpret import Read, dumped, interpreter
from spark.terms.errors import Unreadable

FATAL = '{"effect":"fatal"}'
START_KIND = 0


def read_record(key: bytes | None, value: bytes | None) -> Read:
    try:
        number, members = read_value(value)
        kind = KINDS[number]
        state = state_name(kind, members.pop(kind.state_member))
        require_start(number, state)
    except Unreadable as error:
        return None, None, None, FATAL, str(error), "raw"
    members = {**identity(members), **members, "state": state}
    return kind.entry_type, state, entity_of(kind, members), dumped(members), None, "raw"


interpret = interpreter(read_record)


def read_value(value: bytes | None) -> tuple[int, dict[str, Any]]:
    """The number of the kind and the members of an event."""
    if value is None:
        raise Unreadable("The value is null. Brokers write no null values to this topic.")
    try:
        frame, position = varint(value, 0)
        number, position = varint(value, position)
        version, position = varint(value, position)
    except IndexError:
        raise Unreadable("The value ends before the kind and version of its event.") from None
    if frame != FRAME_VERSION:
        raise Unreadable(f"The value starts with frame version {frame}. Only {FRAME_VERSION} is known.")
    if number not in KINDS:
        raise Unreadable(f"The value has event kind {number}. Brokers write 0, 1 and 2.")
    return number, read(KINDS[number].message, version, value, position, "value")


def state_name(kind: EventKind, number: int) -> str:
    if not 0 <= number < len(kind.states):
        raise Unreadable(f"The value has state {number}. Known are 0 to {len(kind.states) - 1}.")
    return kind.states[number]


def require_start(number: int, state: str) -> None:
    """A segment's first event starts its copy, and no other event does. Raises Unreadable."""
    if number != START_KIND and state == COPY_STARTED:
        raise Unreadable(f"The value is an update with state {state}. Only a segment's first event has it.")
    if number == START_KIND and state != COPY_STARTED:
        raise Unreadable(f"The value is a segment's first event with state {state}, not {COPY_STARTED}.")


def identity(members: dict[str, Any]) -> dict[str, Any]:
    """Removes from `members` what identifies the segment or partition, and returns it."""
    segment = members.pop("remoteLogSegmentId", None)
    partition = segment["topicIdPartition"] if segment else members.pop("topicIdPartition")
    about = {"topic": partition["name"], "topicId": partition["id"], "partition": partition["partition"]}
    return {**about, "segmentId": segment["id"]} if segment else about


def entity_of(kind: EventKind, members: dict[str, Any]) -> str:
    """`orders/3/<segment id>`, or `orders/3`."""
    partition = f"{members['topic']}/{members['partition']}"
    return partition if kind.entry_type == PARTITION_DELETION else f"{partition}/{members['segmentId']}"
