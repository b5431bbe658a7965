"""What a cluster tells of a topic beside its records: configs, sizes, producers, transactions, ends of leader epochs.

Each question stands alone: what a broker cannot or may not answer is noted in the manifest with its reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeLogDirsRequest,
    DescribeProducersRequest,
    DescribeTransactionsRequest,
    ListTransactionsRequest,
)
from kafka.protocol.consumer import OffsetForLeaderEpochRequest

from workers.capture.manifest import Configs
from workers.capture.topics import TopicMetadata, by_leader
from workers.kafka import KafkaCluster
from workers.kafka.errors import CLUSTER_AUTHORIZATION_FAILED, broker_error
from workers.kafka.wire import BROKER, TOPIC

SOURCES = {1: "topic", 2: "dynamic", 3: "dynamic", 4: "static", 5: "default"}
BROKER_CONFIGS = (
    "inter.broker.protocol.version",
    "log.message.format.version",
    "log.message.timestamp.type",
    "log.message.downconversion.enable",
    "log.cleanup.policy",
    "log.cleaner.",
    "log.retention.",
    "log.segment.bytes",
    "log.roll.",
    "log.index.interval.bytes",
    "message.max.bytes",
    "unclean.leader.election.enable",
    "min.insync.replicas",
    "transaction.max.timeout.ms",
    "transactional.id.expiration.ms",
    "producer.id.expiration.ms",
    "offsets.retention.minutes",
    "broker.rack",
    "process.roles",
)
MAX_EPOCHS = 200
OPEN_STATES = {"Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence"}


def broker_configs(cluster: KafkaCluster, node: int) -> Configs:
    configs = _configs(cluster, BROKER, str(node), node)
    return {name: value for name, value in configs.items() if name.startswith(BROKER_CONFIGS)}


def topic_configs(cluster: KafkaCluster, topic: TopicMetadata) -> Configs:
    """All configs of the topic, including those inherited from the broker."""
    return _configs(cluster, TOPIC, topic.name, None)


def _configs(cluster: KafkaCluster, kind: int, name: str, node: int | None) -> Configs:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=None
    )
    answer = cluster.ask(
        DescribeConfigsRequest,
        node,
        resources=[resource],
        include_synonyms=False,
        include_documentation=False,
    )
    for result in answer.results:
        if result.error_code:
            raise broker_error(
                result.error_code, f"Configs of {'topic' if kind == TOPIC else 'broker'} {name}"
            )
    return {
        config.name: {
            "value": None if config.is_sensitive else config.value,
            "source": _source(config, answer.version, kind),
        }
        for result in answer.results
        for config in result.configs
    }


def _source(config: Any, version: int, kind: int) -> str:
    if version > 0:
        return SOURCES.get(config.config_source, "default")
    if config.is_default:
        return "default"
    return "topic" if kind == TOPIC else "static"


def log_sizes(cluster: KafkaCluster, topic: TopicMetadata, partitions: Iterable[int]) -> dict[int, int]:
    """Bytes of each partition's log on its leader's disk."""
    sizes: dict[int, int] = {}
    for node, led in by_leader(topic, partitions).items():
        question = DescribeLogDirsRequest.DescribableLogDirTopic(topic=topic.name, partitions=led)
        answer = cluster.ask(DescribeLogDirsRequest, node, topics=[question])
        if not answer.results:  # up to v2 a broker answers so to a user who may not ask
            raise broker_error(CLUSTER_AUTHORIZATION_FAILED, f"Log directories of broker {node}")
        for directory in answer.results:
            if directory.error_code:
                raise broker_error(directory.error_code, f"Log directories of broker {node}")
            for partition in _partitions(directory.topics):
                if not partition.is_future_key:
                    sizes[partition.partition_index] = partition.partition_size
    return sizes


def producers(
    cluster: KafkaCluster, topic: TopicMetadata, partitions: Iterable[int]
) -> dict[int, list[dict[str, Any]]]:
    """Producers that each partition's leader knows (`kafka-transactions describe-producers`)."""
    by_partition: dict[int, list[dict[str, Any]]] = {}
    for node, led in by_leader(topic, partitions).items():
        question = DescribeProducersRequest.TopicRequest(name=topic.name, partition_indexes=led)
        answer = cluster.ask(DescribeProducersRequest, node, topics=[question])
        for partition in _partitions(answer.topics):
            number = partition.partition_index
            if partition.error_code:
                raise broker_error(partition.error_code, f"Producers of {topic.name}-{number}")
            by_partition[number] = [_producer(producer) for producer in partition.active_producers]
    return by_partition


def _partitions(topics: Iterable[Any]) -> list[Any]:
    return [partition for topic in topics for partition in topic.partitions]


def _producer(producer: Any) -> dict[str, Any]:
    open_at = producer.current_txn_start_offset
    return {
        "producer_id": producer.producer_id,
        "producer_epoch": producer.producer_epoch,
        "last_sequence": producer.last_sequence,
        "last_timestamp_ms": producer.last_timestamp,
        "coordinator_epoch": producer.coordinator_epoch,
        "current_transaction_first_offset": None if open_at < 0 else open_at,
    }


def transactions(
    cluster: KafkaCluster, topic: TopicMetadata, nodes: Iterable[int], producer_ids: set[int]
) -> list[dict[str, Any]]:
    """Transactions of these producers, and all others that name the topic and are not over, from every coordinator."""
    described = []
    for node in nodes:
        listed = cluster.ask(
            ListTransactionsRequest,
            node,
            state_filters=[],
            producer_id_filters=[],
            duration_filter=-1,
            transactional_id_pattern=None,
        )
        names = [
            transaction.transactional_id
            for transaction in listed.transaction_states
            if transaction.transaction_state in OPEN_STATES or transaction.producer_id in producer_ids
        ]
        if not names:
            continue
        answer = cluster.ask(DescribeTransactionsRequest, node, transactional_ids=names)
        described += [
            _transaction(transaction)
            for transaction in answer.transaction_states
            if not transaction.error_code
            and (
                transaction.producer_id in producer_ids
                or any(each.topic == topic.name for each in transaction.topics)
            )
        ]
    return described


def _transaction(transaction: Any) -> dict[str, Any]:
    began = transaction.transaction_start_time_ms
    return {
        "transactional_id": transaction.transactional_id,
        "producer_id": transaction.producer_id,
        "producer_epoch": transaction.producer_epoch,
        "state": transaction.transaction_state,
        "timeout_ms": transaction.transaction_timeout_ms,
        "started_at_ms": None if began < 0 else began,
        "partitions": [[each.topic, number] for each in transaction.topics for number in each.partitions],
    }


def epoch_ends(
    cluster: KafkaCluster, topic: TopicMetadata, epochs: Mapping[int, Iterable[int]]
) -> dict[int, list[dict[str, int | None]]]:
    """Partition -> where each leader epoch ends by its leader; an epoch that the leader does not know ends at null."""
    by_partition: defaultdict[int, dict[int, int | None]] = defaultdict(dict)
    for node, led in by_leader(topic, epochs).items():
        newest = {number: sorted(epochs[number])[-MAX_EPOCHS:] for number in led}
        for turn in range(max(map(len, newest.values()), default=0)):
            epoch_of = {number: row[turn] for number, row in newest.items() if turn < len(row)}
            for number, (epoch, end) in _epoch_ends(cluster, topic, node, epoch_of).items():
                if epoch != epoch_of[number] or end is None:
                    by_partition[number][epoch_of[number]] = None
                if end is not None:
                    by_partition[number][epoch] = end
    return {
        number: [{"epoch": epoch, "end_offset": end} for epoch, end in sorted(ends.items())]
        for number, ends in by_partition.items()
    }


def epoch_end(
    cluster: KafkaCluster, topic: TopicMetadata, partition: int, epoch: int
) -> tuple[int, int | None]:
    """(epoch, end offset) of the newest epoch not after `epoch`, by the leader; end null: it does not know any."""
    node = topic.leaders[partition].node
    return _epoch_ends(cluster, topic, node, {partition: epoch})[partition]


def _epoch_ends(
    cluster: KafkaCluster, topic: TopicMetadata, node: int, epochs: dict[int, int]
) -> dict[int, tuple[int, int | None]]:
    parts = [
        OffsetForLeaderEpochRequest.OffsetForLeaderTopic.OffsetForLeaderPartition(
            partition=number, current_leader_epoch=-1, leader_epoch=epoch
        )
        for number, epoch in epochs.items()
    ]
    question = OffsetForLeaderEpochRequest.OffsetForLeaderTopic(topic=topic.name, partitions=parts)
    answer = cluster.ask(OffsetForLeaderEpochRequest, node, replica_id=-1, topics=[question])
    ends: dict[int, tuple[int, int | None]] = {}
    for partition in _partitions(answer.topics):
        if partition.error_code:
            raise broker_error(partition.error_code, f"Leader epochs of {topic.name}-{partition.partition}")
        # Version 0 does not repeat the epoch.
        epoch = partition.leader_epoch if answer.version else epochs[partition.partition]
        end = None if partition.end_offset < 0 else int(partition.end_offset)
        ends[partition.partition] = (epoch, end)
    return ends
