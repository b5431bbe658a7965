"""Asking a cluster: which broker, over which connection, and what of the answer is an error."""

from __future__ import annotations

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.consumer import ListOffsetsRequest, ListOffsetsResponse
from kafka.protocol.metadata import MetadataRequest, MetadataResponse
from kafka.protocol.producer import ProduceRequest

from tests.workers.kafka.small_broker import VERSIONS, framed, metadata, small_broker
from webapp.networks.guard import Networks
from workers.kafka.cluster import KafkaCluster
from workers.kafka.errors import BrokerError, Closed, NetworkBlocked, NotAllowed, NotReadOnly, Unreachable
from workers.kafka.security import Address

HERE = Networks.of(["loopback"])
TOPICS = ("ledger", "orders")


def answering(broker, key, version, id):
    """Metadata and offsets of a cluster with one broker."""
    if key == 2:
        return framed(ListOffsetsResponse(version=version, topics=[]), key, version, id)
    return framed(metadata(version, {1: ("127.0.0.1", broker.port)}, TOPICS), key, version, id)


def cluster_of(*bootstrap: str) -> KafkaCluster:
    return KafkaCluster(Address(bootstrap), HERE, 2.0)


def test_nothing_is_connected_before_the_first_question():
    with small_broker(answering) as broker:
        cluster = cluster_of(broker.address)
        assert broker.connections == 0
        cluster.metadata()
        cluster.metadata()
        assert broker.connections == 1
        cluster.close()


def test_a_certain_broker_is_found_by_the_metadata():
    with small_broker(answering) as broker, cluster_of(broker.address) as cluster:
        assert cluster.ask(ListOffsetsRequest, 1, topics=[]).topics == []
        assert cluster.brokers == {1: ("127.0.0.1", broker.port)}
        with pytest.raises(Unreachable, match="no broker 7"):
            cluster.ask(ListOffsetsRequest, 7, topics=[])


def test_a_broken_connection_is_renewed_once():
    def hanging_up(broker, key, version, id):
        # the second question of each connection is the last
        return None if len(broker.asked) == 3 else answering(broker, key, version, id)

    with small_broker(hanging_up) as broker, cluster_of(broker.address) as cluster:
        cluster.metadata()
        cluster.metadata()
        assert broker.connections == 2


def test_a_broker_that_always_hangs_up_is_not_asked_for_ever():
    with small_broker(lambda *_: None) as broker, cluster_of(broker.address) as cluster:
        with pytest.raises(Closed):
            cluster.ask(MetadataRequest, topics=None, allow_auto_topic_creation=False)
        assert broker.connections <= 2


def test_the_next_bootstrap_server_is_asked_when_one_is_away():
    with small_broker(answering) as broker, cluster_of("127.0.0.1:1", broker.address) as cluster:
        assert len(cluster.metadata().topics) == 2


def test_the_first_problem_is_told_when_none_answers():
    with (
        cluster_of("no-such-host.invalid:9092", "127.0.0.1:1") as cluster,
        pytest.raises(Unreachable, match="no-such-host"),
    ):
        cluster.metadata()


def test_an_advertised_address_is_checked_like_any_other():
    def luring(broker, key, version, id):
        return framed(metadata(version, {1: ("169.254.169.254", 80)}), key, version, id)

    with (
        small_broker(luring) as broker,
        cluster_of(broker.address) as cluster,
        pytest.raises(NetworkBlocked, match=r"169\.254\.169\.254"),
    ):
        cluster.ask(ListOffsetsRequest, 1, topics=[])


@pytest.mark.parametrize("newest", range(12))
def test_named_topics_are_asked_for_without_creating_any(newest):
    """Up to v3 the question about a name would create the topic, so all are asked for."""

    def noting(broker, key, version, id):
        names = TOPICS if version < 4 else ("ledger",)
        return framed(metadata(version, {1: ("127.0.0.1", broker.port)}, names), key, version, id)

    with (
        small_broker(noting, {**VERSIONS, 3: (0, newest)}) as broker,
        cluster_of(broker.address) as cluster,
    ):
        answer = cluster.metadata(["ledger", "nowhere"] if newest < 4 else ["ledger"])
        assert (3, newest) in broker.asked
    codes = {topic.name: topic.error_code for topic in answer.topics}
    assert codes == ({"ledger": 0, "nowhere": 3} if newest < 4 else {"ledger": 0})


def test_an_error_of_the_whole_answer_is_raised():
    def refusing(broker, key, version, id):
        made = MetadataResponse(version=version, brokers=[], topics=[])
        made.error_code = 31
        return framed(made, key, version, id)

    with (
        small_broker(refusing, {**VERSIONS, 3: (0, 13)}) as broker,
        cluster_of(broker.address) as cluster,
        pytest.raises(NotAllowed, match="CLUSTER_AUTHORIZATION_FAILED") as no,
    ):
        cluster.metadata()
    assert isinstance(no.value, BrokerError)
    assert (no.value.code, no.value.name) == (31, "CLUSTER_AUTHORIZATION_FAILED")


def test_a_request_that_is_not_there_has_no_version():
    with small_broker(answering) as broker, cluster_of(broker.address) as cluster:
        assert cluster.speaks(None, DescribeClusterRequest) is None
        assert cluster.speaks(None, MetadataRequest) == 11
        assert cluster.versions(None) == VERSIONS


def test_what_writes_is_refused_here_too():
    with small_broker(answering) as broker, cluster_of(broker.address) as cluster:
        with pytest.raises(NotReadOnly):
            cluster.ask(ProduceRequest, acks=1, timeout_ms=100, topic_data=[])
        assert {key for key, _ in broker.asked} == {18}
