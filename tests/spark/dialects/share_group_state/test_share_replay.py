"""Replay of `__share_group_state`: snapshots replace, updates are merged as Kafka's combiner merges batches."""

from __future__ import annotations

import itertools
import json
from random import Random
from typing import Any

import pytest

from spark.dialects.share_group_state import dialect
from spark.dialects.share_group_state.deliveries import DeliveryBatch, merged
from spark.dialects.share_group_state.interpret import interpret
from tests.builders import records_table
from tests.generator import share_state as share
from tests.generator.segment import Record
from tests.spark.replays import replayed

AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4


def loaded(*records: Record) -> tuple[list[dict[str, Any]], list[tuple[int, str]]]:
    """The versions of share partitions, and what the coordinator rejects."""
    rows = [{"offset": n, "key": one.key, "value": one.value} for n, one in enumerate(records)]
    state, rejections = replayed(dialect, interpret(records_table(*rows)))
    versions = [{**row, **json.loads(row["attributes"])} for row in state.to_pylist()]
    return versions, [(row["offset"], row["reason"]) for row in rejections.to_pylist()]


def test_an_update_is_merged_into_the_snapshot_before() -> None:
    versions, _ = loaded(
        share.snapshot(2, 100, [(100, 109, AVAILABLE, 1)], state_epoch=5, leader_epoch=1),
        share.update(2, 105, [(105, 106, ACKNOWLEDGED, 1)], leader_epoch=-1),
    )
    last = versions[-1]
    assert [row["valid_to_offset"] for row in versions] == [1, None]
    assert (last["snapshotEpoch"], last["stateEpoch"], last["leaderEpoch"]) == (2, 5, 1)
    assert (last["startOffset"], last["batches"]) == (105, 2)
    assert [(one["firstOffset"], one["lastOffset"], one["deliveryState"]) for one in last["stateBatches"]] == [
        (105, 106, "Acknowledged"), (107, 109, "Available"),
    ]  # fmt: skip


def test_the_count_of_completed_deliveries_is_that_of_the_newest_record() -> None:
    """A tagged field since 4.2: an update without it makes it unknown."""
    counted = share.update(2, 105)
    value = (counted.value or b"")[:-1] + b"\x01\x00\x04" + (6).to_bytes(4, "big")
    versions, _ = loaded(share.snapshot(2, 100), Record(counted.key, value), share.update(2, 106))
    assert [row.get("deliveryCompleteCount") for row in versions] == [None, 6, -1]


def test_an_update_without_a_start_offset_leaves_it() -> None:
    versions, _ = loaded(share.snapshot(2, 100), share.update(2, -1, [(100, 101, ARCHIVED, 5)]))
    assert (versions[-1]["startOffset"], versions[-1]["batches"]) == (100, 1)


def test_a_snapshot_replaces_all_and_a_tombstone_deletes() -> None:
    versions, _ = loaded(
        share.snapshot(0, 0, [(0, 9, AVAILABLE, 1)]), share.snapshot(1, 10), share.tombstone()
    )
    assert [row["valid_to_offset"] for row in versions] == [1, 2]
    assert versions[-1]["stateBatches"] == []


def test_an_update_without_a_snapshot_has_no_state_epoch() -> None:
    ((version,), _) = loaded(share.update(3, 7, [(7, 8, ACKNOWLEDGED, 1)]))
    assert (version["startOffset"], "stateEpoch" in version) == (7, False)


def test_what_cannot_be_read_is_rejected_with_its_reason() -> None:
    cut = share.snapshot(1)
    versions, rejections = loaded(
        Record(b"\0\x09", b"x"), Record(cut.key, (cut.value or b"")[:9]), share.snapshot(2)
    )
    assert rejections == [(0, "unknown-type"), (1, "unreadable")]
    assert [row["snapshotEpoch"] for row in versions] == [2]


def by_offset(batches: list[DeliveryBatch], start_offset: int) -> dict[int, tuple[int, int]]:
    """What counts at each offset, found the slow way."""
    found: dict[int, tuple[int, int]] = {}
    for batch in batches:
        for offset in range(max(batch.first_offset, start_offset), batch.last_offset + 1):
            found[offset] = max(found.get(offset, (-1, -1)), (batch.delivery_count, batch.state))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_merged_batches_say_the_same_of_each_offset_and_do_not_overlap(seed: int) -> None:
    random = Random(seed)
    batches = []
    for _ in range(random.randrange(1, 12)):
        first = random.randrange(40)
        batches.append(
            DeliveryBatch(
                first, first + random.randrange(12), random.randrange(1, 4), random.choice([0, 2, 4])
            )
        )
    start = random.choice([-1, 0, random.randrange(30)])
    found = merged(batches, start)
    assert by_offset(found, -1) == by_offset(batches, start)
    assert all(one.last_offset < other.first_offset for one, other in itertools.pairwise(found))
    assert not any(
        one.last_offset + 1 == other.first_offset and one[2:] == other[2:]
        for one, other in itertools.pairwise(found)
    )


def test_only_the_first_hundred_batches_are_shown() -> None:
    ((version,), _) = loaded(share.snapshot(0, 0, [(2 * n, 2 * n, AVAILABLE, 1) for n in range(110)]))
    assert (version["batches"], len(version["stateBatches"])) == (110, 100)
