"""Who leads the partitions, asked again and again: another leader, no leader, another topic of the name, no topic."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from workers.capture import faults
from workers.capture.partition import PartitionCapture
from workers.capture.topics import Leader, TopicMetadata, topic_of
from workers.kafka import KafkaCluster, KafkaError

METADATA_SECONDS = 5.0
# A topic that metadata do not name for so long is deleted; a broker that just started knows none for a moment.
SURE_GONE_SECONDS = 3.0


class Leaders:
    """`topic` as it was named last; `topic_id` is that of the topic that is captured, null where topics have none."""

    def __init__(
        self,
        cluster: KafkaCluster,
        topic: TopicMetadata,
        topic_id: str | None,
        parts: Sequence[PartitionCapture],
    ) -> None:
        self.topic = topic
        self._cluster, self._topic_id, self._parts = cluster, topic_id, parts
        self._asked_at = time.monotonic()
        self._gone_since: float | None = None

    def are_due(self, waiting: Sequence[PartitionCapture]) -> bool:
        """Whether to ask again: it is long ago, or a partition has waited long enough for another leader."""
        now = time.monotonic()
        if now - self._asked_at >= METADATA_SECONDS:
            return True
        lost = (each for each in waiting if each.trouble is not None or each.leader.node < 0)
        return any(partition.ask_again_at <= now for partition in lost)

    def refresh(self, waiting: Sequence[PartitionCapture]) -> bool:
        """Request metadata; False without an answer or without the topic."""
        self._asked_at = time.monotonic()
        try:
            metadata = self._cluster.metadata([self.topic.name])
            topic = topic_of(metadata, self.topic.name)
            if topic is None:
                self._on_absence(metadata, waiting)
                return False
            self._gone_since = None
            self.follow(topic)
        except KafkaError as problem:
            self._on_failure(waiting, problem)
            return False
        return True

    def follow(self, topic: TopicMetadata) -> None:
        """Apply the leaders of the metadata. Raises KafkaError."""
        if self._topic_id and topic.id_text and self._topic_id != topic.id_text:
            says = "Another topic now has this name." + faults.MADE_ANEW
            stop_all(self._parts, "topic-recreated", says)
            return
        self.topic = topic
        for partition in self._parts:
            if partition.is_over:
                continue
            leader = topic.leaders.get(partition.number, Leader(-1, -1, (), ()))
            faults.on_leader(self._cluster, topic, partition, leader)
            if leader.node < 0:
                self._on_failure(
                    [partition],
                    KafkaError(f"Partition {partition.number} has no leader.", "Start its brokers."),
                )

    def _on_absence(self, metadata: Any, waiting: Sequence[PartitionCapture]) -> None:
        now = time.monotonic()
        self._gone_since = self._gone_since or now
        is_settled = bool(metadata.brokers) and metadata.controller_id >= 0
        if is_settled and now - self._gone_since >= SURE_GONE_SECONDS:
            stop_all(self._parts, "topic-deleted", f"The topic {self.topic.name} was deleted.")
            return
        why = f"The brokers do not know the topic {self.topic.name}."
        self._on_failure(waiting, KafkaError(why, "Check whether it exists."))

    def _on_failure(self, parts: Sequence[PartitionCapture], problem: KafkaError) -> None:
        for partition in parts:
            faults.on_failure(partition, problem)


def stop_all(parts: Sequence[PartitionCapture], stopped_by: str, says: str = "") -> None:
    """Stop all partitions that are not over; `says` becomes an event."""
    for partition in parts:
        if not partition.is_over:
            partition.stop(stopped_by, stopped_by if says else None, says)
