"""A capture from its ask to its manifest: rounds of fetches, each of several partitions of one leader.

What is in the folder is kept: a capture that was paused, killed, or left by its broker goes on after the last checkpoint.
"""

from __future__ import annotations

import time
from pathlib import Path

from workers.capture import faults
from workers.capture.ask import CaptureSpec
from workers.capture.begin import partitions
from workers.capture.describe import describe_begin, describe_end, describe_logs, describe_schemas
from workers.capture.entries import DamagedEntry
from workers.capture.fetching import FetchAnswer, fetch, is_converted
from workers.capture.leaders import Leaders, stop_all
from workers.capture.manifest import CapturedPartition, CaptureManifest, now_ms
from workers.capture.partition import SURE_ANSWERS, PartitionCapture
from workers.capture.progress import Speed, progress_of
from workers.capture.rate import MIN_ASK, AskSize, TokenBucket
from workers.capture.schemas import RegistryEndpoint
from workers.capture.segments import SegmentWriter
from workers.capture.topics import Leader, TopicMetadata, find_topic
from workers.capture.watcher import CaptureSignal, CaptureStopped, Ticker, Watcher
from workers.kafka import KafkaCluster, KafkaError, NotAllowed

PATIENCE_SECONDS = 60.0
CHECKPOINT_SECONDS = 5.0
PARTITIONS_AT_ONCE = 50
STOPPED_BY = {CaptureSignal.PAUSE: "paused", CaptureSignal.CANCEL: "cancelled"}
GONE = {"topic-deleted", "topic-recreated"}
# What a partition that was stopped by this may go on after.
FOR_NOW = {None, "paused", "cancelled", "limit", "broker-gone", "broker-error"}


def capture(
    cluster: KafkaCluster,
    spec: CaptureSpec,
    folder: Path,
    watch: Watcher,
    *,
    captured_by: str = "",
    cluster_name: str = "",
    registry: RegistryEndpoint | None = None,
    patience_seconds: float = PATIENCE_SECONDS,
) -> CaptureManifest:
    """Capture what `spec` asks for into `folder`, and give its manifest, which is saved there, too.

    A folder with a manifest is gone on with: its ends stay as they were, the limits are those of `spec`. The schemas of
    `registry` are captured, too. Raises KafkaError when it cannot begin, or when the user may not read the topic; what
    happens later is told in the manifest.
    """
    manifest = CaptureManifest.load(folder)
    if manifest and manifest.finished_at_ms is not None and not any(map(_can_go_on, manifest.partitions)):
        return manifest
    topic = find_topic(cluster, spec.topic)
    if manifest is None:
        manifest = describe_begin(cluster, topic, captured_by, cluster_name)
        manifest.partitions = partitions(cluster, topic, spec)
        manifest.save(folder)
    _Capture(cluster, spec, folder, watch, manifest, topic, patience_seconds).run()
    if registry:
        describe_schemas(cluster, registry, manifest, folder)
    return manifest


def _can_go_on(facts: CapturedPartition) -> bool:
    """Whether more records may arrive."""
    return not facts.is_whole and facts.stopped_by in FOR_NOW


class _Capture:
    def __init__(
        self,
        cluster: KafkaCluster,
        spec: CaptureSpec,
        folder: Path,
        watch: Watcher,
        manifest: CaptureManifest,
        topic: TopicMetadata,
        patience_seconds: float,
    ) -> None:
        self.cluster, self.spec, self.folder = cluster, spec, folder
        self.manifest = manifest
        now = time.monotonic()
        self.rate = TokenBucket(spec.bytes_per_second, now)
        self.size = AskSize(self.rate)
        self.ticker = Ticker(watch, lambda: progress_of(self.parts, self.speed, spec.max_bytes))
        self.parts = [self._taken_up(facts, patience_seconds) for facts in manifest.partitions]
        self.speed = Speed(now, manifest.size_bytes)
        self.leaders = Leaders(cluster, topic, manifest.topic["id"], self.parts)
        self._saved_at = now

    def run(self) -> None:
        """Rounds until nothing is left to ask, or somebody stops it; then what the cluster says of it now."""
        self.manifest.finished_at_ms = None
        self.leaders.follow(self.leaders.topic)
        describe_logs(self.cluster, self.leaders.topic, self.manifest, self.parts)
        self._save()
        try:
            while waiting := [partition for partition in self.parts if not partition.is_over]:
                self.ticker.tick()
                if self._limit_left() == 0:
                    stop_all(self.parts, "limit")
                    break
                self._round(waiting)
                self._checkpoint()
        except CaptureStopped as stopped:
            stop_all(self.parts, STOPPED_BY[stopped.signal])
        self._save()
        if any(partition.facts.stopped_by in GONE for partition in self.parts):
            self.manifest.note("How the logs are at the end", "The captured topic no longer exists.")
        else:
            describe_end(self.cluster, self.leaders.topic, self.manifest, self.parts)
        self.manifest.finished_at_ms = now_ms()
        self._save()

    def _round(self, waiting: list[PartitionCapture]) -> None:
        now = time.monotonic()
        if self.leaders.are_due(waiting):
            if not self.leaders.refresh(waiting):
                return
            waiting = [partition for partition in waiting if not partition.is_over]
        ready = [
            partition for partition in waiting if partition.ask_again_at <= now and partition.leader.node >= 0
        ]
        if not ready:
            soonest = min((partition.ask_again_at for partition in waiting), default=now)
            self.ticker.wait(max(0.05, min(soonest - now, 1.0)))
            return
        self.ticker.wait(self.rate.wait_seconds(now))
        first = ready[0]
        together = [
            partition
            for partition in ready
            if (partition.leader.node, partition.isolation) == (first.leader.node, first.isolation)
        ][:PARTITIONS_AT_ONCE]
        try:
            self._ask(together)
        except KafkaError as problem:
            if isinstance(problem, NotAllowed) and not self.manifest.size_bytes:
                raise
            for partition in together:
                faults.on_failure(partition, problem)

    def _ask(self, together: list[PartitionCapture]) -> None:
        """Send one fetch and store the answer."""
        began = time.monotonic()
        size, bytes_left = self.size.size_bytes, self._limit_left()
        if bytes_left is not None:
            size = min(size, max(bytes_left, MIN_ASK))
        node, isolation = together[0].leader.node, together[0].isolation
        fetches = [partition.next_fetch for partition in together]
        answer = fetch(self.cluster, self.leaders.topic, node, fetches, size, isolation)
        now = time.monotonic()
        self.size.took(now - began, answer.size_bytes)
        self.rate.spend(answer.size_bytes, now)
        self._take(together, answer, node)
        self.ticker.wait(answer.throttle_ms / 1000)

    def _take(self, together: list[PartitionCapture], answer: FetchAnswer, node: int) -> None:
        by_number = {partition.number: partition for partition in together}
        positions = {partition.number: partition.position for partition in together}
        is_first = True
        for partition_answer in answer.partitions:
            partition = by_number[partition_answer.partition_index]
            if partition_answer.error_code:
                faults.on_error_code(self.cluster, self.leaders.topic, partition, partition_answer.error_code)
                continue
            self._keep(partition, partition_answer, answer.version, is_first, node)
            is_first = is_first and not partition_answer.records
        # Who got something asks last next time.
        self.parts.sort(
            key=lambda partition: partition.position > positions.get(partition.number, partition.position)
        )

    def _keep(
        self, partition: PartitionCapture, partition_answer: object, version: int, is_first: bool, node: int
    ) -> None:
        if self._limit_left() == 0:
            return
        try:
            partition.take(partition_answer, version, is_first, self._limit_left())
        except DamagedEntry as wrong:
            says = f"From offset {partition.position} on the log cannot be captured: {wrong}. The broker's file is damaged."
            partition.stop("broker-error", "broker-error", says)
            return
        partition.facts.is_converted = is_converted(self.cluster, node, version)
        if faults.is_behind(partition):
            if faults.has_been_behind(partition):
                faults.on_offset_out_of_range(self.cluster, self.leaders.topic, partition)
            return
        if not partition.empty_answers:
            faults.on_recovery(partition)
        elif partition.empty_answers >= SURE_ANSWERS:
            self._nothing_comes(partition)

    def _nothing_comes(self, partition: PartitionCapture) -> None:
        """The cleaner took the end of the log, unless the log has an end elsewhere that is slow to come."""
        high = partition.facts.high_watermark or 0
        is_remote = self._config("remote.storage.enable") == "true"
        if high >= partition.facts.asked["to_offset"] and not is_remote:
            partition.give_up_empty()
        else:
            why = f"Broker {partition.leader.node} gives no records from offset {partition.position} on."
            faults.on_failure(partition, KafkaError(why, "Try again later."))

    def _config(self, name: str) -> str | None:
        configs = self.manifest.topic.get("configs") or {}
        return configs.get(name, {}).get("value")

    def _limit_left(self) -> int | None:
        """Bytes left under the limit; None without a limit."""
        if self.spec.max_bytes is None:
            return None
        return max(0, self.spec.max_bytes - self.manifest.size_bytes)

    def _taken_up(self, facts: CapturedPartition, patience_seconds: float) -> PartitionCapture:
        if _can_go_on(facts):
            facts.stopped_by = None
        segments = SegmentWriter(
            self.folder, self.manifest.topic["name"], facts.partition, facts.segments, facts.got.size_bytes
        )
        leader = Leader(
            facts.leader,
            -1 if facts.leader_epoch is None else facts.leader_epoch,
            tuple(facts.replicas),
            tuple(facts.in_sync),
        )
        return PartitionCapture(facts, segments, leader, patience_seconds)

    def _checkpoint(self) -> None:
        if time.monotonic() - self._saved_at >= CHECKPOINT_SECONDS:
            self._save()

    def _save(self) -> None:
        for partition in self.parts:
            partition.segments.sync()
        self.manifest.save(self.folder)
        self._saved_at = time.monotonic()
