"""Keys of Connect's topics: kind and entity of a record.

    configs  connector-<name>  task-<name>-<n>  commit-<name>  target-state-<name>  tasks-fencing-<name>
             session-key  restart-connector-<name>  logger-cluster-<namespace>
    offsets  ["<connector>", {<source partition>}]
    status   status-connector-<name>  status-task-<name>-<n>  status-topic-<topic>:connector-<name>

A name may contain `-`: a task's number follows the last one. Source: Kafka `KafkaConfigBackingStore.java`,
`OffsetUtils.java`, `KafkaStatusBackingStore.java` (3.9).
"""

from __future__ import annotations

import orjson

from spark.codecs.json_text import why_not_json
from spark.terms.errors import Unreadable

TASK_TYPES = ("task", "task-status")
NAMED = (
    ("connector-", "connector"),
    ("task-", "task"),
    ("commit-", "commit"),
    ("target-state-", "target-state"),
    ("tasks-fencing-", "tasks-fencing"),
    ("restart-connector-", "restart-connector"),
    ("logger-cluster-", "logger"),
    ("status-connector-", "connector-status"),
    ("status-task-", "task-status"),
)
TOPIC_PREFIX = "status-topic-"
MAX_DIGITS = 10  # of a task's number, an int32
SESSION_KEY = "session-key"
CONFIGS = frozenset(
    {
        "connector",
        "task",
        "commit",
        "target-state",
        "tasks-fencing",
        "restart-connector",
        "logger",
        SESSION_KEY,
    }
)
STATUS = frozenset({"connector-status", "task-status", "topic-status"})
OFFSETS = frozenset({"connector-offset"})


def read_key(key: bytes | None) -> tuple[str, str]:
    """Entry type and entity id, parts joined with `/`."""
    if not key:
        raise Unreadable("The record has no key: a worker discards it.")
    if key.startswith(b"["):
        return "connector-offset", offset_id(key)
    try:
        text = key.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("The key is not text: a worker discards the record.", is_foreign=True) from error
    if text == SESSION_KEY:
        return SESSION_KEY, SESSION_KEY
    if text.startswith(TOPIC_PREFIX):
        return "topic-status", topic_id(text)
    for prefix, entry_type in NAMED:
        if text.startswith(prefix) and len(text) > len(prefix):
            name = text[len(prefix) :]
            return entry_type, task_id(name) if entry_type in TASK_TYPES else name
    raise Unreadable(
        f"The key {text[:80]!r} is unknown to workers: a worker discards the record.", is_foreign=True
    )


def task_id(name: str) -> str:
    """`<connector>/<n>`."""
    connector, _, number = name.rpartition("-")
    if not connector or not number.isascii() or not number.isdigit() or len(number) > MAX_DIGITS:
        raise Unreadable(
            f"The key names task {name[:80]!r}, which has no number: a worker discards the record."
        )
    return f"{connector}/{int(number)}"


def topic_id(text: str) -> str:
    """`<connector>/<topic>`: a topic that a connector uses."""
    topic, _, connector = text[len(TOPIC_PREFIX) :].partition(":connector-")
    if not topic or not connector:
        raise Unreadable("The key names no topic and connector: a worker discards the record.")
    return f"{connector}/{topic}"


def offset_id(key: bytes) -> str:
    """`<connector>/<source partition>`, its members sorted: writers serialise the same partition in several byte forms."""
    try:
        pair = orjson.loads(key)
    except ValueError as error:
        raise Unreadable(
            f"The key is not JSON: {why_not_json(key, error)}. A worker ignores the offset."
        ) from error
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
        raise Unreadable(
            "The key is not a pair of connector and source partition: a worker ignores the offset."
        )
    if not isinstance(pair[1], dict):
        raise Unreadable("The key's source partition is not an object: a worker ignores the offset.")
    try:
        return f"{pair[0]}/{orjson.dumps(pair[1], option=orjson.OPT_SORT_KEYS).decode()}"
    except TypeError as error:
        raise Unreadable("The key's source partition is nested deeper than 254 levels.") from error
