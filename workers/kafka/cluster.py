"""Questions to a cluster: to any of its brokers, or to a certain one, over connections that are kept and renewed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from kafka.protocol.metadata import MetadataRequest, MetadataResponse

from webapp.networks.guard import Networks
from workers.kafka import wire
from workers.kafka.connection import BrokerConnection
from workers.kafka.errors import UNKNOWN_TOPIC, Closed, KafkaError, NotSpoken, Unreachable, broker_error
from workers.kafka.security import Address
from workers.net.address import host_and_port

# From here on a question about a named topic may say that the topic must not be created.
ASKS_BY_NAME = 4


class KafkaCluster:
    """A context manager, for one thread at a time. Nothing is connected before the first question."""

    def __init__(self, address: Address, networks: Networks, timeout_seconds: float = 10.0) -> None:
        self.address, self.networks, self.timeout_seconds = address, networks, timeout_seconds
        self.brokers: dict[int, tuple[str, int]] = {}
        self._connections: dict[int | None, BrokerConnection] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self, request_class: Any, node: int | None = None, *, at_most: int | None = None, **fields: Any
    ) -> Any:
        """The answer of broker `node`, or of any broker, in the highest version both speak (no higher than `at_most`).

        A connection that broke since the last question is renewed once. Raises KafkaError; an error code of the whole
        answer is raised as BrokerError, codes of topics and partitions are the caller's.
        """
        connection = self._connections.get(node)
        if connection:
            try:
                return self._ask_over(connection, request_class, at_most, fields)
            except Closed:
                pass
        return self._ask_over(self._connected(node), request_class, at_most, fields)

    def metadata(self, topics: Sequence[str] | None = None) -> Any:
        """MetadataResponse of these topics, or of all. A topic that is not there has error code 3 and is not created.

        Brokers before 0.11 would create it, so they are asked for all topics and the answer is narrowed here.
        """
        version = self.speaks(None, MetadataRequest) or 0
        named = None
        if topics is not None and version >= ASKS_BY_NAME:
            named = [MetadataRequest.MetadataRequestTopic(name=name) for name in topics]
        answer = self.ask(MetadataRequest, topics=named, allow_auto_topic_creation=False)
        if topics is not None and version < ASKS_BY_NAME:
            answer.topics = _narrowed(answer, topics)
        self.brokers = {broker.node_id: (broker.host, broker.port) for broker in answer.brokers}
        return answer

    def versions(self, node: int | None) -> dict[int, tuple[int, int]]:
        """ApiVersions of broker `node`: key -> (lowest, highest)."""
        return (self._connections.get(node) or self._connected(node)).versions

    def speaks(self, node: int | None, request_class: Any) -> int | None:
        """The version in which the broker would be asked, or None when it has no such request."""
        try:
            return (self._connections.get(node) or self._connected(node)).version_of(request_class)
        except NotSpoken:
            return None

    def close(self) -> None:
        """Close all connections; the next question opens new ones."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _ask_over(
        self, connection: BrokerConnection, request_class: Any, at_most: int | None, fields: dict[str, Any]
    ) -> Any:
        try:
            answer = connection.ask(request_class, connection.version_of(request_class, at_most), **fields)
        except NotSpoken:
            raise
        except KafkaError:
            self._forget(connection)
            raise
        if getattr(answer, "error_code", 0):
            raise broker_error(
                answer.error_code, f"{wire.READS[request_class.API_KEY]} of {connection.broker}"
            )
        return answer

    def _forget(self, connection: BrokerConnection) -> None:
        """Close and drop a connection that failed."""
        for node in [node for node, opened in self._connections.items() if opened is connection]:
            del self._connections[node]

    def _connected(self, node: int | None) -> BrokerConnection:
        """A new connection to broker `node`, or to the first bootstrap or known broker that takes one."""
        if node is None:
            return self._first_connected()
        if node not in self.brokers:
            self.metadata([])
        if node not in self.brokers:
            raise Unreachable(
                f"The cluster has no broker {node} now.",
                "Wait until it is available again, or use another broker.",
            )
        try:
            return self._connect(node, *self.brokers[node])
        except KafkaError:
            # It may be back at another address.
            del self.brokers[node]
            raise

    def _first_connected(self) -> BrokerConnection:
        problem: KafkaError | None = None
        addresses = [host_and_port(text) for text in self.address.bootstrap] + list(self.brokers.values())
        for host, port in dict.fromkeys(addresses):
            try:
                return self._connect(None, host, port)
            except KafkaError as wrong:
                problem = problem or wrong
        assert problem
        raise problem

    def _connect(self, node: int | None, host: str, port: int) -> BrokerConnection:
        made = BrokerConnection.connect(
            host, port, self.address.security, self.networks, self.timeout_seconds
        )
        self._connections[node] = made
        return made


def _narrowed(answer: Any, topics: Sequence[str]) -> list[Any]:
    """The named topics of an answer about all, as newer brokers answer about names."""
    by_name = {topic.name: topic for topic in answer.topics}
    return [
        by_name.get(name)
        or MetadataResponse.MetadataResponseTopic(
            version=answer.version, error_code=UNKNOWN_TOPIC, name=name, partitions=[]
        )
        for name in topics
    ]
