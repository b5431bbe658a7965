"""Records as Node programs print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.node_record import source
from tests.spark.sources.prints import read, recognised

KAFKAJS = b"""{
  topic: 't',
  partition: 2,
  message: {
    magicByte: 2,
    attributes: 0,
    timestamp: '1602000000000',
    offset: '5',
    key: <Buffer 6b>,
    value: <Buffer 7b 22 61 22 3a 31 7d>,
    headers: { h: <Buffer 31> },
    isControlRecord: false,
    batchContext: { firstOffset: '5', maxTimestamp: '1602', inTransaction: false }
  },
  heartbeat: [AsyncFunction: heartbeat],
  pause: [Function: pause]
}
"""


@pytest.mark.parametrize(
    "content",
    [KAFKAJS, KAFKAJS.replace(b"\n", b" ") + b"\n", b"got: " + KAFKAJS],
    ids=["lines", "a line", "behind text"],
)
def test_a_message_of_kafkajs(tmp_path: Path, content: bytes) -> None:
    [row] = read(source, content, tmp_path).records
    assert (row["topic"], row["partition"], row["offset"], row["timestamp_ms"]) == ("t", 2, 5, 1602000000000)
    assert (row["key"], row["value"], row["headers"]) == (b"k", b'{"a":1}', [{"key": b"h", "value": b"1"}])
    assert recognised(content, tmp_path)[source.id].matches


@pytest.mark.parametrize(
    "content",
    [
        b"{ topic: 't', value: 'it\\'s\\n', offset: 5, partition: 2, highWaterOffset: 6, key: null }",
        b"{ value: <Buffer 69 74 27 73 0a>, size: 5, key: null, topic: 't', offset: 5, partition: 2, timestamp: 1602 }",
        b"{ partition: 2, offset: '5', topic: 't', key: undefined, value: 'it' +\n    \"'s\\n\" }",
    ],
    ids=["kafka-node", "node-rdkafka", "own"],
)
def test_forms_of_other_clients(tmp_path: Path, content: bytes) -> None:
    [row] = read(source, content, tmp_path).records
    assert (row["topic"], row["partition"], row["offset"], row["key_is_null"], row["value"]) == (
        "t",
        2,
        5,
        True,
        b"it's\n",
    )


def test_a_buffer_that_node_cut_is_told_with_its_true_size(tmp_path: Path) -> None:
    found = read(
        source,
        b"{ topic: 't', offset: 1, partition: 0, key: null, value: <Buffer 61 62 ... 60 more bytes> }",
        tmp_path,
    )
    assert (found.column("value"), found.column("value_size_bytes")) == ([b"ab"], [62])
    assert "truncated by the tool" in found.note


def test_an_object_without_a_value_is_damage_and_the_others_are_read(tmp_path: Path) -> None:
    found = read(
        source,
        b"{ topic: 't', partition: 0 }\n{ topic: 't', offset: 1, value: 'v' }\n{ topic: 't', offset: 2, value: 'w",
        tmp_path,
    )
    assert (found.column("offset"), len(found.damage)) == ([1], 2)


@pytest.mark.parametrize("content", [b'{"topic": "t", "partition": 0}\n', b"{ name: 'a', value: 1 }\n"])
def test_other_objects_are_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches
