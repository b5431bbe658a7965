"""Records of `__share_group_state`: bytes that Kafka wrote, every form of the value, damage, and who they are not."""

from __future__ import annotations

import json
import struct

import pytest

from spark.dialects import dialects
from spark.dialects.share_group_state import dialect
from spark.dialects.share_group_state.interpret import read_record
from tests.builders import records_table
from tests.generator import share_state as share
from tests.generator.segment import Record

TOPIC_ID = "AQIDBAUGBwgJCgsMDQ4PEA"
NAME = f"workers/{TOPIC_ID}/3"
# What ShareCoordinatorRecordSerde of kafka-share-coordinator 4.1.1 made of a snapshot and an update of this share partition.
KAFKA_KEY = "00000007776f726b6572730102030405060708090a0b0c0d0e0f1000000003"
KAFKA_SNAPSHOT = (
    "000000000004000000010000000200000000000000640000018d86039c000000018d86039fe8030000000000000064000000000000006d"
    "02000100000000000000006e000000000000006e0000030000"
)
KAFKA_UPDATE = "00000000000400000002000000000000006f02000000000000007000000000000000780400050000"
ACKNOWLEDGED = {"firstOffset": 100, "lastOffset": 109, "deliveryState": "Acknowledged", "deliveryCount": 1}
AVAILABLE = {"firstOffset": 110, "lastOffset": 110, "deliveryState": "Available", "deliveryCount": 3}


def pair(record: Record) -> tuple[bytes | None, bytes | None]:
    return record.key, record.value


def test_a_snapshot_that_kafka_wrote_is_read_to_its_last_field() -> None:
    kind, action, entity, attributes, error, _ = read_record(
        bytes.fromhex(KAFKA_KEY), bytes.fromhex(KAFKA_SNAPSHOT)
    )
    assert (kind, action, entity, error) == ("share-snapshot", "snapshot", NAME, None)
    assert json.loads(attributes or "") == {
        "groupId": "workers", "topicId": TOPIC_ID, "partition": 3, "snapshotEpoch": 4, "stateEpoch": 1, "leaderEpoch": 2,
        "startOffset": 100, "createTimestamp": 1707350400000, "writeTimestamp": 1707350401000,
        "stateBatches": [ACKNOWLEDGED, AVAILABLE],
    }  # fmt: skip


def test_an_update_that_kafka_wrote_is_read_to_its_last_field() -> None:
    key = bytes.fromhex("0001" + KAFKA_KEY[4:])
    kind, action, entity, attributes, error, _ = read_record(key, bytes.fromhex(KAFKA_UPDATE))
    assert (kind, action, entity, error) == ("share-update", "update", NAME, None)
    members = json.loads(attributes or "")
    assert (members["snapshotEpoch"], members["startOffset"]) == (4, 111)
    assert members["stateBatches"][0]["deliveryState"] == "Archived"


def test_the_generator_writes_what_kafka_writes() -> None:
    made = share.snapshot(4, 100, [(100, 109, 2, 1), (110, 110, 0, 3)], state_epoch=1, leader_epoch=2)
    assert pair(made) == (bytes.fromhex(KAFKA_KEY), bytes.fromhex(KAFKA_SNAPSHOT))
    assert share.update(4, 111, [(112, 120, 4, 5)], leader_epoch=2).value == bytes.fromhex(KAFKA_UPDATE)


@pytest.mark.parametrize("epoch", [struct.pack(">i", 4), struct.pack(">H", 4)], ids=["32 bits", "16 bits"])
def test_a_snapshot_of_early_access_has_no_times(epoch: bytes) -> None:
    batch = share.batches_field([(100, 109, 2, 1)])
    value = b"\0\0" + epoch + struct.pack(">iiq", 1, 2, 100) + batch + share.NO_TAGS
    _, _, _, attributes, error, _ = read_record(share.key(0), value)
    members = json.loads(attributes or "")
    assert (error, members["snapshotEpoch"], members["startOffset"]) == (None, 4, 100)
    assert members["stateBatches"] == [ACKNOWLEDGED]


def test_a_count_of_completed_deliveries_is_read() -> None:
    whole = share.update(4, 111).value or b""
    tagged = whole[:-1] + b"\x01\x00\x04" + struct.pack(">i", 7)
    assert json.loads(read_record(share.key(1), tagged)[3] or "")["deliveryCompleteCount"] == 7


def test_a_null_snapshot_deletes_and_a_null_update_stops_the_coordinator() -> None:
    assert read_record(*pair(share.tombstone()))[:3] == ("share-snapshot", "delete", NAME)
    _, action, entity, attributes, error, _ = read_record(share.key(1), None)
    assert (action, entity) == (None, NAME)
    assert "null" in (error or "")
    assert json.loads(attributes or "")["effect"] == "fatal"


@pytest.mark.parametrize(
    ("key", "effect"),
    [(None, "fatal"), (b"\0", "fatal"), (b"\0\0\0\x07work", "fatal"), (b"\0\x09", "skipped")],
    ids=["null", "short", "cut", "unknown type"],
)
def test_what_a_coordinator_does_with_another_key_is_in_the_entry(key: bytes | None, effect: str) -> None:
    kind, action, _, attributes, error, _ = read_record(key, b"x")
    assert (kind, action) == (None, None)
    assert error
    assert json.loads(attributes or "{}").get("effect") == effect


@pytest.mark.parametrize("record", [share.snapshot(1, 5, [(5, 9, 2, 1)]), share.update(1, 5, [(5, 9, 2, 1)])])
def test_any_cut_is_an_error_and_no_flipped_bit_raises(record: Record) -> None:
    value = record.value or b""
    for size in range(len(value)):
        assert read_record(record.key, value[:size])[4], size
    for bit in range(len(value) * 8):
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        assert len(read_record(record.key, bytes(flipped))) == 6


def rows(*records: Record) -> list[dict[str, bytes | None]]:
    return [{"key": one.key, "value": one.value} for one in records]


def test_it_is_recognised_by_its_bytes_and_by_its_name() -> None:
    table = records_table(*rows(share.snapshot(), share.update(0, 4), share.tombstone()))
    assert dialect.sniff("__share_group_state", table).score == 100
    scores = {name: one.sniff("copy", table).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "share-group-state"
    assert dialect.sniff("__share_group_state", records_table({})).score == 90


def test_commits_of_a_topic_whose_name_is_as_long_as_an_id_are_another_journal() -> None:
    key = struct.pack(">hh", 1, 1) + b"g" + struct.pack(">h", 14) + b"fourteen-bytes" + struct.pack(">i", 0)
    value = struct.pack(">hqi", 3, 5, -1) + b"\0\0" + struct.pack(">q", 1)
    assert dialect.sniff("copy", records_table({"key": key, "value": value})).score == 0
    assert dialect.sniff("orders", records_table({}, {})).score == 0
    assert dialect.sniff("orders", records_table()).score == 0
    assert dialect.sniff("orders", records_table({"key": share.key(0), "value": None})).score == 0
