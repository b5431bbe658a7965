"""Records of Connect's topics -> entries.

    connector, task  {properties: {}}          commit           {tasks: count}
    target-state     {state, state.v2}         tasks-fencing    {task-count}
    session-key      {key, algorithm, creation-timestamp}       restart-connector  {include-tasks, only-failed}
    *-status         {state, trace, worker_id, generation}      topic-status       {topic: {}}
    connector-offset defined by the connector

The text `null` is a null to the JsonConverter of a worker: it deletes, and as a value of four bytes it stays after compaction.
Attributes are the value's members without secrets. The action of a status is its state.
Source: Kafka `KafkaConfigBackingStore.java`, `KafkaStatusBackingStore.java` (3.9); values are JSON without a schema.
"""

from __future__ import annotations

from typing import Any

from spark.dialects._interpret import Read, dumped, interpreter, json_object
from spark.dialects.connect.keys import SESSION_KEY, read_key
from spark.terms.errors import Unreadable
from spark.terms.secret_members import REDACTED, redacted

# Member that a value cannot do without, and what it must be: a worker ignores the record otherwise.
NEEDED: dict[str, tuple[str, type]] = {
    "connector": ("properties", dict),
    "task": ("properties", dict),
    "commit": ("tasks", int),
    "target-state": ("state", str),
    "tasks-fencing": ("task-count", int),
    SESSION_KEY: ("key", str),
    "connector-status": ("state", str),
    "task-status": ("state", str),
    "topic-status": ("topic", dict),
}
JSON_SPACE = b" \t\r\n"
KINDS = {dict: "object", int: "whole number", str: "text"}
ACTIONS = {"commit": "commit", "restart-connector": "request"}


def read_record(key: bytes | None, value: bytes | None) -> Read:
    entry_type = entity_id = None
    try:
        entry_type, entity_id = read_key(key)
        if value is None or value.strip(JSON_SPACE) == b"null":
            return entry_type, "delete", entity_id, "{}", None, "raw"
        members = read_value(entry_type, value)
    except Unreadable as error:
        return entry_type, None, entity_id, dumped(error.marks), str(error), "raw"
    action = members.get("state") if entry_type.endswith("r-status") or entry_type == "task-status" else None
    return entry_type, action or ACTIONS.get(entry_type, "set"), entity_id, dumped(members), None, "raw"


interpret = interpreter(read_record)


def read_value(entry_type: str, value: bytes) -> dict[str, Any]:
    """The members of a value without secrets."""
    members = json_object(value, "value")
    name, kind = NEEDED.get(entry_type, ("", object))
    if name and (not isinstance(members.get(name), kind) or isinstance(members[name], bool)):
        raise Unreadable(
            f"The value has no member {name} that is {'an' if kind is dict else 'a'} {KINDS[kind]}: a worker ignores it."
        )
    if entry_type == SESSION_KEY:
        return {**members, "key": REDACTED}
    return redacted(members) if entry_type in ("connector", "task", "logger") else members
