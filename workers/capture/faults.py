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


def on_failure(part: PartitionCapture, problem: KafkaError) -> None:
    """A question about the partition failed."""
    is_gone = isinstance(problem, Unreachable)
    if isinstance(problem, NotAllowed):
        part.stop("broker-error", "broker-error", str(problem))
        return
    kind = "broker-gone" if is_gone else "broker-error"
    now = time.monotonic()
    if part.trouble is None:
        part.trouble = Trouble(kind, now, problem.cause)
        if is_gone:
            part.facts.tell("broker-gone", f"Broker {part.leader.node}: {problem.cause}", part.position)
    if now - part.trouble.since >= part.patience_seconds:
        _end(part, kind, problem.cause)
        return
    part.ask_again_at = now + part.trouble.backoff_seconds
    part.trouble.backoff_seconds = min(2 * part.trouble.backoff_seconds, MAX_BACKOFF_SECONDS)


def on_recovery(part: PartitionCapture) -> None:
    """The partition is answered for again."""
    if part.trouble and part.trouble.kind == "broker-gone":
        lost = time.monotonic() - part.trouble.since
        part.facts.tell(
            "broker-back", f"Broker {part.leader.node} answered again after {lost:.0f} s.", part.position
        )
    part.trouble = None


def on_error_code(cluster: KafkaCluster, topic: TopicMetadata, part: PartitionCapture, code: int) -> None:
    """An answer has an error code for the partition. Raises KafkaError of the questions that it takes."""
    problem = broker_error(code, f"Fetch of {topic.name}-{part.number}")
    if code == OUT_OF_RANGE:
        on_offset_out_of_range(cluster, topic, part)
    elif isinstance(problem, NotAllowed):
        raise problem
    elif not (code in PASSING | ABOUT_TOPIC or for_code(code).retriable):
        part.stop("broker-error", "broker-error", str(problem))
    else:
        on_failure(part, problem)


def on_offset_out_of_range(cluster: KafkaCluster, topic: TopicMetadata, part: PartitionCapture) -> None:
    """The next offset is not in the log: below its start, or above its end. Raises KafkaError."""
    low = list_offsets(cluster, topic, [part.number], EARLIEST).get(part.number)
    high = list_offsets(cluster, topic, [part.number], LATEST).get(part.number)
    if low is None or high is None:
        on_failure(part, broker_error(NO_LEADER, f"Offsets of {topic.name}-{part.number}"))
    elif part.position < low:
        part.go_on_at(low)
    elif part.position <= high:
        on_failure(part, broker_error(OUT_OF_RANGE, f"Fetch of {topic.name}-{part.number}"))
    elif low == 0:
        part.stop("topic-recreated", "topic-recreated", part.facts.ends_early(high) + MADE_ANEW)
    else:
        part.stop("truncated", "truncated", part.facts.ends_early(high) + RECORDS_LOST)


def is_behind(part: PartitionCapture) -> bool:
    """Whether the high watermark lies below the next offset; for a moment that is nothing, so it is waited for."""
    high = part.facts.high_watermark
    if part.is_over or high is None or high < 0 or high >= part.position:
        return False
    on_failure(part, KafkaError(part.facts.ends_early(high), "Wait until its replicas have caught up."))
    return True


def has_been_behind(part: PartitionCapture) -> bool:
    """Whether the moment is over."""
    return part.trouble is not None and time.monotonic() - part.trouble.since >= BEHIND_SECONDS


def on_leader(cluster: KafkaCluster, topic: TopicMetadata, part: PartitionCapture, leader: Leader) -> None:
    """Metadata name this leader: tell a change, and look whether it has what the last one gave. Raises KafkaError."""
    before = part.leader
    if leader.node >= 0:
        if before.node not in (leader.node, -1):
            lost_from = _lost_from(cluster, topic, part)
            says = f"Broker {leader.node} leads instead of broker {before.node}."
            part.facts.tell("leader-changed", says, part.position)
            if lost_from is not None:
                _tell_lost(part, lost_from)
        part.facts.leader, part.facts.replicas = leader.node, list(leader.replicas)
        part.facts.in_sync = list(leader.in_sync)
        part.facts.leader_epoch = leader.epoch if leader.epoch >= 0 else None
    part.leader = leader


def _lost_from(cluster: KafkaCluster, topic: TopicMetadata, part: PartitionCapture) -> int | None:
    """Where the new leader ended the newest leader epoch that was captured, when that is before what was captured."""
    if not part.leader_epochs:
        return None
    try:
        _, end = facts.epoch_end(cluster, topic, part.number, max(part.leader_epochs))
    except (BrokerError, NotSpoken):
        return None
    return end if end is not None and end < part.position else None


def _tell_lost(part: PartitionCapture, lost_from: int) -> None:
    part.facts.tell(
        "truncated",
        f"Offsets {lost_from} to {part.position - 1} were captured from the earlier leader. The new leader never had "
        "these records. The log no longer contains them, or contains other records at these offsets.",
        lost_from,
    )


def _end(part: PartitionCapture, kind: str, why: str) -> None:
    says = f"Stopped at offset {part.position}: {why}"
    part.stop(kind, kind, says)
