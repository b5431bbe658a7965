"""What the user may ask of one broker: small questions, each answered by "yes", "no" or "this broker has none"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeLogDirsRequest,
    DescribeProducersRequest,
    ListTransactionsRequest,
)
from kafka.protocol.consumer import FetchRequest

from workers.kafka.connection import BrokerConnection
from workers.kafka.errors import CLUSTER_AUTHORIZATION_FAILED, RIGHTS, NotAllowed, broker_error
from workers.kafka.wire import BROKER, TOPIC

NO_TOPIC = "This broker leads no partition, so reading was not tested."


@dataclass(frozen=True)
class LedBroker:
    """A broker, and one of the partitions that it leads, if any."""

    node: int
    topic: str | None = None
    topic_id: UUID | None = None
    partition: int = 0


def reads(connection: BrokerConnection, leader: LedBroker) -> str:
    """Fetch: the right without which nothing is captured. Raises NotAllowed."""
    if leader.topic is None:
        return NO_TOPIC
    partition = FetchRequest.FetchTopic.FetchPartition(
        partition=leader.partition, fetch_offset=0, partition_max_bytes=1
    )
    topic = FetchRequest.FetchTopic(topic=leader.topic, topic_id=leader.topic_id, partitions=[partition])
    version = connection.version_of(FetchRequest)
    answer = connection.ask(FetchRequest, version, max_wait_ms=0, min_bytes=0, max_bytes=1, topics=[topic])
    codes = [
        answer.error_code or 0,
        *(partition.error_code for each in answer.responses for partition in each.partitions),
    ]
    _forbidden(codes, f"Reading topic {leader.topic}")
    return f"Topic {leader.topic} can be read (Fetch v{version})."


def reads_configs(connection: BrokerConnection, leader: LedBroker) -> str:
    """DescribeConfigs of the broker and of a topic. Raises NotAllowed, NotSpoken."""
    resource = DescribeConfigsRequest.DescribeConfigsResource
    resources = [
        resource(resource_type=BROKER, resource_name=str(leader.node), configuration_keys=["broker.id"])
    ]
    if leader.topic is not None:
        resources.append(
            resource(resource_type=TOPIC, resource_name=leader.topic, configuration_keys=["cleanup.policy"])
        )
    answer = connection.ask(DescribeConfigsRequest, resources=resources)
    for result in answer.results:
        kind = "broker" if result.resource_type == BROKER else "topic"
        _forbidden([result.error_code], f"Configuration of {kind} {result.resource_name}")
    return "The configuration of broker and topics can be read."


def reads_sizes(connection: BrokerConnection, leader: LedBroker) -> str:
    """DescribeLogDirs. Raises NotAllowed, NotSpoken. Up to v2 a broker answers with no folder instead of a no."""
    answer = connection.ask(DescribeLogDirsRequest, topics=_topics(leader))
    codes = [answer.error_code or 0, *(result.error_code for result in answer.results)]
    _forbidden(codes if answer.results else [CLUSTER_AUTHORIZATION_FAILED], "Sizes of topics")
    return "The sizes of topics can be read."


def reads_transactions(connection: BrokerConnection, leader: LedBroker) -> str:
    """DescribeProducers and ListTransactions. Raises NotAllowed, NotSpoken."""
    version = connection.version_of(DescribeProducersRequest)
    if leader.topic is not None:
        topic = DescribeProducersRequest.TopicRequest(name=leader.topic, partition_indexes=[leader.partition])
        answer = connection.ask(DescribeProducersRequest, version, topics=[topic])
        codes = [partition.error_code for each in answer.topics for partition in each.partitions]
        _forbidden(codes, f"Producers of topic {leader.topic}")
    listed = connection.ask(ListTransactionsRequest, state_filters=[], producer_id_filters=[])
    _forbidden([listed.error_code], "Transactions")
    count = len(listed.transaction_states)
    return f"Producers can be read, and {count} transactional {'id is' if count == 1 else 'ids are'} visible."


def _topics(leader: LedBroker) -> list[Any]:
    if leader.topic is None:
        return []
    return [DescribeLogDirsRequest.DescribableLogDirTopic(topic=leader.topic, partitions=[leader.partition])]


def _forbidden(codes: list[int], about: str) -> None:
    """Raises NotAllowed for the first code that says no. Other codes are about the log, not about the user."""
    for code in codes:
        if code in RIGHTS:
            no = broker_error(code, about)
            assert isinstance(no, NotAllowed)
            raise no
