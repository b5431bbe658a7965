"""The decoder's JSON of `__share_group_state` gives the bytes that Kafka's coordinator wrote."""

from __future__ import annotations

import pytest

from spark.sources._decoders import NotDecoded
from spark.sources._decoders.json_forms import coordinator_pair
from tests.generator import share_state as share

DATA = {"groupId": "workers", "topicId": "AQIDBAUGBwgJCgsMDQ4PEA", "partition": 3}
KEY = {"type": "0", "data": DATA}
# As kafka-dump-log of 4.1.1 printed these very records.
SNAPSHOT = {
    "snapshotEpoch": 0, "stateEpoch": 0, "leaderEpoch": 0, "startOffset": 0, "createTimestamp": 1707350400000,
    "writeTimestamp": 1707350401000,
    "stateBatches": [{"firstOffset": 0, "lastOffset": 9, "deliveryState": 2, "deliveryCount": 1}],
}  # fmt: skip
UPDATE = {
    "snapshotEpoch": 0, "leaderEpoch": 0, "startOffset": 4,
    "stateBatches": [{"firstOffset": 4, "lastOffset": 5, "deliveryState": 4, "deliveryCount": 2}],
}  # fmt: skip


def test_a_snapshot_an_update_and_a_tombstone_are_bytes_again() -> None:
    found = coordinator_pair(KEY, {"version": "0", "data": SNAPSHOT})
    made = share.snapshot(0, 0, [(0, 9, 2, 1)])
    assert (found.key, found.value) == (made.key, made.value)
    found = coordinator_pair({**KEY, "type": "1"}, {"version": "0", "data": UPDATE})
    made = share.update(0, 4, [(4, 5, 4, 2)])
    assert (found.key, found.value) == (made.key, made.value)
    assert coordinator_pair(KEY, None).value is None


def test_a_snapshot_without_times_is_one_of_4_0() -> None:
    members = {name: value for name, value in SNAPSHOT.items() if not name.endswith("Timestamp")}
    found = coordinator_pair(KEY, {"version": "0", "data": members})
    assert len(found.value or b"") == len(share.snapshot(0, 0, [(0, 9, 2, 1)]).value or b"") - 16


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ({**KEY, "type": "7"}, None),
        ({"type": "0", "data": {**DATA, "topicId": "short"}}, None),
        (KEY, {"version": "0", "data": {**SNAPSHOT, "later": 1}}),
        (KEY, {"version": "9", "data": SNAPSHOT}),
        (KEY, {"version": "0", "data": {**SNAPSHOT, "startOffset": "many"}}),
    ],
    ids=["type", "id", "member", "version", "number"],
)
def test_what_no_coordinator_writes_is_not_decoded(key: dict, value: dict | None) -> None:
    with pytest.raises(NotDecoded):
        coordinator_pair(key, value)
