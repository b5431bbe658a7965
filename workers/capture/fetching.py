"""One Fetch: several partitions of one leader, without a session, as a consumer. Source: `FetchRequest.json`, KIP-74, KIP-320."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafka.protocol.consumer import FetchRequest

from workers.capture.topics import TopicMetadata
from workers.kafka import KafkaCluster
from workers.kafka.releases import PRODUCE

MAX_WAIT_MS = 500
# From these versions on: isolation levels, topics by id.
HAS_ISOLATION, BY_ID = 4, 13
# What a broker older than a format of records cannot hold, by its highest version of Produce; what it converts to, by Fetch.
MAGIC_BY_PRODUCE, MAGIC_BY_FETCH = {0: 0, 1: 0, 2: 1}, {0: 0, 1: 0, 2: 1, 3: 1}
NEWEST_MAGIC = 2


@dataclass(frozen=True)
class PartitionFetch:
    """One partition's part of the question; `largest_entry` in bytes where one is known that must fit."""

    partition: int
    offset: int
    leader_epoch: int
    largest_entry: int = 0


@dataclass(frozen=True)
class FetchAnswer:
    """What came: `partitions` in the order of the question."""

    version: int
    throttle_ms: int
    partitions: list[Any]

    @property
    def size_bytes(self) -> int:
        """Including truncated records at the end."""
        return sum(len(partition.records or b"") for partition in self.partitions)


def fetch(
    cluster: KafkaCluster,
    topic: TopicMetadata,
    node: int,
    fetches: Sequence[PartitionFetch],
    size_bytes: int,
    isolation: int,
) -> FetchAnswer:
    """Ask the leader `node` for about `size_bytes` in all. Raises KafkaError."""
    version = version_for(cluster, topic, node)
    parts = [
        FetchRequest.FetchTopic.FetchPartition(
            partition=fetch.partition,
            current_leader_epoch=fetch.leader_epoch,
            fetch_offset=fetch.offset,
            partition_max_bytes=max(size_bytes, fetch.largest_entry),
        )
        for fetch in fetches
    ]
    answer = cluster.ask(
        FetchRequest,
        node,
        at_most=version,
        max_wait_ms=MAX_WAIT_MS,
        min_bytes=1,
        max_bytes=max(size_bytes, *(fetch.largest_entry for fetch in fetches)),
        isolation_level=isolation,
        session_id=0,
        session_epoch=-1,
        topics=[FetchRequest.FetchTopic(topic=topic.name, topic_id=topic.id, partitions=parts)],
        forgotten_topics_data=[],
        rack_id="",
    )
    answers = {
        partition_answer.partition_index: partition_answer
        for topic_answer in answer.responses
        for partition_answer in topic_answer.partitions
    }
    ordered = [answers[fetch.partition] for fetch in fetches if fetch.partition in answers]
    return FetchAnswer(answer.version, answer.throttle_time_ms or 0, ordered)


def version_for(cluster: KafkaCluster, topic: TopicMetadata, node: int) -> int | None:
    """The version of Fetch that broker `node` is asked in; those by topic id only where the topic has one."""
    best = cluster.speaks(node, FetchRequest)
    return best if best is None or topic.id else min(best, BY_ID - 1)


def is_converted(cluster: KafkaCluster, node: int, version: int) -> bool:
    """Whether a broker may hold a newer format of records than this version of Fetch gives, and so convert them."""
    produces = cluster.versions(node).get(PRODUCE, (0, 0))[1]
    return MAGIC_BY_FETCH.get(version, NEWEST_MAGIC) < MAGIC_BY_PRODUCE.get(produces, NEWEST_MAGIC)
