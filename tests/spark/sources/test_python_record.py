"""Records as Python clients print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.python_record import source
from tests.spark.sources.prints import read, recognised

LINE = (
    "2024-01-01 10:00:00,1 INFO got ConsumerRecord(topic='t', partition=1, offset=%d, timestamp=1529569531392, timestamp_type=%d, key=%r, value=%r, "
    "headers=%r, checksum=None, serialized_key_size=%d, serialized_value_size=%d, serialized_header_size=2) done\n"
)


def line(
    offset: int, key: object = b"k", value: object = b"v", size: int = 1, headers: object = (), kind: int = 0
) -> bytes:
    return (LINE % (offset, kind, key, value, headers, 1, size)).encode()


def test_a_record_has_all_that_the_line_says(tmp_path: Path) -> None:
    found = read(
        source, b"other\n" + line(7, b"\x00k'\"\n", b"\xff", 1, [("h", b"1"), ("n", None)], 1), tmp_path
    )
    [row] = found.records
    assert (row["topic"], row["partition"], row["offset"], row["timestamp_ms"], row["timestamp_type"]) == (
        "t", 1, 7, 1529569531392, "log_append",
    )  # fmt: skip
    assert (row["key"], row["value"]) == (b"\x00k'\"\n", b"\xff")
    assert row["headers"] == [{"key": b"h", "value": b"1"}, {"key": b"n", "value": None}]
    assert "1 line without a record" in found.note


def test_none_is_null_and_a_text_is_its_bytes(tmp_path: Path) -> None:
    found = read(source, line(1, None, "grün", 5) + line(2, b"", b"", 0), tmp_path)
    assert found.column("key_is_null") == [True, False]
    assert found.column("value") == ["grün".encode(), b""]


@pytest.mark.parametrize(("size", "value"), [(9, b'{"a": 1}'), (8, b'{"a": 1}'), (7, b'{"a":1}')])
def test_an_object_is_the_json_that_has_the_printed_size(tmp_path: Path, size: int, value: bytes) -> None:
    found = read(source, line(1, value={"a": 1}, size=size), tmp_path)
    assert found.column("value") == [value]
    assert ("rebuilt as JSON" in found.note) is (size == 9)


@pytest.mark.parametrize(
    "text",
    [
        b"ConsumerRecord(topic='t', partition=0, offset=1, key=None, value=b'(\\x01)')\n",
        b"{TopicPartition(topic='t', partition=0): [" + line(1, None, b"(\x01)", 3).strip() + b"]}\n",
        b"ConsumerRecord(topic='t', partition=0, offset=1, timestamp=1, timestamp_type=0, key=None, value=b'(\\x01)', checksum=None, "
        b"serialized_key_size=-1, serialized_value_size=3, headers=(('h', b'1'),))\n",
    ],
    ids=["0.9.5", "poll", "aiokafka"],
)
def test_forms_of_other_clients(tmp_path: Path, text: bytes) -> None:
    found = read(source, text, tmp_path)
    assert (found.column("offset"), found.column("value"), found.damage) == ([1], [b"(\x01)"], [])


def test_a_record_without_its_end_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    found = read(source, line(1) + line(7)[:150] + b"\n" + line(8), tmp_path)
    assert found.column("offset") == [1, 8]
    assert [(row["reason"], row["first_offset"]) for row in found.damage] == [("truncated", 7)]


def test_it_is_this_layout(tmp_path: Path) -> None:
    assert [name for name, answer in recognised(line(1), tmp_path).items() if answer.matches] == [source.id]
    assert not recognised(b"ConsumerRecord = namedtuple('x')\n", tmp_path)[source.id].matches
