"""Records of `__cluster_metadata` -> entries. Never raises; the secrets of a SCRAM credential are left out.

The entity of an entry is what its record names: a topic's id (the name comes by replay), broker-1, topic-id/0, ...
"""

from __future__ import annotations

from typing import Any

import orjson

from spark.codecs.kafka_message import read
from spark.codecs.kafka_message.layout import varint
from spark.codecs.kafka_topics.cluster_metadata import TYPES
from spark.dialects._interpret import Read, interpreter
from spark.terms.errors import Unreadable
from spark.terms.secret_members import REDACTED, without_secret

FRAME_VERSION = 1
FATAL = '{"effect":"fatal"}'  # a controller or broker stops
SECRETS = ("salt", "storedKey", "serverKey")
RESOURCES = {2: "topic", 4: "broker", 8: "broker-logger", 16: "client-metrics", 32: "group"}
MECHANISMS = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
ENDS = ("Remove", "Unregister")
ACTIONS = {
    "BeginTransaction": "begin",
    "EndTransaction": "end",
    "AbortTransaction": "abort",
    "NoOp": "no-op",
    "Topic": "create",
    "Partition": "create",
    "RegisterBroker": "register",
    "RegisterController": "register",
}


def read_record(key: bytes | None, value: bytes | None) -> Read:
    name = None
    try:
        name, members = read_value(value)
    except Unreadable as error:
        return None, None, None, FATAL, str(error), "raw"
    hide_secrets(name, members)
    text = orjson.dumps(members).decode()
    return name, action(name, members), entity_of(name, members), text, None, "raw"


interpret = interpreter(read_record)


def hide_secrets(name: str, members: dict[str, Any]) -> None:
    """Masks the secrets of a credential and the values of secret settings."""
    if name == "UserScramCredential":
        members.update(dict.fromkeys(SECRETS, REDACTED))
    elif name == "Config":
        members["value"] = without_secret(members["name"], members["value"])


def read_value(value: bytes | None) -> tuple[str, dict[str, Any]]:
    """The record's type and members."""
    if value is None:
        raise Unreadable("The value is null: the controllers never write null values.")
    try:
        frame, at = varint(value, 0)
        number, at = varint(value, at)
        version, at = varint(value, at)
    except IndexError:
        raise Unreadable("The value ends before the record's type and version.") from None
    if frame != FRAME_VERSION:
        raise Unreadable(f"The value starts with frame version {frame}; only {FRAME_VERSION} is known.")
    if number not in TYPES:
        raise Unreadable(f"The value has record type {number}, which no controller up to 4.1 knows.")
    name, message = TYPES[number]
    return name, read(message, version, value, at, "value")


def action(name: str, members: dict[str, Any]) -> str:
    if name.startswith(ENDS) or members.get("remove") or (name == "Config" and members["value"] is None):
        return "delete"
    return ACTIONS.get(name, "update")


def entity_of(name: str, members: dict[str, Any]) -> str | None:
    if name in ("Partition", "PartitionChange"):
        return f"{members['topicId']}/{members['partitionId']}"
    if name == "Config":
        return config_id(members)
    if name in ("UserScramCredential", "RemoveUserScramCredential"):
        return scram_id(members)
    if name == "ClientQuota":
        return quota_id(members)
    for member in ("topicId", "brokerId", "controllerId", "id", "tokenId", "name", "topicName"):
        if member in members:
            return str(members[member])
    return None


def config_id(members: dict[str, Any]) -> str:
    """`topic/orders/retention.ms`; the default of all brokers has an empty name."""
    kind = RESOURCES.get(members["resourceType"], str(members["resourceType"]))
    return f"{kind}/{members['resourceName']}/{members['name']}"


def scram_id(members: dict[str, Any]) -> str:
    """`alice/SCRAM-SHA-256`."""
    return f"{members['name']}/{MECHANISMS.get(members['mechanism'], members['mechanism'])}"


def quota_id(members: dict[str, Any]) -> str:
    """`user=alice,client-id=app/producer_byte_rate`; a default has no name."""
    entity = ",".join(
        f"{entry['entityType']}={entry['entityName'] or '<default>'}" for entry in members["entity"]
    )
    return f"{entity}/{members['key']}"
