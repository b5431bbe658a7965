"""Records of MirrorMaker 2: three kinds told apart by their bytes, replayed by key; damage."""

from __future__ import annotations

import json
import struct

import pytest

from spark.dialects import dialects
from spark.dialects.mirror_maker import dialect, interpret, read_record, sniff
from tests.builders import records_table
from tests.spark.replays import replayed


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


CHECKPOINT = (
    text("billing") + text("east.orders") + struct.pack(">i", 3),
    struct.pack(">hqq", 0, 120, 80) + text(""),
)
SYNC = text("orders") + struct.pack(">i", 3), struct.pack(">qq", 120, 80)
HEARTBEAT = text("east") + text("west"), struct.pack(">hq", 0, 1_700_000_000_000)
NAMES = {
    "east.checkpoints.internal": CHECKPOINT,
    "mm2-offset-syncs.west.internal": SYNC,
    "heartbeats": HEARTBEAT,
}


@pytest.mark.parametrize(
    ("record", "kind", "entity", "members"),
    [
        (CHECKPOINT, "checkpoint", "billing/east.orders/3", {"upstreamOffset": 120, "downstreamOffset": 80}),
        (SYNC, "offset-sync", "orders/3", {"upstreamOffset": 120, "downstreamOffset": 80}),
        (HEARTBEAT, "heartbeat", "east/west", {"timestamp": 1_700_000_000_000}),
    ],
    ids=["checkpoint", "offset sync", "heartbeat"],
)
def test_each_kind_is_read(
    record: tuple[bytes, bytes], kind: str, entity: str, members: dict[str, int]
) -> None:
    (entry_type, action, entity_id, attributes, error, _) = read_record(*record)
    assert (entry_type, action, entity_id, error) == (kind, "update", entity, None)
    assert json.loads(attributes or "{}").items() >= members.items()
    assert read_record(record[0], None)[:3] == (kind, "delete", entity)


@pytest.mark.parametrize(
    "record", [CHECKPOINT, SYNC, HEARTBEAT], ids=["checkpoint", "offset sync", "heartbeat"]
)
def test_any_cut_is_an_error_and_no_flipped_bit_raises(record: tuple[bytes, bytes]) -> None:
    key, value = record
    assert all(read_record(key, value[:size])[4] for size in range(len(value)))
    for bit in range(len(key) * 8):
        flipped = bytearray(key)
        flipped[bit // 8] ^= 1 << bit % 8
        assert len(read_record(bytes(flipped), value)) == 6


def test_the_key_of_a_transaction_is_no_heartbeats_though_its_bytes_would_be_two_names() -> None:
    key = struct.pack(">h", 0) + text("writer-1")
    assert read_record(key, HEARTBEAT[1])[4]
    assert sniff("__transaction_state", records_table({"key": key, "value": HEARTBEAT[1]})).score == 0


@pytest.mark.parametrize("key", [None, b"", b"plain", text("orders") + struct.pack(">i", -1)], ids=repr)
def test_another_key_is_refused(key: bytes | None) -> None:
    assert read_record(key, SYNC[1])[4]


def test_the_newest_record_of_a_key_counts() -> None:
    later = SYNC[0], struct.pack(">qq", 200, 150)
    rows = [{"key": key, "value": value} for key, value in (SYNC, later)]
    state, _ = replayed(dialect, interpret(records_table(*rows)))
    assert [row["valid_to_offset"] for row in state.to_pylist()] == [1, None]
    state, refusals = replayed(
        dialect, interpret(records_table(*rows, {"key": SYNC[0], "value": None}, {"key": b"x"}))
    )
    assert [row["valid_to_offset"] for row in state.to_pylist()] == [1, 2]
    assert [row["reason"] for row in refusals.to_pylist()] == ["unreadable"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_by_its_records_and_its_name(name: str) -> None:
    rows = records_table({"key": NAMES[name][0], "value": NAMES[name][1]})
    assert sniff(name, rows).score == 100
    assert sniff("copy", rows).score > dialects()["plain"].sniff("copy", rows).score


def test_a_common_name_alone_says_nothing() -> None:
    assert sniff("heartbeats", records_table({}, {})).score == 0
    assert sniff("mm2-offset-syncs.west.internal", records_table({}, {})).score == 90


def test_records_of_two_kinds_are_another_topic() -> None:
    rows = [{"key": key, "value": value} for key, value in (SYNC, HEARTBEAT)]
    assert sniff("copy", records_table(*rows)).score == 0
    assert sniff("copy", records_table()).score == 0
