"""Records as Java clients log them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.consumer_record import source
from tests.spark.sources.prints import read, recognised

LINE = (
    b"[main] INFO c.e.App - ConsumerRecord(topic = test, partition = 1, leaderEpoch = 0, offset = %d, CreateTime = 1594970489649, "
    b"serialized key size = %d, serialized value size = %d, headers = RecordHeaders(headers = [%s], isReadOnly = false), "
    b"key = %s, value = %s) and more\n"
)
OLD = (
    b"ConsumerRecord(topic = test, partition = 1, offset = 4, CreateTime = 1594970489649, checksum = 2512, serialized key size = 1, "
    b"serialized value size = 2, key = k, value = vv)\n"
)


def line(
    offset: int,
    key: bytes = b"k",
    value: bytes = b"v",
    key_size: int = 1,
    value_size: int = 1,
    headers: bytes = b"",
) -> bytes:
    return LINE % (offset, key_size, value_size, headers, key, value)


def test_a_record_has_all_that_the_line_says(tmp_path: Path) -> None:
    headers = b"RecordHeader(key = trace, value = [104, 105]), RecordHeader(key = nil, value = null)"
    found = read(source, b"something else\n" + line(16, headers=headers), tmp_path)
    [row] = found.records
    assert (row["topic"], row["partition"], row["offset"], row["timestamp_ms"], row["timestamp_type"]) == (
        "test", 1, 16, 1594970489649, "create",
    )  # fmt: skip
    assert (row["key"], row["value"]) == (b"k", b"v")
    assert row["headers"] == [{"key": b"trace", "value": b"hi"}, {"key": b"nil", "value": None}]
    assert "1 line without a record" in found.note


def test_a_line_of_0_10_is_read(tmp_path: Path) -> None:
    [row] = read(source, OLD, tmp_path).records
    assert (row["offset"], row["key"], row["value"], row["headers"]) == (4, b"k", b"vv", None)


def test_sizes_say_where_key_and_value_end(tmp_path: Path) -> None:
    key, value = b"a, value = b", b"x) (y\n ConsumerRec\nend)"
    content = line(1, key, value, len(key), len(value)) + line(2)
    found = read(source, content, tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [(key, value), (b"k", b"v")]
    assert found.damage == []


def test_null_is_null_by_its_size(tmp_path: Path) -> None:
    content = line(1, b"null", b"null", -1, -1) + line(2, b"null", b"null", 4, 4)
    found = read(source, content, tmp_path)
    assert found.column("key_is_null") == found.column("value_is_null") == [True, False]
    assert found.column("value") == [None, b"null"]


def test_an_array_of_bytes_is_not_printed_and_is_not_null(tmp_path: Path) -> None:
    found = read(source, line(1, b"[B@1f32e575", b"[B@0", 9, 54), tmp_path)
    [row] = found.records
    assert (row["key"], row["key_is_null"], row["value_is_null"], row["value_size_bytes"]) == (
        None,
        False,
        False,
        54,
    )
    assert "2 keys or values not printed" in found.note


def test_an_objects_text_is_told_not_to_be_the_bytes(tmp_path: Path) -> None:
    found = read(source, line(1, b"k", b"Order(id=1)", 1, 54), tmp_path)
    assert found.records[0]["value"] == b"Order(id=1)"
    found = read(
        source, line(1, b"k", b"Order(id=1)", 1, 54).replace(b" and more", b"") + b"log\n" + line(2), tmp_path
    )
    assert found.column("value") == [b"Order(id=1)", b"v"]
    assert "not the bytes of the record" in found.note
    assert "1 line without a record" in found.note


def test_a_record_without_its_end_is_told(tmp_path: Path) -> None:
    found = read(source, line(1) + line(7)[:250], tmp_path)
    assert (len(found.records), [(row["reason"], row["first_offset"]) for row in found.damage]) == (
        1,
        [("truncated", 7)],
    )


@pytest.mark.parametrize("before", [b"", b"other line\n" * 30])
def test_it_is_this_layout(tmp_path: Path, before: bytes) -> None:
    assert [name for name, one in recognised(before + line(1), tmp_path).items() if one.matches] == [
        source.id
    ]
    assert not recognised(b"other line\n" * 30, tmp_path)[source.id].matches
