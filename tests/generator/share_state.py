"""Records of `__share_group_state`, byte by byte, as the share coordinators of Kafka 4.1 write them.

    key   => record_type:int16 group:string topic_id:16 partition:int32
    value => version:int16 snapshot_epoch [state_epoch] leader_epoch start_offset [times] batches, each with its tags

Source: Kafka `ShareCoordinatorRecordHelpers`, `ShareSnapshotValue.json`, `ShareUpdateValue.json` (4.1).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from tests.generator.segment import SOME_TIME_MS, Record

ORDERS = bytes(range(1, 17))
NO_TAGS = b"\x00"
Batch = tuple[int, int, int, int]  # first and last offset, delivery state, delivery count


def key(record_type: int, group: str = "workers", partition: int = 3, topic_id: bytes = ORDERS) -> bytes:
    """The key of a share partition."""
    name = group.encode()
    return struct.pack(">hh", record_type, len(name)) + name + topic_id + struct.pack(">i", partition)


def batches_field(batches: Sequence[Batch]) -> bytes:
    """The array of batches."""
    return bytes([len(batches) + 1]) + b"".join(struct.pack(">qqbh", *one) + NO_TAGS for one in batches)


def snapshot(
    epoch: int = 0,
    start_offset: int = 0,
    batches: Sequence[Batch] = (),
    *,
    group: str = "workers",
    partition: int = 3,
    state_epoch: int = 0,
    leader_epoch: int = 0,
) -> Record:
    """All that is known of a share partition."""
    head = struct.pack(">hiiiq", 0, epoch, state_epoch, leader_epoch, start_offset)
    times = struct.pack(">qq", SOME_TIME_MS, SOME_TIME_MS + 1000)
    return Record(key(0, group, partition), head + times + batches_field(batches) + NO_TAGS)


def update(
    epoch: int = 0,
    start_offset: int = -1,
    batches: Sequence[Batch] = (),
    *,
    group: str = "workers",
    partition: int = 3,
    leader_epoch: int = 0,
) -> Record:
    """What has changed since the last snapshot. Start offset -1: unchanged."""
    head = struct.pack(">hiiq", 0, epoch, leader_epoch, start_offset)
    return Record(key(1, group, partition), head + batches_field(batches) + NO_TAGS)


def tombstone(group: str = "workers", partition: int = 3) -> Record:
    """The share partition is deleted."""
    return Record(key(0, group, partition), None)
