"""What topics a cluster has: journals first, with sizes, cleanup policy and offsets, in few requests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka.protocol.admin import DescribeConfigsRequest, DescribeLogDirsRequest
from kafka.protocol.consumer import ListOffsetsRequest

from workers.kafka.cluster import KafkaCluster
from workers.kafka.errors import CLUSTER_AUTHORIZATION_FAILED, BrokerError, KafkaError, broker_error
from workers.kafka.wire import EARLIEST, LATEST, TOPIC

# Names that services give their journals, by default or by habit; the first that fits counts.
JOURNALS = tuple(
    (label, re.compile(pattern, re.IGNORECASE))
    for label, pattern in (
        ("Apicurio Registry", r"(.*[-_.])?kafkasql[-_.](journal|snapshots)|registry-events"),
        ("Confluent Schema Registry", r"_schemas([-_.].*)?"),
        ("Kafka transactions", r"__transaction_state"),
        ("Kafka consumer groups", r"__consumer_offsets"),
        ("Kafka share groups", r"__share_group_state"),
        ("Kafka tiered storage", r"__remote_log_metadata"),
        ("MirrorMaker", r"mm2-.*\.internal|.*\.checkpoints\.internal|(.*\.)?heartbeats"),
        ("Kafka Connect", r"(.*[-_.])?connect([-_.].*)?[-_.](configs?|offsets?|status(es)?)"),
        ("ksqlDB", r"_confluent-ksql-.*_command_topic"),
        (
            "Strimzi topic store",
            r"__strimzi_store_topic|(__)?strimzi-topic-operator-kstreams-topic-store-changelog",
        ),
        ("Kafka Streams", r".+-.+-changelog"),
        ("Debezium schema history", r".*(schema|db|database)[-_.]?(history|changes).*"),
    )
)
TopicPartition = tuple[str, int]


@dataclass(frozen=True)
class Partition:
    """`size_bytes` is that of the leader's copy; None for what could not be asked. `leader` -1: none now."""

    partition: int
    leader: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    size_bytes: int | None
    log_start_offset: int | None
    high_watermark: int | None


@dataclass(frozen=True)
class Topic:
    """`offset_count` is the most records that there can be; `journal` says whose journal the name belongs to."""

    name: str
    is_internal: bool
    journal: str | None
    partition_count: int
    replication_factor: int
    size_bytes: int | None
    offset_count: int | None
    cleanup_policy: str | None
    partitions: tuple[Partition, ...]


@dataclass(frozen=True)
class Topics:
    """Journals first, then by name; `notes` say what could not be asked."""

    topics: tuple[Topic, ...]
    notes: tuple[str, ...]


def journal_of(name: str) -> str | None:
    """Dialect id for a topic name, or None."""
    return next((label for label, pattern in JOURNALS if pattern.fullmatch(name)), None)


def topics_of(cluster: KafkaCluster) -> Topics:
    """All topics that the user may see. Raises KafkaError when the cluster cannot be asked for them at all."""
    metadata = cluster.metadata()
    notes: list[str] = []
    listed = [topic for topic in metadata.topics if not topic.error_code]
    led: dict[int, list[TopicPartition]] = defaultdict(list)
    for topic in listed:
        for each in topic.partitions:
            led[each.leader_id].append((topic.name, each.partition_index))
    without_leader = len(led.pop(-1, []))
    if without_leader:
        notes.append(f"Partitions without a leader now: {without_leader}.")
    policies = cleanup_policies(cluster, [topic.name for topic in listed], notes)
    sizes: dict[TopicPartition, int] = {}
    starts: dict[TopicPartition, int] = {}
    ends: dict[TopicPartition, int] = {}
    for node, partitions in led.items():
        sizes |= _noted(notes, lambda n=node, p=partitions: log_sizes(cluster, n, p))
        starts |= _noted(notes, lambda n=node, p=partitions: offsets(cluster, n, p, EARLIEST))
        ends |= _noted(notes, lambda n=node, p=partitions: offsets(cluster, n, p, LATEST))
    made = [_topic(topic, policies, sizes, starts, ends) for topic in listed]
    order = [label for label, _ in JOURNALS]
    made.sort(key=lambda t: (order.index(t.journal) if t.journal else len(order), t.name))
    return Topics(tuple(made), tuple(dict.fromkeys(notes)))


def cleanup_policies(cluster: KafkaCluster, names: list[str], notes: list[str]) -> dict[str, str]:
    """topic -> cleanup.policy, all in one request; those that may not be asked are left out."""
    resource = DescribeConfigsRequest.DescribeConfigsResource
    resources = [
        resource(resource_type=TOPIC, resource_name=name, configuration_keys=["cleanup.policy"])
        for name in names
    ]
    if not resources:
        return {}
    try:
        answer = cluster.ask(DescribeConfigsRequest, resources=resources)
    except KafkaError as problem:
        notes.append(f"Cleanup policies are unknown: {problem}")
        return {}
    refused = [result for result in answer.results if result.error_code]
    if refused:
        no = broker_error(refused[0].error_code, "DescribeConfigs")
        notes.append(f"The cleanup policy is unknown of {len(refused)} of {len(names)} topics: {no}")
    return {
        result.resource_name: config.value
        for result in answer.results
        for config in result.configs
        if config.name == "cleanup.policy" and config.value is not None
    }


def log_sizes(
    cluster: KafkaCluster, node: int, partitions: list[TopicPartition]
) -> dict[TopicPartition, int]:
    """(topic, partition) -> bytes of the copy on broker `node`. Raises KafkaError."""
    topic_class = DescribeLogDirsRequest.DescribableLogDirTopic
    topics = [topic_class(topic=name, partitions=numbers) for name, numbers in _by_topic(partitions).items()]
    answer = cluster.ask(DescribeLogDirsRequest, node, topics=topics)
    if not answer.results:
        # Up to v2 a broker answers so to a user who may not ask.
        raise broker_error(CLUSTER_AUTHORIZATION_FAILED, "DescribeLogDirs")
    return {
        (topic.name, each.partition_index): each.partition_size
        for result in answer.results
        for topic in result.topics
        for each in topic.partitions
        if not each.is_future_key
    }


def offsets(
    cluster: KafkaCluster, node: int, partitions: list[TopicPartition], timestamp_ms: int
) -> dict[TopicPartition, int]:
    """(topic, partition) -> offset at a time, EARLIEST or LATEST (the high watermark), of partitions that `node` leads."""
    topic_class = ListOffsetsRequest.ListOffsetsTopic
    topics = [
        topic_class(
            name=name,
            partitions=[
                topic_class.ListOffsetsPartition(partition_index=number, timestamp=timestamp_ms)
                for number in numbers
            ],
        )
        for name, numbers in _by_topic(partitions).items()
    ]
    answer = cluster.ask(ListOffsetsRequest, node, topics=topics)
    return {
        (topic.name, each.partition_index): each.old_style_offsets[0] if answer.version == 0 else each.offset
        for topic in answer.topics
        for each in topic.partitions
        if not each.error_code
    }


def _by_topic(partitions: list[TopicPartition]) -> Mapping[str, list[int]]:
    grouped: dict[str, list[int]] = defaultdict(list)
    for name, number in partitions:
        grouped[name].append(number)
    return grouped


def _noted(notes: list[str], question: Any) -> dict[TopicPartition, int]:
    """The answer; after an error nothing, and a note."""
    try:
        return dict(question())
    except BrokerError as no:
        notes.append(f"{no.about.partition(' of ')[0]}: {no.cause.partition(': ')[2]} {no.cure}")
    except KafkaError as problem:
        notes.append(str(problem))
    return {}


def _topic(
    topic: Any,
    policies: Mapping[str, str],
    sizes: Mapping[TopicPartition, int],
    starts: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int],
) -> Topic:
    partitions = []
    for each in sorted(topic.partitions, key=lambda p: p.partition_index):
        key = (topic.name, each.partition_index)
        partitions.append(
            Partition(
                each.partition_index,
                each.leader_id,
                tuple(each.replica_nodes),
                tuple(each.isr_nodes),
                sizes.get(key),
                starts.get(key),
                ends.get(key),
            )
        )
    counts = [
        None
        if p.high_watermark is None or p.log_start_offset is None
        else p.high_watermark - p.log_start_offset
        for p in partitions
    ]
    return Topic(
        topic.name,
        bool(topic.is_internal),
        journal_of(topic.name),
        len(partitions),
        max((len(p.replicas) for p in partitions), default=0),
        _sum([p.size_bytes for p in partitions]),
        _sum(counts),
        policies.get(topic.name),
        tuple(partitions),
    )


def _sum(numbers: list[int | None]) -> int | None:
    """None if one of the numbers is unknown."""
    set_numbers = [number for number in numbers if number is not None]
    return sum(set_numbers) if len(set_numbers) == len(numbers) else None
