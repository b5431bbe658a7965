"""The guess by names as tools write them, and by contents where names tell nothing."""

from __future__ import annotations

import pytest

from spark.sources._columns.guess import guess, role_of
from spark.terms.column_mapping import written_columns

TOOLS = {
    "Spark": ("key", "value", "topic", "partition", "offset", "timestamp"),
    "Trino": ("_key", "_message", "_topic", "_partition_id", "_partition_offset", "_timestamp"),
    "ClickHouse": ("_key", "payload", "_topic", "_partition", "_offset", "_timestamp_ms"),
    "Hive": ("__key", "value", "topic", "__partition", "__offset", "__timestamp"),
    "RisingWave": ("_rw_kafka_key", "payload", "topic", "_rw_kafka_partition", "_rw_kafka_offset", "_rw_kafka_timestamp"),
    "ksqlDB": ("ROWKEY", "VALUE", "TOPIC", "ROWPARTITION", "ROWOFFSET", "ROWTIME"),
    "Lenses": ("_key", "_value", "topic", "_meta.partition", "_meta.offset", "_meta.timestamp"),
    "Vector": ("message_key", "message", "topic", "partition", "offset", "timestamp"),
}  # fmt: skip
ROW = ("k", '{"a": 1}', "orders", "0", "17", "1700000000000")
PARTS = ["key", "value", "topic", "partition", "offset", "timestamp"]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_names_of_tools_are_certain(tool: str) -> None:
    assert [role_of(name) for name in TOOLS[tool]] == PARTS
    told = guess(TOOLS[tool], [ROW])
    assert told.certain == told.columns
    assert [str(told.columns[part]) for part in PARTS] == list(TOOLS[tool])


def guessed(names: str, *rows: str) -> str:
    told = guess(names.split(), [row.split() for row in rows])
    assert not told.certain
    return written_columns(told.columns)


def test_contents_suggest_what_names_do_not_tell() -> None:
    first, second = 'a 5 1700000000 {"x":1}', 'b 6 1700000000 {"y":1}'
    assert guessed("c1 c2 c3 c4", first, second) == "offset=c2,timestamp=c3,key=c1,value=c4"


def test_offsets_rise_within_their_partition_and_may_fall_for_the_newest_first() -> None:
    assert guessed("shard n body", "0 9 x", "1 4 y", "0 8 z") == "partition=shard,offset=n,value=body"
    assert "offset" not in guessed("shard n body", "0 9 x", "0 4 y", "0 8 z")


def test_words_within_names_suggest() -> None:
    assert guessed("record_id order_key eventBody", "x k v", "x k2 v2") == "key=order_key,value=eventBody"


def test_an_offset_without_whole_numbers_is_not_one() -> None:
    assert not guess(["offset", "value"], [["none", "v"]]).certain


def test_without_names_columns_have_numbers() -> None:
    told = guess(["#1", "#2"], [["5", "text that is long"], ["6", "another"]], has_names=False)
    assert written_columns(told.columns) == "offset=#1,value=#2"
