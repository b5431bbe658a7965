"""Format advice for a topic of a live cluster: what its brokers say of themselves, and samples of what is on disk.

Each partition is sampled at a few places from its first to its last offset; where two neighbours differ in format, the
border is found by halving. So a log of any size takes some dozen small fetches.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from spark.advice.live import advise_cluster
from workers.capture.describe import describe_begin
from workers.capture.fetching import PartitionFetch, fetch, is_converted
from workers.capture.topics import UNCOMMITTED, TopicMetadata, find_topic, list_offsets
from workers.kafka import KafkaCluster, KafkaError
from workers.kafka.wire import EARLIEST, LATEST

PARTITIONS_SAMPLED = 12
SAMPLES = 9  # of each partition; the first and the last batch are among them
SAMPLE_BYTES = 16 << 10  # only the head of the first batch is read
HALVINGS = 48

# Frame and head of an entry: in every format the magic is at byte 16.
MAGIC_AT, TIMESTAMP_AT = 16, 18
HEAD_V2 = struct.Struct(
    ">qiib4xhiq"
)  # base offset, size, leader epoch, magic, (crc), attributes, last delta, timestamp
HEAD_BYTES = HEAD_V2.size


@dataclass(frozen=True)
class Sample:
    """The first batch at or after an offset."""

    offset: int
    last_offset: int
    magic: int
    leader_epoch: int
    timestamp_ms: int | None


SampleReader = Callable[[int], Sample | None]


def advise(cluster: KafkaCluster, name: str) -> dict[str, Any]:
    """{brokers, topic, formats, advice, not_asked}. Raises NoTopic and what questions raise."""
    topic = find_topic(cluster, name)
    manifest = describe_begin(cluster, topic, "", "")
    formats, notes = _formats(cluster, topic)
    spoken = [broker for broker in manifest.brokers if broker["api_versions"]]
    return {
        "brokers": manifest.brokers,
        "topic": manifest.topic,
        "formats": formats,
        "advice": advise_cluster(spoken, manifest.topic, formats).document(),
        "not_asked": [*manifest.not_asked, *notes],
    }


def _formats(
    cluster: KafkaCluster, topic: TopicMetadata
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of `formats` as far as samples tell, by partition; and what could not be sampled, with why."""
    rows: list[dict[str, Any]] = []
    notes = []
    chosen = sorted(topic.leaders)[:PARTITIONS_SAMPLED]
    if len(chosen) < len(topic.leaders):
        why = f"{len(chosen)} of {len(topic.leaders)} partitions were sampled."
        notes.append({"question": "Formats of the other partitions", "why": why})
    firsts = list_offsets(cluster, topic, chosen, EARLIEST)
    ends = list_offsets(cluster, topic, chosen, LATEST)
    for partition in chosen:
        first, end = firsts.get(partition), ends.get(partition)
        if first is None or end is None:
            notes.append({"question": f"Formats of partition {partition}", "why": "It has no leader now."})
            continue
        try:
            rows += sampled(topic.name, partition, first, end, _sample_reader(cluster, topic, partition))
        except KafkaError as problem:
            notes.append({"question": f"Formats of partition {partition}", "why": str(problem)})
    return rows, notes


def sampled(
    topic: str, partition: int, first: int, end: int, read_sample: SampleReader
) -> list[dict[str, Any]]:
    """Ranges of one format between two offsets (`end` not included); counts of batches are those of the samples."""
    samples = sorted(set(_samples(first, end, read_sample)), key=lambda sample: sample.offset)
    groups = [list(group) for _, group in groupby(samples, key=lambda sample: sample.magic)]
    return [_format_range(topic, partition, group) for group in groups]


def _samples(first: int, end: int, read_sample: SampleReader) -> Iterator[Sample]:
    if end <= first:
        return
    offsets = {first + (end - 1 - first) * number // (SAMPLES - 1) for number in range(SAMPLES)}
    samples = [sample for offset in sorted(offsets) if (sample := read_sample(offset))]
    yield from samples
    for before, after in pairwise(samples):
        if before.magic != after.magic:
            yield from _border(before, after, read_sample)


def _border(before: Sample, after: Sample, read_sample: SampleReader) -> Iterator[Sample]:
    """The last batch of the one format and the first of the other."""
    for _ in range(HALVINGS):
        middle = (before.last_offset + after.offset) // 2
        if middle <= before.last_offset:
            break
        sample = read_sample(middle)
        if sample is None or sample.offset >= after.offset:
            # A gap: what stands behind the middle is the later one.
            sample = read_sample(before.last_offset + 1)
            if sample is None or sample.offset >= after.offset:
                break
        if sample.magic == before.magic:
            before = sample
        else:
            after = sample
    yield before
    yield after


def _format_range(topic: str, partition: int, samples: list[Sample]) -> dict[str, Any]:
    first, last = samples[0], samples[-1]
    return {
        "topic": topic,
        "partition": partition,
        "replica": "",
        "magic": first.magic,
        "first_offset": first.offset,
        "last_offset": last.last_offset,
        "batches": len(samples),
        "first_timestamp_ms": first.timestamp_ms,
        "last_timestamp_ms": last.timestamp_ms,
        "first_leader_epoch": first.leader_epoch,
        "last_leader_epoch": last.leader_epoch,
    }


class Converted(KafkaError):
    """The broker sends another format than it stores, so that nothing can be said of what is on disk."""


def _sample_reader(cluster: KafkaCluster, topic: TopicMetadata, partition: int) -> SampleReader:
    """Reads samples of a partition from its leader."""
    leader = topic.leaders[partition]

    def read_sample(offset: int) -> Sample | None:
        fetches = [PartitionFetch(partition, offset, leader.epoch)]
        answer = fetch(cluster, topic, leader.node, fetches, SAMPLE_BYTES, UNCOMMITTED)
        if is_converted(cluster, leader.node, answer.version):
            raise Converted(
                f"Broker {leader.node} converts the batches that it sends, so the format on disk is unknown.",
                "Check the segment files with kafka-dump-log.",
            )
        records = bytes(answer.partitions[0].records or b"") if answer.partitions else b""
        return sample_of(records)

    return read_sample


def sample_of(records: bytes) -> Sample | None:
    """The head of the first entry; None where not even that came."""
    if len(records) <= MAGIC_AT:
        return None
    head = records[:HEAD_BYTES].ljust(HEAD_BYTES, b"\0")  # old messages may be shorter
    offset, _, leader_epoch, magic, _, last_delta, timestamp_ms = HEAD_V2.unpack(head)
    if magic >= 2:
        return Sample(offset, offset + last_delta, magic, leader_epoch, timestamp_ms)
    (written_ms,) = struct.unpack_from(">q", head, TIMESTAMP_AT)
    return Sample(offset, offset, magic, -1, written_ms if magic == 1 else None)
