"""What an ask means for the logs as they are when the capture begins: from which offset to which, partition by partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workers.capture.ask import CaptureSpec
from workers.capture.faults import MADE_ANEW, RECORDS_LOST
from workers.capture.manifest import CapturedPartition, Got
from workers.capture.topics import COMMITTED, EARLIEST, LATEST, Leader, TopicMetadata, chosen, list_offsets
from workers.kafka import KafkaCluster

TIMESTAMP = "timestamp_ms"


@dataclass(frozen=True)
class CaptureRange:
    """A partition's log when the capture began, and what is asked of it; ends are exclusive."""

    log_start_offset: int
    high_watermark: int
    last_stable_offset: int | None
    from_offset: int
    to_offset: int


def spans(cluster: KafkaCluster, topic: TopicMetadata, ask: CaptureSpec) -> dict[int, CaptureRange | None]:
    """Partition -> what is asked of it; null while it has no leader. Raises NoTopic and KafkaError."""
    numbers = chosen(topic, ask.partitions)
    first = list_offsets(cluster, topic, numbers, EARLIEST)
    last = list_offsets(cluster, topic, numbers, LATEST)
    stable = list_offsets(cluster, topic, numbers, LATEST, COMMITTED)
    starts = _by_time(cluster, topic, numbers, ask.start)
    ends = _by_time(cluster, topic, numbers, ask.end)
    found: dict[int, CaptureRange | None] = {}
    for number in numbers:
        low, high = first.get(number), last.get(number)
        if low is None or high is None:
            found[number] = None
            continue
        begin = _start(ask, number, low, high, starts)
        end = min(high, _end(ask, number, high, ends))
        found[number] = CaptureRange(low, high, stable.get(number), begin, max(begin, end))
    return found


def _by_time(
    cluster: KafkaCluster, topic: TopicMetadata, numbers: list[int], border: Mapping[str, int]
) -> dict[int, int | None]:
    return list_offsets(cluster, topic, numbers, border[TIMESTAMP]) if TIMESTAMP in border else {}


def _start(ask: CaptureSpec, number: int, low: int, high: int, starts: dict[int, int | None]) -> int:
    if "offset" in ask.start:
        return min(int(ask.start["offset"]), high)
    if "offsets" in ask.start:
        return int(ask.start["offsets"].get(str(number), low))
    if TIMESTAMP in ask.start:
        found = starts.get(number)
        return high if found is None else found
    return low


def _end(ask: CaptureSpec, number: int, high: int, ends: dict[int, int | None]) -> int:
    if "offset" in ask.end:
        return int(ask.end["offset"])
    found = ends.get(number)
    return high if found is None else found


def partitions(cluster: KafkaCluster, topic: TopicMetadata, ask: CaptureSpec) -> list[CapturedPartition]:
    """The manifest's part of each partition, before the first fetch. Raises NoTopic and KafkaError."""
    found = [
        _partition(number, topic.leaders[number], span) for number, span in spans(cluster, topic, ask).items()
    ]
    if ask.topic_id and topic.id_text and ask.topic_id != topic.id_text:
        for one in found:
            one.stopped_by = "topic-recreated"
            one.tell("topic-recreated", "The earlier capture contains another topic." + MADE_ANEW)
    return found


def _partition(number: int, leader: Leader, span: CaptureRange | None) -> CapturedPartition:
    begin = span.from_offset if span else 0
    made = CapturedPartition(
        partition=number,
        leader=leader.node,
        leader_epoch=leader.epoch if leader.epoch >= 0 else None,
        replicas=list(leader.replicas),
        in_sync=list(leader.in_sync),
        log_start_offset=span.log_start_offset if span else None,
        high_watermark=span.high_watermark if span else None,
        last_stable_offset=span.last_stable_offset if span else None,
        at_start={"log_start_offset": span.log_start_offset, "high_watermark": span.high_watermark}
        if span
        else {},
        asked={"from_offset": begin, "to_offset": span.to_offset if span else 0},
        got=Got(None, begin),
    )
    if span is None:
        made.stopped_by = "broker-gone"
        made.tell("broker-gone", f"Partition {number} had no leader when the capture began.")
    elif begin > span.high_watermark:
        made.stopped_by = "truncated" if span.log_start_offset else "topic-recreated"
        why = RECORDS_LOST if span.log_start_offset else MADE_ANEW
        made.tell(made.stopped_by, made.ends_early(span.high_watermark) + why, begin)
    elif begin < min(span.log_start_offset, span.to_offset):
        made.go_on_at(span.log_start_offset)
    return made
