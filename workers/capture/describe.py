"""The manifest's facts about cluster and topic, asked when a capture begins and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from workers.capture import facts
from workers.capture.manifest import CapturedPartition, CaptureManifest, now_ms
from workers.capture.partition import PartitionCapture
from workers.capture.schemas import RegistryEndpoint, capture_schemas
from workers.capture.topics import COMMITTED, UNCOMMITTED, TopicMetadata, list_offsets
from workers.kafka import KafkaCluster, KafkaError, Unreachable
from workers.kafka.releases import release_of
from workers.kafka.wire import EARLIEST, LATEST

TOOL = "Journalscope 0.1.0"
ENDS = (
    ("log_start_offset", EARLIEST, UNCOMMITTED),
    ("high_watermark", LATEST, UNCOMMITTED),
    ("last_stable_offset", LATEST, COMMITTED),
)
Answer = TypeVar("Answer")


class _Questions:
    """Questions whose answers are not needed: what has none is noted with its reason.

    Once a broker was away nothing more is asked, since each question would wait for it.
    """

    def __init__(self, manifest: CaptureManifest) -> None:
        self._manifest = manifest
        self._away: str | None = None

    def answer(self, question: str, ask: Callable[[], Answer]) -> Answer | None:
        """The answer, or None with a note in the manifest."""
        if self._away is None:
            try:
                answer = ask()
            except KafkaError as problem:
                self._away = str(problem) if isinstance(problem, Unreachable) else None
                self._manifest.note(question, str(problem))
                return None
            self._manifest.note(question, None)
            return answer
        self._manifest.note(question, self._away)
        return None


def describe_begin(
    cluster: KafkaCluster, topic: TopicMetadata, captured_by: str, cluster_name: str
) -> CaptureManifest:
    """A manifest without partitions. Raises KafkaError when the cluster cannot be asked at all."""
    metadata = cluster.metadata([topic.name])
    manifest = CaptureManifest(
        started_at_ms=now_ms(),
        captured_by=captured_by,
        tool=TOOL,
        cluster={
            "name": cluster_name,
            "id": metadata.cluster_id,
            "controller": metadata.controller_id,
            "bootstrap": list(cluster.address.bootstrap),
        },
        topic={"name": topic.name, "id": topic.id_text, "is_internal": topic.is_internal, "configs": None},
        brokers=[
            {"node": broker.node_id, "host": broker.host, "port": broker.port, "rack": broker.rack}
            | {"release": None, "api_versions": None, "configs": None}
            for broker in metadata.brokers
        ],
    )
    questions = _Questions(manifest)
    manifest.topic["configs"] = questions.answer(
        "DescribeConfigs of the topic", lambda: facts.topic_configs(cluster, topic)
    )
    for broker in manifest.brokers:
        _describe_broker(cluster, questions, broker)
    return manifest


def describe_logs(
    cluster: KafkaCluster,
    topic: TopicMetadata,
    manifest: CaptureManifest,
    parts: Sequence[PartitionCapture],
    questions: _Questions | None = None,
) -> None:
    """Sizes, producers, transactions and leader epochs; asked twice, since a broker may be gone at the end."""
    questions = questions or _Questions(manifest)
    by_number = {partition.number: partition for partition in parts}
    sizes = questions.answer("DescribeLogDirs", lambda: facts.log_sizes(cluster, topic, by_number))
    for number, size_bytes in (sizes or {}).items():
        by_number[number].facts.log_size_bytes = size_bytes
    producers = questions.answer("DescribeProducers", lambda: facts.producers(cluster, topic, by_number))
    for number, states in (producers or {}).items():
        by_number[number].facts.producers = states
    transactions = questions.answer(
        "ListTransactions and DescribeTransactions",
        lambda: facts.transactions(
            cluster, topic, [broker["node"] for broker in manifest.brokers], _open_producers(parts)
        ),
    )
    manifest.transactions = transactions if transactions is not None else manifest.transactions
    epochs = {partition.number: partition.leader_epochs for partition in parts if partition.leader_epochs}
    ends = questions.answer("OffsetForLeaderEpoch", lambda: facts.epoch_ends(cluster, topic, epochs))
    for number, known_ends in (ends or {}).items():
        by_number[number].facts.epoch_ends = known_ends


def describe_end(
    cluster: KafkaCluster, topic: TopicMetadata, manifest: CaptureManifest, parts: Sequence[PartitionCapture]
) -> None:
    """Record where the logs begin and end now, and what changed during the capture."""
    by_number = {partition.number: partition.facts for partition in parts}
    sizes = {number: partition.log_size_bytes for number, partition in by_number.items()}
    questions = _Questions(manifest)
    for name, timestamp, isolation in ENDS:
        ends = questions.answer(
            f"ListOffsets ({name} at the end)",
            partial(list_offsets, cluster, topic, by_number, timestamp, isolation),
        )
        for number, offset in (ends or {}).items():
            setattr(by_number[number], name, offset)
    describe_logs(cluster, topic, manifest, parts, questions)
    for number, captured in by_number.items():
        _tell_growth(captured)
        _tell_shrinking(captured, sizes[number])


def describe_schemas(
    cluster: KafkaCluster, registry: RegistryEndpoint, manifest: CaptureManifest, folder: Path
) -> None:
    """Save the registry's schemas beside the manifest; errors are noted."""
    questions = _Questions(manifest)
    questions.answer("Schemas of the registry", lambda: capture_schemas(registry, cluster.networks, folder))
    manifest.save(folder)


def _describe_broker(cluster: KafkaCluster, questions: _Questions, broker: dict[str, Any]) -> None:
    node = broker["node"]
    spoken = questions.answer(f"ApiVersions of broker {node}", lambda: cluster.versions(node))
    if spoken is None:
        return
    broker["release"] = release_of(spoken)
    broker["api_versions"] = {str(key): list(span) for key, span in sorted(spoken.items())}
    broker["configs"] = questions.answer(
        f"DescribeConfigs of broker {node}", lambda: facts.broker_configs(cluster, node)
    )


def _open_producers(parts: Sequence[PartitionCapture]) -> set[int]:
    """Producer ids with an open transaction."""
    return {
        producer["producer_id"]
        for partition in parts
        for producer in partition.facts.producers or []
        if producer["current_transaction_first_offset"] is not None
    }


def _tell_growth(partition: CapturedPartition) -> None:
    before = partition.at_start.get("high_watermark")
    now = partition.high_watermark
    if before is not None and now is not None and now > before == partition.asked["to_offset"]:
        says = f"Offsets {before} to {now - 1} were written after the capture started. The capture does not contain them."
        partition.tell("high-watermark-moved", says, before)
    start, start_now = partition.at_start.get("log_start_offset"), partition.log_start_offset
    is_known = any(event.kind == "log-start-moved" for event in partition.events)
    if start is not None and start_now is not None and start_now > start and not is_known:
        says = f"Offsets {start} to {start_now - 1} were deleted while the capture ran, or after it."
        partition.tell("log-start-moved", says, start)


def _tell_shrinking(partition: CapturedPartition, before_bytes: int | None) -> None:
    is_same_head = partition.at_start.get("log_start_offset") == partition.log_start_offset
    if before_bytes is None or partition.log_size_bytes is None or not is_same_head:
        return
    if partition.log_size_bytes < before_bytes:
        partition.tell(
            "compacted-between",
            f"The log was compacted while the capture ran: it had {before_bytes} bytes at the start, and "
            f"{partition.log_size_bytes} at its end.",
        )
