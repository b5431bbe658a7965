"""Replay: entries -> share partitions, as a share coordinator loads its partition.

A snapshot replaces the state of its share partition, an update is merged into it, a null snapshot deletes it. An update
without a snapshot creates a share partition with an unknown state epoch. Rejected, with the reason:

    unknown-type   the key has an unknown record type: the coordinator skips the record
    unreadable     key or value cannot be read: the coordinator does not load the partition
Source: Kafka `ShareCoordinatorShard` (4.1, 4.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
import pyarrow as pa

from spark.codecs.kafka_topics.share_group_state import DELIVERY_STATES, SNAPSHOT
from spark.dialects._history import History, entry_values
from spark.dialects.share_group_state.deliveries import NO_OFFSET, DeliveryBatch, merged
from spark.dialects.share_group_state.interpret import state_name

ENTITY = "share-partition"
MAX_BATCHES_SHOWN = 100
NUMBERS = {name: number for number, name in enumerate(DELIVERY_STATES)}
OF_UPDATE = ("startOffset", "leaderEpoch")  # -1: no change
COMPLETED = "deliveryCompleteCount"  # since 4.2; -1, the default of this tagged field: unknown


def replay(entries: Iterable[pa.Table], history: History) -> None:
    coordinator = ShareCoordinator(history)
    rows = entry_values(entries, "offset", "entry_type", "entry_action", "entity_id", "attributes")
    for offset, kind, action, name, attributes in rows:
        if action is None:
            is_fatal = orjson.loads(attributes or "{}").get("effect") == "fatal"  # the coordinator stops
            reason = "unreadable" if is_fatal else "unknown-type"
            history.refuse(offset, kind or "unknown", name or "", reason)
        elif action == "delete":
            coordinator.forget(name, offset)
        else:
            coordinator.apply(kind, name, orjson.loads(attributes), offset)


class ShareCoordinator:
    def __init__(self, history: History) -> None:
        self.history = history
        self._deliveries: dict[str, list[DeliveryBatch]] = {}

    def forget(self, name: str, offset: int) -> None:
        self._deliveries.pop(name, None)
        self.history.end(ENTITY, name, offset)

    def apply(self, kind: str, name: str, members: dict[str, Any], offset: int) -> None:
        """A snapshot or an update of a share partition."""
        fresh = [delivery(batch) for batch in members.pop("stateBatches")]
        attributes = {} if kind == SNAPSHOT else self.history.attributes(ENTITY, name)
        deliveries = self._deliveries.get(name, []) if attributes else []
        changed = members
        if attributes:
            changed = attributes | {
                member: members[member] for member in OF_UPDATE if members[member] != NO_OFFSET
            }
            changed[COMPLETED] = members.get(COMPLETED, NO_OFFSET)
        start_offset = changed.get("startOffset", NO_OFFSET)
        self._deliveries[name] = merged([*deliveries, *fresh], start_offset) if attributes else fresh
        self.history.put(ENTITY, name, changed | as_attributes(self._deliveries[name]), offset)


def delivery(batch: Mapping[str, Any]) -> DeliveryBatch:
    state = batch["deliveryState"]
    number = NUMBERS[state] if state in NUMBERS else int(state)
    return DeliveryBatch(batch["firstOffset"], batch["lastOffset"], batch["deliveryCount"], number)


def as_attributes(deliveries: list[DeliveryBatch]) -> dict[str, Any]:
    """The deliveries as attributes: the number of batches, and the first of them."""
    batches = [
        {
            "firstOffset": batch.first_offset,
            "lastOffset": batch.last_offset,
            "deliveryCount": batch.delivery_count,
            "deliveryState": state_name(batch.state),
        }
        for batch in deliveries[:MAX_BATCHES_SHOWN]
    ]
    return {"batches": len(deliveries), "stateBatches": batches}
