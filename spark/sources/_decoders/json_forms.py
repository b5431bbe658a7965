"""JSON that Kafka's decoders and formatters print for records of coordinators and controllers, converted back to bytes.

    group    key `{"type":"1","data":{..}}`   value `{"version":"3","data":{..}}` | `<DELETE>`
    txn      key `{"type":"0","data":{"transactionalId":..}}`   value the same
    share    key `{"type":"0","data":{"groupId":..,"topicId":..,"partition":..}}`   value the same, or null
    cluster  value `{"type":"TOPIC_RECORD","version":0,"data":{..}}`, no key

`data` is what the message's `JsonConverter` writes. Subscription and assignment of a member are printed as messages of
their own; their members show their version. The same holds for values of share groups: those of 4.1 have members that 4.0's
lack. The size of an epoch of 4.0 is not printed: 32 bits are written. Source: Kafka `DumpLogSegments` (3.7 to 4.4),
`CoordinatorRecordMessageFormatter`, `ShareGroupStateMessageFormatter` (4.x).
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import orjson

from spark.codecs.kafka_message import MessageSchema
from spark.codecs.kafka_message.write import Unwritable, write, write_versioned
from spark.codecs.kafka_topics.cluster_metadata import TYPES
from spark.codecs.kafka_topics.consumer_offsets import MEMBERS, RECORD_TYPES
from spark.codecs.kafka_topics.share_group_state import KEY as SHARE_KEY
from spark.codecs.kafka_topics.share_group_state import RECORD_TYPES as SHARE_TYPES
from spark.codecs.kafka_topics.transaction_state import KEY as TXN_KEY
from spark.codecs.kafka_topics.transaction_state import VALUE as TXN_VALUE
from spark.codecs.varint import write_unsigned
from spark.sources._decoders import NotDecoded, Pair

Members = Mapping[str, Any]
FRAME_VERSION = 1
SUBSCRIPTION_BY = (("rackId", 3), ("generationId", 2), ("ownedPartitions", 1))
VALUE_UNKNOWN = "values of record types that no release of Kafka writes in a form that Journalscope reads"
VERSION_MISSING = "versions of members' subscriptions and assignments"


def snake(name: str) -> str:
    """`RegisterBroker` as the enumeration's `REGISTER_BROKER_RECORD`."""
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name)
    return f"{words.upper().strip('_')}_RECORD"


METADATA = {snake(name): (number, message) for number, (name, message) in TYPES.items()}


def parsed(text: str | bytes) -> dict[str, Any]:
    try:
        members = orjson.loads(text)
    except ValueError as error:
        raise NotDecoded("no JSON object") from error
    if not isinstance(members, dict):
        raise NotDecoded("no JSON object")
    return members


def number(members: Members, name: str) -> int:
    """A whole number, which some versions print as text."""
    try:
        return int(members[name])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise NotDecoded(f"no number `{name}`") from error


def data(members: Members) -> dict[str, Any]:
    data = members.get("data")
    if not isinstance(data, dict):
        raise NotDecoded("no object `data`")
    return data


def is_key(members: Members) -> bool:
    """Whether an object is a key as the coordinators' decoders print it."""
    return set(members) in ({"type", "data"}, {"version", "data"}) and isinstance(members["data"], dict)


def type_of(key: Members) -> int:
    """The record type: the key's version, under the name of the first formatters of 4.0."""
    return number(key, "type" if "type" in key else "version")


def coordinator_pair(key: Members, value: Members | None) -> Pair:
    """A record of `__consumer_offsets`, `__transaction_state` or `__share_group_state`."""
    try:
        if is_share_key(data(key)):
            version_and_members = (None, None) if value is None else (number(value, "version"), data(value))
            return share_pair(type_of(key), data(key), *version_and_members)
        return transaction_pair(key, value) if "transactionalId" in data(key) else group_pair(key, value)
    except Unwritable as error:
        raise NotDecoded(str(error)) from error


def transaction_pair(key: Members, value: Members | None) -> Pair:
    """A record of `__transaction_state`."""
    key_bytes = write_versioned(TXN_KEY, type_of(key), data(key))
    if value is None:
        return Pair(key_bytes, None)
    members = dict(data(value))
    members["partitions"] = members.pop("transactionPartitions", members.get("partitions"))
    names = {
        "transactionTimeoutMs": "timeoutMs",
        "transactionStatus": "state",
        "transactionLastUpdateTimestampMs": "lastUpdateTimestamp",
        "transactionStartTimestampMs": "startTimestamp",
    }
    members = {names.get(name, name): member for name, member in members.items()}
    if members["partitions"] is not None:  # of a transactional id without a transaction it is null, not empty
        members["partitions"] = [
            {"topic": group.get("topic"), "numbers": group.get("partitionIds", group.get("numbers"))}
            for group in members["partitions"]
        ]
    return Pair(key_bytes, write_versioned(TXN_VALUE, number(value, "version"), members))


def group_pair(key: Members, value: Members | None) -> Pair:
    """A record of `__consumer_offsets`."""
    kind = RECORD_TYPES.get(type_of(key))
    if kind is None:
        raise NotDecoded(f"record type {type_of(key)} is unknown")
    key_bytes = write_versioned(kind.key, type_of(key), data(key))
    if value is None:
        return Pair(key_bytes, None)
    version = number(value, "version")
    if not kind.values:
        return Pair(key_bytes, struct.pack(">h", version), VALUE_UNKNOWN)
    members = with_members(data(value))
    missing = "" if members == data(value) else VERSION_MISSING
    return Pair(key_bytes, write_versioned(form_of(kind.values, members), version, members), missing)


def with_members(members: dict[str, Any]) -> dict[str, Any]:
    """A classic group, with the members' own messages as bytes."""
    group_members = members.get("members")
    if not isinstance(group_members, list):
        return members
    return {**members, "members": [with_messages(member) for member in group_members]}


def with_messages(member: dict[str, Any]) -> dict[str, Any]:
    """A member with its subscription and assignment as base64."""
    subscription, assignment = member.get("subscription"), member.get("assignment")
    version = 0
    if isinstance(subscription, dict):
        version = next((version for name, version in SUBSCRIPTION_BY if name in subscription), 0)
        member = {**member, "subscription": encoded("Subscription", version, subscription)}
    if isinstance(assignment, dict):
        member = {**member, "assignment": encoded("Assignment", version, assignment)}
    return member


def encoded(name: str, version: int, members: dict[str, Any]) -> str:
    """A member's message after its version, as base64."""
    opened = MEMBERS[name]
    message = MessageSchema(name, 0, opened.last_version, opened.flexible_from, False, opened.fields)
    return b64encode(struct.pack(">h", version) + write(message, version, members)).decode()


def metadata_value(members: Members) -> bytes:
    """A record of `__cluster_metadata`: frame version, type and version, then the fields."""
    record_type = METADATA.get(str(members.get("type")))
    if record_type is None:
        raise NotDecoded(f"record type {members.get('type')} is unknown")
    kind, message = record_type
    version = number(members, "version")
    try:
        fields = write(message, version, data(members))
    except Unwritable as error:
        raise NotDecoded(str(error)) from error
    return write_unsigned(FRAME_VERSION) + write_unsigned(kind) + write_unsigned(version) + fields


SHARE_TOPIC = "__share_group_state"
SHARE_KEY_MEMBERS = {"groupId", "topicId", "partition"}


def is_share_key(members: Mapping[str, Any]) -> bool:
    return set(members) >= SHARE_KEY_MEMBERS


def share_pair(
    record_type: int, key: Mapping[str, Any], version: int | None, value: Mapping[str, Any] | None
) -> Pair:
    """A record of `__share_group_state`. Raises Unwritable, NotDecoded."""
    if record_type not in SHARE_TYPES:
        raise NotDecoded(f"record type {record_type} is unknown")
    key_bytes = write_versioned(SHARE_KEY, record_type, key)
    if value is None or version is None:
        return Pair(key_bytes, None)
    form = form_of(SHARE_TYPES[record_type].values, value)
    return Pair(key_bytes, write_versioned(form, version, value))


def form_of(forms: tuple[MessageSchema, ...], value: Mapping[str, Any]) -> MessageSchema:
    """The newest form of the value whose untagged members are all printed; otherwise the newest."""
    return next(
        (form for form in forms if {field.name for field in form.fields if field.tag is None} <= set(value)),
        forms[0],
    )
