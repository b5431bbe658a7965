"""What goes wrong with a partition while it is captured: what can pass is waited for, what cannot ends it. Each is told."""

from __future__ import annotations

import time

from kafka.errors import for_code

from workers.capture import facts
from workers.capture.partition import PartitionCapture, Trouble
from workers.capture.topics import NO_LEADER, PASSING, Leader, TopicMetadata, list_offsets
from workers.kafka import BrokerError, KafkaCluster, KafkaError, NotAllowed, NotSpoken, Unreachable
from workers.kafka.errors import broker_error
from workers.kafka.wire import EARLIEST, LATEST

OUT_OF_RANGE = 1
# UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID: metadata tells whether the topic is gone.
ABOUT_TOPIC = frozenset({3, 100, 103})
MAX_BACKOFF_SECONDS = 3.0
# A new leader's high watermark is behind for a moment (KIP-207).
BEHIND_SECONDS = 5.0
MADE_ANEW = " The topic was deleted and created again."
RECORDS_LOST = " Records were lost: a replica that did not have them became the leader."


def on_failure(partition: PartitionCapture, problem: KafkaError) -> None:
    """Retry later, or stop the partition when its patience is over."""
    is_gone = isinstance(problem, Unreachable)
    if isinstance(problem, NotAllowed):
        partition.stop("broker-error", "broker-error", str(problem))
        return
    kind = "broker-gone" if is_gone else "broker-error"
    now = time.monotonic()
    if partition.trouble is None:
        partition.trouble = Trouble(kind, now, problem.cause)
        if is_gone:
            partition.facts.tell(
                "broker-gone", f"Broker {partition.leader.node}: {problem.cause}", partition.position
            )
    if now - partition.trouble.since >= partition.patience_seconds:
        _end(partition, kind, problem.cause)
        return
    partition.ask_again_at = now + partition.trouble.backoff_seconds
    partition.trouble.backoff_seconds = min(2 * partition.trouble.backoff_seconds, MAX_BACKOFF_SECONDS)


def on_recovery(partition: PartitionCapture) -> None:
    if partition.trouble and partition.trouble.kind == "broker-gone":
        lost = time.monotonic() - partition.trouble.since
        partition.facts.tell(
            "broker-back",
            f"Broker {partition.leader.node} answered again after {lost:.0f} s.",
            partition.position,
        )
    partition.trouble = None


def on_error_code(
    cluster: KafkaCluster, topic: TopicMetadata, partition: PartitionCapture, code: int
) -> None:
    """Raises KafkaError."""
    problem = broker_error(code, f"Fetch of {topic.name}-{partition.number}")
    if code == OUT_OF_RANGE:
        on_offset_out_of_range(cluster, topic, partition)
    elif isinstance(problem, NotAllowed):
        raise problem
    elif not (code in PASSING | ABOUT_TOPIC or for_code(code).retriable):
        partition.stop("broker-error", "broker-error", str(problem))
    else:
        on_failure(partition, problem)


def on_offset_out_of_range(cluster: KafkaCluster, topic: TopicMetadata, partition: PartitionCapture) -> None:
    """The next offset is below the log's start or above its end. Raises KafkaError."""
    low = list_offsets(cluster, topic, [partition.number], EARLIEST).get(partition.number)
    high = list_offsets(cluster, topic, [partition.number], LATEST).get(partition.number)
    if low is None or high is None:
        on_failure(partition, broker_error(NO_LEADER, f"Offsets of {topic.name}-{partition.number}"))
    elif partition.position < low:
        partition.go_on_at(low)
    elif partition.position <= high:
        on_failure(partition, broker_error(OUT_OF_RANGE, f"Fetch of {topic.name}-{partition.number}"))
    elif low == 0:
        partition.stop("topic-recreated", "topic-recreated", partition.facts.ends_early(high) + MADE_ANEW)
    else:
        partition.stop("truncated", "truncated", partition.facts.ends_early(high) + RECORDS_LOST)


def is_behind(partition: PartitionCapture) -> bool:
    """Whether the high watermark is below the next offset, which is normal for a moment after a change of leader."""
    high = partition.facts.high_watermark
    if partition.is_over or high is None or high < 0 or high >= partition.position:
        return False
    on_failure(
        partition, KafkaError(partition.facts.ends_early(high), "Wait until its replicas have caught up.")
    )
    return True


def has_been_behind(partition: PartitionCapture) -> bool:
    """For longer than a change of leader explains."""
    return partition.trouble is not None and time.monotonic() - partition.trouble.since >= BEHIND_SECONDS


def on_leader(
    cluster: KafkaCluster, topic: TopicMetadata, partition: PartitionCapture, leader: Leader
) -> None:
    """Note a change of leader and check that the new one has what was captured. Raises KafkaError."""
    before = partition.leader
    if leader.node >= 0:
        if before.node not in (leader.node, -1):
            lost_from = _lost_from(cluster, topic, partition)
            says = f"Broker {leader.node} leads instead of broker {before.node}."
            partition.facts.tell("leader-changed", says, partition.position)
            if lost_from is not None:
                _tell_lost(partition, lost_from)
        partition.facts.leader, partition.facts.replicas = leader.node, list(leader.replicas)
        partition.facts.in_sync = list(leader.in_sync)
        partition.facts.leader_epoch = leader.epoch if leader.epoch >= 0 else None
    partition.leader = leader


def _lost_from(cluster: KafkaCluster, topic: TopicMetadata, partition: PartitionCapture) -> int | None:
    """End offset of the newest captured leader epoch at the new leader, if it is below the captured offsets."""
    if not partition.leader_epochs:
        return None
    try:
        _, end = facts.epoch_end(cluster, topic, partition.number, max(partition.leader_epochs))
    except (BrokerError, NotSpoken):
        return None
    return end if end is not None and end < partition.position else None


def _tell_lost(partition: PartitionCapture, lost_from: int) -> None:
    partition.facts.tell(
        "truncated",
        f"Offsets {lost_from} to {partition.position - 1} were captured from the earlier leader. The new leader never had "
        "these records. The log no longer contains them, or contains other records at these offsets.",
        lost_from,
    )


def _end(partition: PartitionCapture, kind: str, why: str) -> None:
    says = f"Stopped at offset {partition.position}: {why}"
    partition.stop(kind, kind, says)
