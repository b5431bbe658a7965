"""Which topics are journals by their names, and lists of topics when not everything may be asked."""

from __future__ import annotations

import pytest
from kafka.protocol.admin import DescribeConfigsResponse, DescribeLogDirsResponse
from kafka.protocol.consumer import ListOffsetsResponse
from kafka.protocol.metadata import MetadataResponse

from tests.workers.kafka.small_broker import VERSIONS, framed, metadata, small_broker
from webapp.networks.guard import Networks
from workers.kafka.cluster import KafkaCluster
from workers.kafka.security import Address
from workers.kafka.topics import Topics, journal_of, topics_of

ALL = {**VERSIONS, 32: (0, 4), 35: (0, 2)}


@pytest.mark.parametrize(
    ("name", "journal"),
    [
        ("kafkasql-journal", "Apicurio Registry"),
        ("prod.kafkasql-journal", "Apicurio Registry"),
        ("kafkasql-snapshots", "Apicurio Registry"),
        ("registry-events", "Apicurio Registry"),
        ("_schemas", "Confluent Schema Registry"),
        ("_schemas-prod", "Confluent Schema Registry"),
        ("__transaction_state", "Kafka transactions"),
        ("__consumer_offsets", "Kafka consumer groups"),
        ("__share_group_state", "Kafka share groups"),
        ("__remote_log_metadata", "Kafka tiered storage"),
        ("connect-configs", "Kafka Connect"),
        ("connect-offsets", "Kafka Connect"),
        ("my-connect-cluster-status", "Kafka Connect"),
        ("_connect_status", "Kafka Connect"),
        ("docker-connect-config", "Kafka Connect"),
        ("_confluent-ksql-default__command_topic", "ksqlDB"),
        ("schema-changes.inventory", "Debezium schema history"),
        ("dbhistory.orders", "Debezium schema history"),
        ("orders-schema-history", "Debezium schema history"),
        ("mm2-offset-syncs.b.internal", "MirrorMaker"),
        ("a.checkpoints.internal", "MirrorMaker"),
        ("heartbeats", "MirrorMaker"),
        ("till-app-counts-changelog", "Kafka Streams"),
        ("__strimzi_store_topic", "Strimzi topic store"),
        ("product-changelog", None),
        ("orders", None),
        ("my_schemas", None),
        ("connections-status", None),
        ("__consumer_offsets_copy", None),
        ("reconnect", None),
    ],
)
def test_journals_are_known_by_their_names(name, journal):
    assert journal_of(name) == journal


def partition(number: int, leader: int = 1):
    return MetadataResponse.MetadataResponseTopic.MetadataResponsePartition(
        version=9, error_code=0, partition_index=number, leader_id=leader, replica_nodes=[1, 2], isr_nodes=[1]
    )


def cluster_with(*, code: int = 0, folders: bool = True, leader: int = 1):
    """A broker with topics `orders` and `_schemas`; `code` answers DescribeConfigs of `orders`."""
    topic = MetadataResponse.MetadataResponseTopic
    named = {
        "orders": topic(version=9, error_code=0, name="orders", partitions=[partition(1, leader), partition(0)]),
        "_schemas": topic(version=9, error_code=0, name="_schemas", is_internal=True, partitions=[partition(0)]),
        "gone": topic(version=9, error_code=5, name="gone", partitions=[]),
    }  # fmt: skip
    times: list[int] = []

    def answer(broker, key, version, id):
        if key == 3:
            made = metadata(version, {1: ("127.0.0.1", broker.port)})
            made.topics = list(named.values())
        elif key == 32:
            result = DescribeConfigsResponse.DescribeConfigsResult
            config = result.DescribeConfigsResourceResult(
                version=version, name="cleanup.policy", value="compact"
            )
            made = DescribeConfigsResponse(
                version=version,
                results=[
                    result(version=version, error_code=code, resource_type=2, resource_name="orders", configs=[]),
                    result(version=version, error_code=0, resource_type=2, resource_name="_schemas", configs=[config]),
                ],
            )  # fmt: skip
        elif key == 35:
            made = DescribeLogDirsResponse(version=version, results=log_dirs(version) if folders else [])
        else:
            times.append(id)
            made = ListOffsetsResponse(version=version, topics=ends(version, 3 if len(times) % 2 else 10))
        return framed(made, key, version, id)

    return small_broker(answer, ALL)


def log_dirs(version: int):
    made = DescribeLogDirsResponse.DescribeLogDirsResult
    topic = made.DescribeLogDirsTopic
    sizes = {"orders": ((0, 100, False), (1, 200, False), (1, 999, True)), "_schemas": ((0, 7, False),)}
    return [
        made(
            version=version,
            error_code=0,
            log_dir="/data",
            topics=[
                topic(
                    version=version,
                    name=name,
                    partitions=[
                        topic.DescribeLogDirsPartition(
                            version=version,
                            partition_index=number,
                            partition_size=size,
                            is_future_key=is_future,
                        )
                        for number, size, is_future in partitions
                    ],
                )
                for name, partitions in sizes.items()
            ],
        )
    ]


def ends(version: int, offset: int):
    topic = ListOffsetsResponse.ListOffsetsTopicResponse
    return [
        topic(
            version=version,
            name=name,
            partitions=[
                topic.ListOffsetsPartitionResponse(
                    version=version, partition_index=number, error_code=0, offset=offset
                )
                for number in numbers
            ],
        )
        for name, numbers in (("orders", (0, 1)), ("_schemas", (0,)))
    ]


def listed(broker) -> Topics:
    with KafkaCluster(Address((broker.address,)), Networks.of(["loopback"]), 5.0) as cluster:
        return topics_of(cluster)


def test_a_list_of_topics_takes_few_requests_and_puts_journals_first():
    with cluster_with() as broker:
        found = listed(broker)
        assert [key for key, _ in broker.asked].count(32) == 1
        assert [key for key, _ in broker.asked].count(35) == 1
        assert [key for key, _ in broker.asked].count(2) == 2
    journal, orders = found.topics
    assert (journal.name, journal.is_internal, journal.cleanup_policy, journal.size_bytes) == (
        "_schemas",
        True,
        "compact",
        7,
    )
    assert (orders.name, orders.partition_count, orders.replication_factor) == ("orders", 2, 2)
    assert (orders.size_bytes, orders.offset_count) == (300, 14)
    assert [each.partition for each in orders.partitions] == [0, 1]
    assert found.notes == ()


def test_what_may_not_be_asked_is_noted():
    with cluster_with(code=29, folders=False) as broker:
        found = listed(broker)
    assert {topic.name: (topic.cleanup_policy, topic.size_bytes) for topic in found.topics} == {
        "_schemas": ("compact", None),
        "orders": (None, None),
    }
    policies, sizes = found.notes
    assert "unknown of 1 of 2 topics: DescribeConfigs: the user has no permission" in policies
    assert sizes.startswith("DescribeLogDirs: the user has no permission")
    assert "(CLUSTER_AUTHORIZATION_FAILED)" in sizes


def test_a_partition_without_a_leader_leaves_its_topic_without_a_sum():
    with cluster_with(leader=-1) as broker:
        found = listed(broker)
    assert "Partitions without a leader now: 1." in found.notes
