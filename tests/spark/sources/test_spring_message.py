"""Messages in the logs of Spring."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.spring_message import source
from tests.spark.sources.prints import read, recognised

LINE = b"10:00 INFO GenericMessage [payload=%s, headers={id=97078da0, %s}] end\n"


@pytest.mark.parametrize(
    "headers",
    [
        b"kafka_offset=847, kafka_receivedMessageKey=k, kafka_receivedPartitionId=2, kafka_receivedTopic=t",
        b"kafka_receivedTopic=t, kafka_messageKey=k, kafka_receivedPartition=2, kafka_offset=847",
        b"kafka_partitionId=2, kafka_offset=847, kafka_topic=t, kafka_receivedKey=k, kafka_receivedTimestamp=5, kafka_timestampType=CREATE_TIME",
    ],
)
def test_headers_of_all_ages_in_any_order(tmp_path: Path, headers: bytes) -> None:
    [row] = read(source, LINE % (b'{"a": [1, 2]}', headers), tmp_path).records
    assert (row["topic"], row["partition"], row["offset"], row["key"], row["value"]) == (
        "t",
        2,
        847,
        b"k",
        b'{"a": [1, 2]}',
    )
    assert (row["timestamp_ms"], row["timestamp_type"]) == (
        (5, "create") if b"Timestamp" in headers else (None, None)
    )


def test_what_is_not_printed_is_unknown_and_no_key_is_null(tmp_path: Path) -> None:
    found = read(
        source,
        LINE % (b"byte[15]", b"kafka_offset=1")
        + LINE % (b"org.springframework.kafka.support.KafkaNull@1f", b"kafka_offset=2"),
        tmp_path,
    )
    assert found.column("value_is_null") == [False, True]
    assert found.column("value_size_bytes")[0] == 15
    assert found.column("key_is_null") == [True, True]
    assert "not printed" in found.note


def test_a_batch_listeners_lists_are_told(tmp_path: Path) -> None:
    found = read(
        source, LINE % (b"[a, b]", b"kafka_offset=[1, 2]") + LINE % (b"a", b"kafka_offset=3"), tmp_path
    )
    assert (found.column("offset"), len(found.damage)) == ([3], 1)
    assert "lists" in found.damage[0]["detail"]


def test_messages_of_other_brokers_are_not(tmp_path: Path) -> None:
    line = LINE % (b"a", b"kafka_offset=3, kafka_receivedTopic=t")
    assert [name for name, answer in recognised(line, tmp_path).items() if answer.matches] == [source.id]
    assert not recognised(LINE % (b"a", b"amqp_deliveryTag=4"), tmp_path)[source.id].matches
