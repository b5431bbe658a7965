"""Debezium's signal topic: orders to a connector, such as an incremental snapshot. Recognised by its values.

    key => the connector's topic.prefix       value => {id?, type, data}

The connector reads new records only; nothing is replayed. The topic must not be compacted: signals share one key. Source: Debezium
`KafkaSignalChannel`, `SignalRecord`, the actions of `io.debezium.pipeline.signal.actions` (2.7, 3.0).
"""

from __future__ import annotations

import re

from spark.dialects._recognised import Members, recognised

NAMES = re.compile(r"(?!)")  # a connector's signal topic may have any name
TYPES = {
    "execute-snapshot",
    "stop-snapshot",
    "pause-snapshot",
    "resume-snapshot",
    "snapshot-window-open",
    "snapshot-window-close",
    "schema-changes",
    "log",
}
MEMBERS = {"id", "type", "data", "additionalData"}


def is_signal(members: Members) -> bool:
    return members.get("type") in TYPES and "data" in members and members.keys() <= MEMBERS


dialect = recognised("debezium-signals", "Debezium signals", NAMES, is_signal, is_compacted=False)
