"""`__transaction_state`: what the transaction coordinators know of each transactional id.

Key: version 0, then the transactional id. Value: version 0 or 1 (flexible), then the members of TABLES. A null value
is a tombstone: the id expired. A coordinator skips a key of another version; at an unreadable key or value it stops loading
and does not see the records after it. Rejected, with the reason: `unreadable`, `after-unreadable`.
Source: Kafka `TransactionLogKey.json`, `TransactionLogValue.json`, `TransactionStateManager` (3.9, 4.1), real brokers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from spark.codecs.kafka_message import read_versioned
from spark.codecs.kafka_topics.transaction_state import KEY, STATES, VALUE
from spark.dialects import Dialect, Match
from spark.dialects._history import History, entry_values
from spark.dialects._interpret import Read, are_read, data_records, dumped, interpreter
from spark.terms.errors import Effect, Unreadable

TOPIC = "__transaction_state"
ENTRY_TYPE = "transaction"
SAMPLE_RECORDS = 200
FATAL: Effect = "fatal"
KEY_VERSION = b"\x00\x00"


def read_key(key: bytes | None) -> str:
    if key is None:
        raise Unreadable("The record has no key.")
    return str(read_versioned(KEY, key, "key")["transactionalId"])


def effect_of(key: bytes | None) -> Effect:
    """What a coordinator does with an unreadable record."""
    is_other = key is not None and len(key) >= len(KEY_VERSION) and not key.startswith(KEY_VERSION)
    return "skipped" if is_other else FATAL


def read_value(value: bytes) -> dict[str, Any]:
    """The members of a value under Kafka's names; the state by name, the partitions as `topic-0`."""
    members = read_versioned(VALUE, value, "value")
    members["state"] = state_name(members["state"])
    members["partitions"] = [
        f"{group['topic']}-{number}" for group in members["partitions"] or () for number in group["numbers"]
    ]
    return members


def state_name(status: int) -> str:
    if not 0 <= status < len(STATES):
        raise Unreadable(f"The value names state {status}; 0 to {len(STATES) - 1} are known.")
    return STATES[status]


def read_record(key: bytes | None, value: bytes | None) -> Read:
    name = None
    try:
        name = read_key(key)
        if value is None:
            return ENTRY_TYPE, "delete", name, "{}", None, "raw"
        members = read_value(value)
    except Unreadable as error:
        kind = None if name is None else ENTRY_TYPE
        return kind, None, name, dumped({"effect": effect_of(key)}), str(error), "raw"
    return ENTRY_TYPE, members["state"], name, orjson.dumps(members).decode(), None, "raw"


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """The newest record of an id is its state, up to the first record that stops the loading."""
    has_ended = False
    rows = entry_values(entries, "offset", "entry_action", "entity_id", "attributes")
    for offset, action, name, attributes in rows:
        if has_ended:
            history.refuse(offset, ENTRY_TYPE, name or "", "after-unreadable")
        elif action is None or name is None:
            history.refuse(offset, ENTRY_TYPE, name or "", "unreadable")
            has_ended = orjson.loads(attributes or "{}").get("effect") == FATAL
        else:
            history.note(ENTRY_TYPE, name, None if action == "delete" else orjson.loads(attributes), offset)


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of keys and values; the topic's name decides the rest."""
    sample = data_records(records.slice(0, SAMPLE_RECORDS))
    is_named = topic == TOPIC
    if sample.num_rows and are_read(sample, read_record):
        return Match(
            100 if is_named else 60, "Keys and values are those of Kafka's transaction coordinators."
        )
    if is_named:
        return Match(90, "The topic has the name in which Kafka's transaction coordinators keep their state.")
    return Match(0, "Keys and values are not those of Kafka's transaction coordinators.")


dialect = Dialect(
    id="transaction-state",
    title="Transaction coordinator (__transaction_state)",
    sniff=sniff,
    interpret=interpreter(read_record),
    replay=replay,
)
