"""Records of `__remote_log_metadata`: bytes that Kafka wrote, damage, and who they are not."""

from __future__ import annotations

import json

import pytest

from spark.dialects import dialects
from spark.dialects.remote_log_metadata import dialect
from spark.dialects.remote_log_metadata.interpret import read_record
from tests.builders import records_table
from tests.generator import remote_log as remote
from tests.generator.segment import Record
from tests.spark import controller_records as controller

SEGMENT = "orders/3/ERITFBUWFxgZGhscHR4fIA"
# What RemoteLogMetadataSerde of kafka-storage 4.1.1 made of a segment's start, two updates and a partition's mark.
OF_SEGMENT = "076f72646572730102030405060708090a0b0c0d0e0f1000000003001112131415161718191a1b1c1d1e1f2000"
KAFKA_STARTED = (
    f"010000{OF_SEGMENT}00000000000000000000000000000063000000010000018d86039c000000018d86039fe8"
    "03000000000000000000000000000000000200000000000000460000100000000000"
)
KAFKA_FINISHED = f"010100{OF_SEGMENT}000000010000018d8603a3d0040102030100"
KAFKA_DELETING = f"010100{OF_SEGMENT}000000020000018d8603a7b8000200"
KAFKA_MARKED = "010200076f72646572730102030405060708090a0b0c0d0e0f100000000300000000010000018d8603aba00000"


def members_of(hexadecimal: str) -> dict[str, object]:
    return dict(json.loads(read_record(None, bytes.fromhex(hexadecimal))[3] or "{}"))


@pytest.mark.parametrize(
    ("written", "kind", "state", "entity"),
    [
        (KAFKA_STARTED, "remote-segment", "COPY_SEGMENT_STARTED", SEGMENT),
        (KAFKA_FINISHED, "remote-segment", "COPY_SEGMENT_FINISHED", SEGMENT),
        (KAFKA_DELETING, "remote-segment", "DELETE_SEGMENT_STARTED", SEGMENT),
        (KAFKA_MARKED, "remote-partition-deletion", "DELETE_PARTITION_MARKED", "orders/3"),
    ],
    ids=["start", "copied", "in deletion", "partition marked"],
)
def test_an_event_that_kafka_wrote_is_read(written: str, kind: str, state: str, entity: str) -> None:
    assert read_record(None, bytes.fromhex(written))[:3] == (kind, state, entity)
    assert read_record(None, bytes.fromhex(written))[4] is None


def test_the_members_of_a_start_have_kafkas_names() -> None:
    assert members_of(KAFKA_STARTED) == {
        "topic": "orders", "topicId": "AQIDBAUGBwgJCgsMDQ4PEA", "partition": 3, "segmentId": "ERITFBUWFxgZGhscHR4fIA",
        "startOffset": 0, "endOffset": 99, "brokerId": 1, "maxTimestampMs": 1707350400000, "eventTimestampMs": 1707350401000,
        "segmentLeaderEpochs": [{"leaderEpoch": 0, "offset": 0}, {"leaderEpoch": 2, "offset": 70}],
        "segmentSizeInBytes": 1 << 20, "customMetadata": None, "state": "COPY_SEGMENT_STARTED",
    }  # fmt: skip
    assert members_of(KAFKA_FINISHED)["customMetadata"] == "AQID"


def test_the_generator_writes_what_kafka_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        remote, "uuid", lambda name: bytes(range(1, 17)) if name == "orders" else bytes(range(17, 33))
    )
    made = remote.update(remote.DELETE_STARTED, broker=2, timestamp_ms=1707350403000)
    assert made.value == bytes.fromhex(KAFKA_DELETING)
    made = remote.partition_deletion(remote.MARKED, timestamp_ms=1707350404000)
    assert made.value == bytes.fromhex(KAFKA_MARKED)
    made = remote.started(timestamp_ms=1707350401000)
    one_epoch = KAFKA_STARTED.replace(
        "03000000000000000000000000000000000200000000000000460000100000000000",
        "02000000000000000000000000000010000000" + "0000",
    )
    assert made.value == bytes.fromhex(one_epoch)


def test_tags_of_version_1_are_read() -> None:
    version_1 = bytes.fromhex(KAFKA_DELETING.replace("010100", "010101", 1))[:-1] + b"\x01\x00\x04\0\0\0\x07"
    _, state, _, attributes, error, _ = read_record(None, version_1)
    assert (state, error, json.loads(attributes or "")["brokerLeaderEpoch"]) == (
        "DELETE_SEGMENT_STARTED", None, 7,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "null"), (b"", "ends before"), (b"\2\0\0", "frame version 2"), (b"\1\3\0", "event kind 3"),
        (b"\1\0\x09", "version 9"), (bytes.fromhex(KAFKA_MARKED) + b"x", "after the last field"),
        (remote.update(7).value, "state 7"), (remote.update(0).value, "Only a segment's first event"),
    ],
    ids=["null", "empty", "frame", "kind", "version", "longer", "state", "a start that is an update"],
)  # fmt: skip
def test_what_stops_a_broker_is_said(value: bytes | None, says: str) -> None:
    kind, action, _, attributes, error, _ = read_record(None, value)
    assert (kind, action, json.loads(attributes or "")) == (None, None, {"effect": "fatal"})
    assert says in (error or "")


@pytest.mark.parametrize("written", [KAFKA_STARTED, KAFKA_FINISHED, KAFKA_MARKED])
def test_any_cut_is_an_error_and_no_flipped_bit_raises(written: str) -> None:
    value = bytes.fromhex(written)
    for size in range(len(value)):
        assert read_record(None, value[:size])[4], size
    for bit in range(len(value) * 8):
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        assert len(read_record(None, bytes(flipped))) == 6


def rows(*records: Record) -> list[dict[str, bytes | None]]:
    return [{"key": one.key, "value": one.value} for one in records]


def test_it_is_recognised_by_its_bytes_and_by_its_name() -> None:
    table = records_table(*rows(remote.started(), remote.update(remote.COPY_FINISHED)))
    assert dialect.sniff("__remote_log_metadata", table).score == 100
    scores = {name: one.sniff("copy", table).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "remote-log-metadata"
    assert dialect.sniff("__remote_log_metadata", records_table({})).score == 90


def test_other_journals_are_not_claimed() -> None:
    of_controllers = records_table(
        *rows(*(Record(None, one) for one in (controller.topic(), controller.partition())))
    )
    assert dialect.sniff("copy", of_controllers).score == 0
    with_key = records_table({"key": b"k", "value": remote.started().value})
    assert dialect.sniff("copy", with_key).score == 0
    assert dialect.sniff("orders", records_table()).score == 0
    text = records_table({"key": None, "value": b"RemoteLogSegmentMetadata{remoteLogSegmentId=..}"})
    assert dialect.sniff("__remote_log_metadata", text).score == 0
