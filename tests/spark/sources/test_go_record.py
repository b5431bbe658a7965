"""Records as Go programs print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.go_record import source
from tests.spark.sources.prints import read, recognised

TIME = "2023-01-01 12:00:00.5 +0200 CEST"
FORMS = {
    "sarama": "&{Headers:[0xc0001] Timestamp:TIME BlockTimestamp:0001-01-01 00:00:00 +0000 UTC Key:[107] Value:[118 255 0] Topic:t Partition:2 Offset:5}",
    "old sarama": "&{Key:[107] Value:[118 255 0] Topic:t Partition:2 Offset:5 Timestamp:TIME BlockTimestamp:0001-01-01 00:00:00 +0000 UTC Headers:[]}",
    "kafka-go": "{Topic:t Partition:2 Offset:5 HighWaterMark:6 Key:[107] Value:[118 255 0] Headers:[{Key:h Value:[49]}] WriterData:<nil> Time:TIME}",
    "old kafka-go": "{Topic:t Partition:2 Offset:5 Key:[107] Value:[118 255 0] Headers:[] Time:TIME}",
    "franz-go": "&{Key:[107] Value:[118 255 0] Headers:[] Timestamp:TIME Topic:t Partition:2 Attrs:{attrs:0} ProducerEpoch:0 ProducerID:1 LeaderEpoch:0 "
    "Offset:5 Context:context.Background recordsPool:{}}",
    "confluent": "&{TopicPartition:t[2]@5 Value:[118 255 0] Key:[107] Timestamp:TIME TimestampType:CreateTime Opaque:<nil> Headers:[]}",
}


@pytest.mark.parametrize("name", FORMS)
def test_a_record_of_each_client(tmp_path: Path, name: str) -> None:
    content = f"time=1 level=info msg={FORMS[name].replace('TIME', TIME)} end\n".encode()
    found = read(source, content, tmp_path)
    [row] = found.records
    assert (row["topic"], row["partition"], row["offset"], row["key"], row["value"]) == (
        "t",
        2,
        5,
        b"k",
        b"v\xff\x00",
    )
    assert row["timestamp_ms"] == 1672567200500
    assert row["headers"] == (
        [{"key": b"h", "value": b"1"}] if name == "kafka-go" else None if name == "sarama" else []
    )
    scores = {
        layout: answer.score for layout, answer in recognised(content, tmp_path).items() if answer.matches
    }
    assert max(scores, key=lambda layout: scores[layout]) == source.id


def test_a_nil_slice_is_null_or_empty(tmp_path: Path) -> None:
    found = read(
        source, FORMS["old kafka-go"].replace("[107]", "[]").replace("TIME", TIME).encode(), tmp_path
    )
    assert found.column("key") == [b""]
    assert "null or empty" in found.note


def test_other_structs_are_not(tmp_path: Path) -> None:
    assert not recognised(b"{Key:[107] Value:[118]}\n", tmp_path)[source.id].matches
