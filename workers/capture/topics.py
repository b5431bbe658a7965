"""The topic as its brokers tell of it now: leaders, and where the logs begin and end."""

from __future__ import annotations

import base64
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka.protocol.consumer import ListOffsetsRequest

from workers.kafka import KafkaCluster, KafkaError
from workers.kafka.errors import UNKNOWN_TOPIC, broker_error

UNCOMMITTED, COMMITTED = 0, 1
# The partition has no leader just now, which is for the asker to wait for.
NO_LEADER = 5


class NoTopic(KafkaError):
    """There is no such topic, or no such partition of it."""


@dataclass(frozen=True)
class Leader:
    """Who leads a partition; `epoch` -1: the broker does not say. `node` -1: nobody."""

    node: int
    epoch: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


@dataclass(frozen=True)
class TopicMetadata:
    """A topic at one moment. `id`: null where brokers give topics none (before 2.8)."""

    name: str
    id: uuid.UUID | None
    is_internal: bool
    leaders: Mapping[int, Leader]

    @property
    def id_text(self) -> str | None:
        """Base64url without padding, as Kafka writes it."""
        return base64.urlsafe_b64encode(self.id.bytes).decode().rstrip("=") if self.id else None


def topic_of(answer: Any, name: str) -> TopicMetadata | None:
    """The topic in an answer to Metadata; null when the brokers do not know it. Raises NotAllowed, BrokerError."""
    described = next((topic for topic in answer.topics if topic.name == name), None)
    if described is None:
        return None
    if described.error_code == UNKNOWN_TOPIC:
        return None
    if described.error_code not in (0, NO_LEADER):
        raise broker_error(described.error_code, f"Topic {name}")
    leaders = {
        partition.partition_index: Leader(
            partition.leader_id,
            partition.leader_epoch,
            tuple(partition.replica_nodes),
            tuple(partition.isr_nodes),
        )
        for partition in sorted(described.partitions, key=lambda each: each.partition_index)
    }
    has_id = described.topic_id is not None and described.topic_id.int
    return TopicMetadata(name, described.topic_id if has_id else None, bool(described.is_internal), leaders)


def find_topic(cluster: KafkaCluster, name: str) -> TopicMetadata:
    """The topic. Raises NoTopic and what questions raise."""
    topic = topic_of(cluster.metadata([name]), name)
    if topic is None:
        raise NoTopic(
            f"The cluster has no topic {name}, or does not show it to this user.",
            "Check the name, and that the user may describe the topic.",
        )
    return topic


def chosen(topic: TopicMetadata, partitions: Iterable[int] | None) -> list[int]:
    """The partitions to capture, in order. Raises NoTopic for one that is not there."""
    numbers = sorted(topic.leaders) if partitions is None else sorted(set(partitions))
    missing = [number for number in numbers if number not in topic.leaders]
    if missing:
        raise NoTopic(
            f"Topic {topic.name} has no partition {missing[0]}: it has {len(topic.leaders)}.",
            "Select other partitions, or all.",
        )
    return numbers


def list_offsets(
    cluster: KafkaCluster,
    topic: TopicMetadata,
    partitions: Iterable[int],
    timestamp: int,
    isolation: int = UNCOMMITTED,
) -> dict[int, int | None]:
    """Partition -> EARLIEST or LATEST offset, or the first at or after a timestamp in ms (null: there is none).

    A partition without a leader, and one whose leader may be another by now, is left out. With COMMITTED a latest offset
    is the last stable one, which brokers before 0.11 do not know: empty. Brokers before 0.10.1 answer a timestamp by whole
    segments: with the first offset of a segment that was last written before it. Raises KafkaError.
    """
    offsets: dict[int, int | None] = {}
    for node, led in by_leader(topic, partitions).items():
        version = cluster.speaks(node, ListOffsetsRequest)
        if isolation == COMMITTED and (version or 0) < 2:
            continue
        questions = [
            ListOffsetsRequest.ListOffsetsTopic.ListOffsetsPartition(
                partition_index=number,
                current_leader_epoch=-1,
                timestamp=timestamp,
                max_num_offsets=1,
            )
            for number in led
        ]
        answer = cluster.ask(
            ListOffsetsRequest,
            node,
            replica_id=-1,
            isolation_level=isolation,
            topics=[ListOffsetsRequest.ListOffsetsTopic(name=topic.name, partitions=questions)],
            timeout_ms=int(cluster.timeout_seconds * 1000),
        )
        for partition_answer in [partition for each in answer.topics for partition in each.partitions]:
            if partition_answer.error_code in PASSING:
                continue
            if partition_answer.error_code:
                raise broker_error(
                    partition_answer.error_code, f"Offsets of {topic.name}-{partition_answer.partition_index}"
                )
            offsets[partition_answer.partition_index] = _offset(partition_answer, answer.version)
    return offsets


def by_leader(topic: TopicMetadata, partitions: Iterable[int]) -> dict[int, list[int]]:
    """Broker -> the partitions that it leads; those without a leader are left out."""
    led: defaultdict[int, list[int]] = defaultdict(list)
    for number in partitions:
        if number in topic.leaders and topic.leaders[number].node >= 0:
            led[topic.leaders[number].node].append(number)
    return dict(led)


def _offset(partition_answer: Any, version: int) -> int | None:
    if version == 0:
        return partition_answer.old_style_offsets[0] if partition_answer.old_style_offsets else None
    return None if partition_answer.offset < 0 else int(partition_answer.offset)


# Codes after which metadata may name another leader, or a little time helps: LEADER_NOT_AVAILABLE,
# NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, REPLICA_NOT_AVAILABLE, NETWORK_EXCEPTION, KAFKA_STORAGE_ERROR,
# FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_NOT_AVAILABLE; UNKNOWN_TOPIC_OR_PARTITION while metadata spread.
PASSING = frozenset({UNKNOWN_TOPIC, NO_LEADER, 6, 7, 9, 13, 56, 74, 75, 78})
