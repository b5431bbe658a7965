"""Buckets of the key index, dealt out by replica before anything is read: a partition that stays as it was keeps its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from spark.sources import Split
from spark.tables.key_index import Buckets
from spark.tables.replica import PartitionReplica

# Input per bucket of the key index; small enough that a bucket of tiny records fits in memory.
BUCKET_BYTES = 48 << 20
MAX_BUCKETS = 256
SEGMENT = "log-segment"
NONE = Buckets(0)


def bytes_of(splits: Iterable[Split]) -> int:
    """Input that they read."""
    return sum(split.end - split.start for split in splits)


def replica_of_split(split: Split) -> PartitionReplica:
    """The partition's copy that all records of a segment's split belong to."""
    return PartitionReplica(split.topic, split.partition, split.replica)


def buckets_for(splits: Sequence[Split], earlier: Buckets = NONE) -> Buckets:
    """Large partitions of segments in buckets of their own, small ones together; exports are spread over all.

    Replicas that `earlier` knows keep their buckets.
    """
    full_bytes = bytes_of_a_bucket(splits)
    ranges, count, room_bytes = dict(earlier.ranges), earlier.count, 0
    for replica, size_bytes in sizes(splits).items():
        if replica in ranges:
            continue
        number = -(-size_bytes // full_bytes)
        if number > 1:
            ranges[replica], count, room_bytes = (count, number), count + number, 0
            continue
        if room_bytes < size_bytes or not room_bytes:
            count, room_bytes = count + 1, full_bytes
        ranges[replica] = count - 1, 1
        room_bytes -= size_bytes
    return Buckets(max(1, count, -(-bytes_of(splits) // full_bytes)), ranges)


def are_outgrown(buckets: Buckets, splits: Sequence[Split]) -> bool:
    """Whether a bucket holds more than twice what it is meant for."""
    held_bytes = [0.0] * buckets.count
    for replica, size_bytes in sizes(splits).items():
        first, number = buckets.of(replica)
        for bucket in range(first, first + number):
            held_bytes[bucket] += size_bytes / number
    return max(held_bytes) > 2 * bytes_of_a_bucket(splits)


def bytes_of_a_bucket(splits: Sequence[Split]) -> int:
    """Input per bucket."""
    return max(BUCKET_BYTES, -(-bytes_of(splits) // MAX_BUCKETS))


def sizes(splits: Sequence[Split]) -> dict[PartitionReplica, int]:
    """Bytes of segments by replica, in the order of the files."""
    bytes_by_replica: Counter[PartitionReplica] = Counter()
    for split in splits:
        if split.source == SEGMENT:
            bytes_by_replica[replica_of_split(split)] += bytes_of([split])
    return bytes_by_replica
