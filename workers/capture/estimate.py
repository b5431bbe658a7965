"""How much a capture will be, before it begins: nothing is fetched for it."""

from __future__ import annotations

from dataclasses import dataclass

from workers.capture import facts
from workers.capture.ask import CaptureSpec
from workers.capture.begin import CaptureRange, capture_ranges
from workers.capture.topics import find_topic
from workers.kafka import KafkaCluster, KafkaError


@dataclass(frozen=True)
class PartitionEstimate:
    """`offsets`: at most so many records, a compacted log has fewer. `size_bytes` null: the broker did not say.

    A partition without a leader has nulls throughout.
    """

    partition: int
    log_start_offset: int | None = None
    high_watermark: int | None = None
    from_offset: int | None = None
    to_offset: int | None = None
    offsets: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True)
class Estimate:
    """`size_bytes` of all partitions, no more than the limit; `seconds` at the rate that was asked for, else null.

    `size_unknown_because`: why a broker did not say how large its logs are.
    """

    partitions: tuple[PartitionEstimate, ...]
    offsets: int
    size_bytes: int | None
    seconds: float | None
    size_unknown_because: str | None = None


def estimate(cluster: KafkaCluster, spec: CaptureSpec) -> Estimate:
    """From offsets and from log sizes on the leaders' disks. Raises NoTopic and KafkaError."""
    topic = find_topic(cluster, spec.topic)
    ranges = capture_ranges(cluster, topic, spec)
    why = None
    try:
        sizes = facts.log_sizes(cluster, topic, ranges)
    except KafkaError as problem:
        sizes, why = {}, str(problem)
    partitions = tuple(
        _one(number, offset_range, sizes.get(number)) for number, offset_range in ranges.items()
    )
    log_sizes = [partition.size_bytes for partition in partitions if partition.size_bytes is not None]
    size_bytes = sum(log_sizes) if log_sizes else None
    if spec.max_bytes is not None:
        size_bytes = spec.max_bytes if size_bytes is None else min(size_bytes, spec.max_bytes)
    has_time = size_bytes is not None and spec.bytes_per_second is not None
    return Estimate(
        partitions,
        offsets=sum(partition.offsets or 0 for partition in partitions),
        size_bytes=size_bytes,
        seconds=(size_bytes or 0) / (spec.bytes_per_second or 1) if has_time else None,
        size_unknown_because=why,
    )


def _one(number: int, offset_range: CaptureRange | None, log_size_bytes: int | None) -> PartitionEstimate:
    if offset_range is None:
        return PartitionEstimate(number)
    begin = max(offset_range.from_offset, offset_range.log_start_offset)
    offsets = max(0, offset_range.to_offset - begin)
    length = offset_range.high_watermark - offset_range.log_start_offset
    share = offsets / length if length else 0
    size_bytes = None if log_size_bytes is None else round(log_size_bytes * share)
    return PartitionEstimate(
        number,
        offset_range.log_start_offset,
        offset_range.high_watermark,
        offset_range.from_offset,
        offset_range.to_offset,
        offsets,
        size_bytes,
    )
