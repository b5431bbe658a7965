"""Brokers in this process that speak enough of the protocol to be captured from, and fail as a test wants them to.

They answer in real bytes by kafka-python's classes, whose encoding and decoding they share with nothing of ours.
"""

from __future__ import annotations

import socketserver
import struct
import threading
import uuid
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field

from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
)
from kafka.protocol.consumer import (
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
)
from kafka.protocol.metadata import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    MetadataRequest,
    MetadataResponse,
)

from tests.generator.segment import Record, batch
from workers.kafka import Address, KafkaCluster, Networks

TOPIC = "orders"
# What a broker of 3.9 speaks of these, Produce among them; and one of 0.10.2.
NEW = {0: (0, 11), 1: (0, 17), 2: (0, 9), 3: (0, 12), 18: (0, 3), 23: (0, 4), 32: (0, 4), 35: (0, 4)}
OLD = {0: (0, 2), 1: (0, 3), 2: (0, 1), 3: (0, 2), 18: (0, 0)}
REQUESTS = {
    one.API_KEY: one
    for one in (
        FetchRequest,
        ListOffsetsRequest,
        MetadataRequest,
        ApiVersionsRequest,
        OffsetForLeaderEpochRequest,
        DescribeConfigsRequest,
        DescribeLogDirsRequest,
    )
}
OUT_OF_RANGE, UNKNOWN_TOPIC, NOT_LEADER, FENCED, NOT_ALLOWED, UNKNOWN_ID = 1, 3, 6, 74, 29, 100


@dataclass
class Log:
    """A partition: (first offset, last offset, bytes) of each entry."""

    entries: list[tuple[int, int, bytes]] = field(default_factory=list)
    log_start_offset: int = 0
    end_offset: int | None = None
    last_stable_offset: int | None = None
    high_watermark: int | None = None
    leader: int = 1
    leader_epoch: int = 0
    aborted: list[tuple[int, int]] = field(default_factory=list)
    epoch_ends: dict[int, int] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """Log end offset."""
        if self.end_offset is not None:
            return self.end_offset
        return self.entries[-1][1] + 1 if self.entries else self.log_start_offset

    @property
    def committed(self) -> int:
        """High watermark."""
        return self.end if self.high_watermark is None else self.high_watermark

    @property
    def stable(self) -> int:
        """Last stable offset."""
        return self.committed if self.last_stable_offset is None else self.last_stable_offset

    @property
    def content(self) -> bytes:
        """All bytes of the log from its start."""
        return b"".join(each[2] for each in self.entries if each[1] >= self.log_start_offset)

    def read(self, offset: int, limit: int, size_bytes: int, whole_first: bool) -> bytes:
        """As a broker: from the entry that holds the offset, cut at `size_bytes`."""
        found = [each[2] for each in self.entries if each[1] >= offset and each[0] < limit]
        size_bytes = max(size_bytes, len(found[0])) if found and whole_first else size_bytes
        return b"".join(found)[:size_bytes]


def filled(
    batches: int, size_bytes: int = 200, first: int = 0, leader_epoch: int = 0
) -> list[tuple[int, int, bytes]]:
    """So many batches of two records."""
    return [entry(first + 2 * number, size_bytes, leader_epoch) for number in range(batches)]


def entry(base_offset: int, size_bytes: int = 200, leader_epoch: int = 0) -> tuple[int, int, bytes]:
    """A batch of two records."""
    records = [Record(b"a", bytes(size_bytes)), Record(b"b", b"1")]
    return base_offset, base_offset + 1, batch(records, base_offset, leader_epoch=leader_epoch)


class SmallCluster:
    """A context manager. `before_fetch` is called with the number of the fetch; `broken` brokers close their connections."""

    def __init__(
        self,
        *logs: Log,
        nodes: int = 1,
        versions: dict[int, tuple[int, int]] = NEW,
        before_fetch: Callable[[int], None] = lambda number: None,
        configs: dict[str, str] | None = None,
        fetch_max_bytes: int = 1000,
    ) -> None:
        self.logs, self.versions, self.before_fetch = list(logs), versions, before_fetch
        self.configs = configs or {}
        self.fetch_max_bytes = fetch_max_bytes
        self.topic_id = uuid.UUID(int=7)
        self.is_there = True
        self.broken: set[int] = set()
        self.fetch_codes: list[int] = []
        self.fetches: list[FetchRequest] = []
        self.keys: set[int] = set()
        self.connections = 0
        self._servers = [_Server(self, number + 1) for number in range(nodes)]

    def __enter__(self) -> SmallCluster:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @contextmanager
    def connected(self):
        """A `Cluster` of ours."""
        address = Address(tuple(f"127.0.0.1:{server.server_address[1]}" for server in self._servers))
        with KafkaCluster(address, Networks(("loopback",)), timeout_seconds=2) as cluster:
            yield cluster

    def answer(self, request, version: int, node: int):
        """The response to a request."""
        return getattr(self, type(request).__name__.partition("_")[0])(request, version, node)

    def ApiVersionsRequest(self, request, version, node):
        keys = [
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in self.versions.items()
        ]
        return ApiVersionsResponse(version=version, error_code=0, api_keys=keys, throttle_time_ms=0)

    def MetadataRequest(self, request, version, node):
        partitions = [
            MetadataResponse.MetadataResponseTopic.MetadataResponsePartition(
                error_code=0, partition_index=number, leader_id=log.leader, leader_epoch=log.leader_epoch,
                replica_nodes=[1], isr_nodes=[1], offline_replicas=[],
            )
            for number, log in enumerate(self.logs)
        ]  # fmt: skip
        topic = MetadataResponse.MetadataResponseTopic(
            error_code=0 if self.is_there else UNKNOWN_TOPIC,
            name=TOPIC,
            topic_id=self.topic_id,
            is_internal=False,
            partitions=partitions if self.is_there else [],
        )
        brokers = [
            MetadataResponse.MetadataResponseBroker(
                node_id=server.node, host="127.0.0.1", port=server.server_address[1], rack=None
            )
            for server in self._servers
        ]
        wants_none = request.topics is not None and not request.topics
        return MetadataResponse(
            version=version, throttle_time_ms=0, brokers=brokers, cluster_id="small", controller_id=1,
            topics=[] if wants_none else [topic],
        )  # fmt: skip

    def ListOffsetsRequest(self, request, version, node):
        def one(asked):
            log = self.logs[asked.partition_index]
            latest = log.stable if request.isolation_level else log.committed
            offset = {-2: log.log_start_offset, -1: latest}.get(asked.timestamp)
            if offset is None:
                offset = next((each[0] for each in log.entries if each[0] >= asked.timestamp), -1)
            return ListOffsetsResponse.ListOffsetsTopicResponse.ListOffsetsPartitionResponse(
                partition_index=asked.partition_index,
                error_code=0,
                timestamp=-1,
                offset=offset,
                leader_epoch=0,
            )

        topic = ListOffsetsResponse.ListOffsetsTopicResponse(
            name=TOPIC, partitions=[one(asked) for asked in request.topics[0].partitions]
        )
        return ListOffsetsResponse(version=version, throttle_time_ms=0, topics=[topic])

    def OffsetForLeaderEpochRequest(self, request, version, node):
        result = OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult
        asked = request.topics[0].partitions
        ends = [
            result.EpochEndOffset(
                error_code=0,
                partition=one.partition,
                leader_epoch=one.leader_epoch
                if one.leader_epoch in self.logs[one.partition].epoch_ends
                else -1,
                end_offset=self.logs[one.partition].epoch_ends.get(one.leader_epoch, -1),
            )
            for one in asked
        ]
        return OffsetForLeaderEpochResponse(
            version=version, throttle_time_ms=0, topics=[result(topic=TOPIC, partitions=ends)]
        )

    def DescribeConfigsRequest(self, request, version, node):
        result = DescribeConfigsResponse.DescribeConfigsResult
        configs = [
            result.DescribeConfigsResourceResult(
                name=name, value=value, read_only=False, config_source=1, is_sensitive=False, synonyms=[],
                config_type=0, documentation=None,
            )
            for name, value in self.configs.items()
        ]  # fmt: skip
        asked = request.resources[0]
        told = result(
            error_code=0, error_message=None, resource_type=asked.resource_type,
            resource_name=asked.resource_name, configs=configs,
        )  # fmt: skip
        return DescribeConfigsResponse(version=version, throttle_time_ms=0, results=[told])

    def DescribeLogDirsRequest(self, request, version, node):
        result = DescribeLogDirsResponse.DescribeLogDirsResult
        topic = result.DescribeLogDirsTopic
        sizes = [
            topic.DescribeLogDirsPartition(
                partition_index=number, partition_size=len(self.logs[number].content), offset_lag=0,
                is_future_key=False,
            )
            for number in request.topics[0].partitions
        ]  # fmt: skip
        directory = result(
            error_code=0, log_dir="/data", topics=[topic(name=TOPIC, partitions=sizes)],
            total_bytes=-1, usable_bytes=-1,
        )  # fmt: skip
        return DescribeLogDirsResponse(version=version, throttle_time_ms=0, error_code=0, results=[directory])

    def FetchRequest(self, request, version, node):
        self.fetches.append(request)
        self.before_fetch(len(self.fetches))
        left = most = min(request.max_bytes, self.fetch_max_bytes) if version >= 3 else self.fetch_max_bytes
        parts = []
        for asked in request.topics[0].partitions:
            part = self._fetched(request, version, node, asked, left, is_first=left == most)
            left = max(0, left - len(part.records or b""))
            parts.append(part)
        topic = FetchResponse.FetchableTopicResponse(topic=TOPIC, topic_id=self.topic_id, partitions=parts)
        return FetchResponse(
            version=version, throttle_time_ms=0, error_code=0, session_id=0, responses=[topic]
        )

    def _fetched(self, request, version, node, asked, left, is_first):
        log = self.logs[asked.partition]
        code = self._code(request, version, node, asked, log)
        limit = log.stable if version >= 4 and request.isolation_level else log.committed
        size_bytes = min(asked.partition_max_bytes, left)
        records = log.read(asked.fetch_offset, limit, size_bytes, whole_first=version >= 3 and is_first)
        part = FetchResponse.FetchableTopicResponse.PartitionData
        return part(
            partition_index=asked.partition,
            error_code=code,
            high_watermark=log.committed,
            last_stable_offset=log.stable,
            log_start_offset=log.log_start_offset,
            aborted_transactions=[
                part.AbortedTransaction(producer_id=a, first_offset=b) for a, b in log.aborted
            ]
            if request.isolation_level
            else None,
            preferred_read_replica=-1,
            records=b"" if code else records,
        )

    def _code(self, request, version, node, asked, log) -> int:
        if self.fetch_codes:
            return self.fetch_codes.pop(0)
        if version >= 13 and request.topics[0].topic_id != self.topic_id:
            return UNKNOWN_ID
        if not self.is_there:
            return UNKNOWN_ID if version >= 13 else UNKNOWN_TOPIC
        if node != log.leader:
            return NOT_LEADER
        if version >= 9 and asked.current_leader_epoch not in (-1, log.leader_epoch):
            return FENCED
        return 0 if log.log_start_offset <= asked.fetch_offset <= log.end else OUT_OF_RANGE


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, cluster: SmallCluster, node: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cluster, self.node = cluster, node


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        cluster, node = self.server.cluster, self.server.node
        cluster.connections += 1
        while node not in cluster.broken and (head := self.rfile.read(4)):
            frame = self.rfile.read(struct.unpack(">i", head)[0])
            key, version, correlation_id = struct.unpack_from(">hhi", frame)
            cluster.keys.add(key)
            request = REQUESTS[key].decode(frame, version=version, header=True)
            response = cluster.answer(request, version, node)
            if node in cluster.broken:
                return
            response.with_header(correlation_id=correlation_id)
            self.wfile.write(response.encode(header=True, framed=True))
