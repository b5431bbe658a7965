"""How the splits of a plan are dealt out to tasks, before anything is read.

bundle   the splits of one decode task
bucket   the keys of one relate task; dealt out by replica, so that a partition that stays as it was keeps its own
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from spark.sources import Split, sources
from spark.tables.key_index import Buckets
from spark.tables.replica import PartitionReplica
from spark.tables.subset import bundled

BUNDLE_BYTES = 24 << 20
# Input per bucket of the key index; small enough that a bucket of tiny records fits in memory.
BUCKET_BYTES = 48 << 20
MAX_BUCKETS = 256
SEGMENT = "log-segment"
NO_BUCKETS = Buckets(0)


def bytes_of(splits: Iterable[Split]) -> int:
    return sum(split.end - split.start for split in splits)


def replica_of_split(split: Split) -> PartitionReplica:
    """The partition replica that all records of a segment's split belong to."""
    return PartitionReplica(split.topic, split.partition, split.replica)


def bundles(splits: Iterable[Split]) -> list[list[Split]]:
    """Splits in file order, small ones together: a task of its own costs more than a small file.

    Records and companion files apart: the latter change while segments grow.
    """
    by_kind: dict[bool, list[Split]] = {False: [], True: []}
    for split in splits:
        by_kind[sources()[split.source].kind == "companion"].append(split)
    return [
        bundle
        for group in by_kind.values()
        for bundle in bundled(group, lambda split: split.end - split.start, BUNDLE_BYTES)
    ]


def buckets_for(splits: Sequence[Split], earlier: Buckets = NO_BUCKETS) -> Buckets:
    """Large partitions of segments in buckets of their own, small ones together; exports are spread over all.

    Replicas that `earlier` contains keep their buckets.
    """
    full_bytes = bucket_bytes(splits)
    ranges, count, room_bytes = dict(earlier.ranges), earlier.count, 0
    for replica, size_bytes in bytes_by_replica(splits).items():
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
    """Whether a bucket takes more than twice the input that it is meant for."""
    sizes_bytes = [0.0] * buckets.count
    for replica, size_bytes in bytes_by_replica(splits).items():
        first, number = buckets.of(replica)
        for bucket in range(first, first + number):
            sizes_bytes[bucket] += size_bytes / number
    return max(sizes_bytes) > 2 * bucket_bytes(splits)


def bucket_bytes(splits: Iterable[Split]) -> int:
    return max(BUCKET_BYTES, -(-bytes_of(splits) // MAX_BUCKETS))


def bytes_by_replica(splits: Iterable[Split]) -> dict[PartitionReplica, int]:
    """Bytes of segments by replica, in the order of the files."""
    sizes: Counter[PartitionReplica] = Counter()
    for split in splits:
        if split.source == SEGMENT:
            sizes[replica_of_split(split)] += bytes_of([split])
    return sizes
