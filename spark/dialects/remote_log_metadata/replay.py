"""Replay: entries -> remote segments and partitions in deletion, as a broker reads the topic at its start.

A broker lists a segment from the start of its copy until its deletion is finished. Rejected, with the reason:

    segment-unknown    an update of a segment whose start is not in the log: the broker ignores it
    state-forbidden    a segment cannot change from its state to this one: the broker ignores it
    unreadable         the value cannot be read: the broker stops reading
    after-unreadable   a record after that one

Source: Kafka `RemoteLogMetadataCache`, `RemotePartitionMetadataStore`, `RemoteLogSegmentState`, `ConsumerTask` (4.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from spark.codecs.kafka_topics.remote_log_metadata import (
    COPY_FINISHED,
    COPY_STARTED,
    DELETE_FINISHED,
    DELETE_STARTED,
    PARTITION_DELETED,
    PARTITION_DELETION,
    SEGMENT,
)
from spark.dialects._history import History, entry_values

OF_UPDATE = ("state", "brokerId", "eventTimestampMs")
# From which states a segment may come into a state; None: from nothing. A state may be repeated.
MAY_FOLLOW = {
    COPY_STARTED: (None, COPY_STARTED),
    COPY_FINISHED: (COPY_STARTED, COPY_FINISHED),
    DELETE_STARTED: (COPY_STARTED, COPY_FINISHED, DELETE_STARTED),
    DELETE_FINISHED: (DELETE_STARTED, DELETE_FINISHED),
}


def replay(entries: Iterable[pa.Table], history: History) -> None:
    broker = RemoteLogBroker(history)
    rows = entry_values(entries, "offset", "entry_type", "entry_action", "entity_id", "attributes")
    for offset, kind, state, name, attributes in rows:
        if broker.has_stopped:
            history.refuse(offset, kind or "unknown", name or "", "after-unreadable")
        elif state is None:
            history.refuse(offset, "unknown", "", "unreadable")
            broker.has_stopped = True
        elif kind == SEGMENT:
            broker.segment(offset, name, state, orjson.loads(attributes))
        else:
            broker.partition(offset, name, state, orjson.loads(attributes))


class RemoteLogBroker:
    """A broker's state. Segments are listed by topic id and partition, because a topic may be created again."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.has_stopped = False
        self._segments: dict[tuple[str, int], set[str]] = {}

    def segment(self, offset: int, name: str, state: str, members: dict[str, Any]) -> None:
        attributes = self.history.attributes(SEGMENT, name)
        if not attributes and state != COPY_STARTED:
            self.history.refuse(offset, SEGMENT, name, "segment-unknown")
        elif attributes.get("state") not in MAY_FOLLOW[state]:
            self.history.refuse(offset, SEGMENT, name, "state-forbidden")
        elif state == DELETE_FINISHED:
            self.history.end(SEGMENT, name, offset)
            self._segments.get(partition_of(members), set()).discard(name)
        else:
            self._segments.setdefault(partition_of(members), set()).add(name)
            self.history.put(SEGMENT, name, attributes | changes(attributes, members), offset)

    def partition(self, offset: int, name: str, state: str, members: dict[str, Any]) -> None:
        """The deletion of a partition; when it finishes, its segments are forgotten."""
        if state != PARTITION_DELETED:
            self.history.put(PARTITION_DELETION, name, members, offset)
            return
        self.history.end(PARTITION_DELETION, name, offset)
        for segment in sorted(self._segments.pop(partition_of(members), ())):
            self.history.end(SEGMENT, segment, offset)


def partition_of(members: dict[str, Any]) -> tuple[str, int]:
    return members["topicId"], members["partition"]


def changes(attributes: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """All members of a first event; only the changed ones of an update."""
    if not attributes or members["state"] == COPY_STARTED:
        return members
    custom = {"customMetadata": members["customMetadata"]} if members.get("customMetadata") else {}
    return {name: members[name] for name in OF_UPDATE} | custom
