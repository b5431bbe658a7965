"""Changelogs of Kafka Streams' versioned stores (KIP-889): a key's value is the one with the newest timestamp, not the last one.

    key => the store's key       value => the store's value; null deletes the key from the record's timestamp on

The records look like those of any other changelog, so nothing recognises them: name the dialect. A record that is older than
the value in force becomes history of its key; compaction keeps it and removes the newer one as soon as `min.compaction.lag.ms` is over.
Source: Kafka Streams `RocksDBVersionedStore.doPut`, `ChangeLoggingVersionedKeyValueBytesStore` (4.1).
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._history import History, entry_values
from spark.dialects._interpret import Read, dumped, interpreter
from spark.dialects._streams import key_text

ENTRY_TYPE = "store-version"


def read_record(key: bytes | None, value: bytes | None, timestamp_ms: int | None) -> Read:
    """A restore skips a record without a key."""
    if key is None:
        return ENTRY_TYPE, "ignored", None, "{}", None, "raw"
    size = {} if value is None else {"valueSizeBytes": len(value)}
    time = {} if timestamp_ms is None else {"timestampMs": timestamp_ms}
    action = "delete" if value is None else "update"
    return ENTRY_TYPE, action, key_text(key), dumped(time | size), None, "raw"


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """The value with the newest timestamp of each key; for equal timestamps the later record."""
    newest_ms: dict[str, int] = {}
    rows = entry_values(entries, "offset", "entry_action", "entity_id", "attributes")
    for offset, action, name, attributes in rows:
        if action not in ("update", "delete"):
            history.refuse(offset, ENTRY_TYPE, "", "key-missing")
            continue
        time_ms = orjson.loads(attributes).get("timestampMs", newest_ms.get(name, 0))
        if time_ms < newest_ms.get(name, time_ms):
            history.refuse(offset, ENTRY_TYPE, name, "older-version")
            continue
        newest_ms[name] = time_ms
        history.note(ENTRY_TYPE, name, attributes if action == "update" else None, offset)


def sniff(topic: str, records: pa.Table) -> Match:
    """Never: only a user who knows the store selects this dialect."""
    return Match(0, "Nothing in the records tells a versioned store from another one.")


dialect = Dialect(
    id="streams-versioned",
    title="Kafka Streams changelog (versioned store)",
    sniff=sniff,
    interpret=interpreter(read_record, "timestamp_ms"),
    replay=replay,
    reads_committed=True,
)
