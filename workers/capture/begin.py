"""What an ask means for the logs as they are when the capture begins: from which offset to which, partition by partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workers.capture.ask import CaptureSpec
from workers.capture.faults import MADE_ANEW, RECORDS_LOST
from workers.capture.manifest import CapturedPartition, CapturedRange
from workers.capture.topics import COMMITTED, Leader, TopicMetadata, chosen, list_offsets
from workers.kafka import KafkaCluster
from workers.kafka.wire import EARLIEST, LATEST

TIMESTAMP = "timestamp_ms"


@dataclass(frozen=True)
class CaptureRange:
    """Offsets of a partition's log at the start, and the requested range; ends are exclusive."""

    log_start_offset: int
    high_watermark: int
    last_stable_offset: int | None
    from_offset: int
    to_offset: int


def capture_ranges(
    cluster: KafkaCluster, topic: TopicMetadata, spec: CaptureSpec
) -> dict[int, CaptureRange | None]:
    """Requested range by partition; None without a leader. Raises NoTopic and KafkaError."""
    numbers = chosen(topic, spec.partitions)
    first = list_offsets(cluster, topic, numbers, EARLIEST)
    last = list_offsets(cluster, topic, numbers, LATEST)
    stable = list_offsets(cluster, topic, numbers, LATEST, COMMITTED)
    starts = _by_time(cluster, topic, numbers, spec.start)
    ends = _by_time(cluster, topic, numbers, spec.end)
    ranges: dict[int, CaptureRange | None] = {}
    for number in numbers:
        low, high = first.get(number), last.get(number)
        if low is None or high is None:
            ranges[number] = None
            continue
        begin = _start(spec, number, low, high, starts)
        end = min(high, _end(spec, number, high, ends))
        ranges[number] = CaptureRange(low, high, stable.get(number), begin, max(begin, end))
    return ranges


def _by_time(
    cluster: KafkaCluster, topic: TopicMetadata, numbers: list[int], border: Mapping[str, int]
) -> dict[int, int | None]:
    return list_offsets(cluster, topic, numbers, border[TIMESTAMP]) if TIMESTAMP in border else {}


def _start(spec: CaptureSpec, number: int, low: int, high: int, starts: dict[int, int | None]) -> int:
    if "offset" in spec.start:
        return min(int(spec.start["offset"]), high)
    if "offsets" in spec.start:
        return int(spec.start["offsets"].get(str(number), low))
    if TIMESTAMP in spec.start:
        offset = starts.get(number)
        return high if offset is None else offset
    return low


def _end(spec: CaptureSpec, number: int, high: int, ends: dict[int, int | None]) -> int:
    if "offset" in spec.end:
        return int(spec.end["offset"])
    offset = ends.get(number)
    return high if offset is None else offset


def partitions(cluster: KafkaCluster, topic: TopicMetadata, spec: CaptureSpec) -> list[CapturedPartition]:
    """The manifest's part of each partition, before the first fetch. Raises NoTopic and KafkaError."""
    made = [
        _partition(number, topic.leaders[number], offsets)
        for number, offsets in capture_ranges(cluster, topic, spec).items()
    ]
    if spec.topic_id and topic.id_text and spec.topic_id != topic.id_text:
        for partition in made:
            partition.stopped_by = "topic-recreated"
            partition.tell("topic-recreated", "The earlier capture contains another topic." + MADE_ANEW)
    return made


def _partition(number: int, leader: Leader, offsets: CaptureRange | None) -> CapturedPartition:
    begin = offsets.from_offset if offsets else 0
    partition = CapturedPartition(
        partition=number,
        leader=leader.node,
        leader_epoch=leader.epoch if leader.epoch >= 0 else None,
        replicas=list(leader.replicas),
        in_sync=list(leader.in_sync),
        log_start_offset=offsets.log_start_offset if offsets else None,
        high_watermark=offsets.high_watermark if offsets else None,
        last_stable_offset=offsets.last_stable_offset if offsets else None,
        at_start={"log_start_offset": offsets.log_start_offset, "high_watermark": offsets.high_watermark}
        if offsets
        else {},
        asked={"from_offset": begin, "to_offset": offsets.to_offset if offsets else 0},
        got=CapturedRange(None, begin),
    )
    if offsets is None:
        partition.stopped_by = "broker-gone"
        partition.tell("broker-gone", f"Partition {number} had no leader when the capture began.")
    elif begin > offsets.high_watermark:
        partition.stopped_by = "truncated" if offsets.log_start_offset else "topic-recreated"
        why = RECORDS_LOST if offsets.log_start_offset else MADE_ANEW
        partition.tell(partition.stopped_by, partition.ends_early(offsets.high_watermark) + why, begin)
    elif begin < min(offsets.log_start_offset, offsets.to_offset):
        partition.go_on_at(offsets.log_start_offset)
    return partition
