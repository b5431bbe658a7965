import time
from pathlib import Path

import pytest

from spark.sources.kafbat_csv import source
from tests.spark.sources.json_files import read

HEADER = b"Value,Offset,Key,Partition,Headers,Timestamp\n"
TIME = b"2026-02-03T04:05:06.789Z"


@pytest.mark.parametrize(
    ("row", "value", "key", "headers"),
    [
        (
            b'{"a":1,"b":[2,3]},7,k,0,{"h":"x,y","i":"1"}',
            b'{"a":1,"b":[2,3]}',
            b"k",
            [(b"h", b"x,y"), (b"i", b"1")],
        ),
        (b"two\nlines, 5,with commas,7,k,0,", b"two\nlines, 5,with commas", b"k", []),
        (b",7,,0,[object Object]", None, None, []),
        (b'v,7,{"id":4,"b":"c"},0,{}', b"v", b'{"id":4,"b":"c"}', []),
        (b'{"nested":{"x":1}},7,k,0,{"h":"{}"}', b'{"nested":{"x":1}}', b"k", [(b"h", b"{}")]),
        ("grüße,7,ö,0,".encode(), "grüße".encode(), "ö".encode(), []),
    ],
    ids=["map", "line feed", "nothing", "key with commas", "braces", "not ASCII"],
)
def test_a_row_is_read_from_its_end(
    tmp_path: Path, row: bytes, value: bytes, key: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    reading = read(source, HEADER + row + b"," + TIME + b"\n", tmp_path)
    (record,) = reading.records
    assert (record["offset"], record["partition"], record["timestamp_ms"]) == (7, 0, 1770091506789)
    assert (record["value"], record["key"]) == (value, key)
    assert [(pair["key"], pair["value"]) for pair in record["headers"]] == headers


def test_a_row_whose_cells_cannot_be_told_is_damage(tmp_path: Path) -> None:
    good = b"v,%d,k,0,," + TIME + b"\n"
    reading = read(source, HEADER + good % 1 + b"no offset," + TIME + b"\n" + good % 3 + b"v,4,k", tmp_path)
    assert reading.column("offset") == [1, 3]
    assert [row["reason"] for row in reading.damage] == ["bad_line", "truncated"]


def test_a_row_made_to_be_hard_is_no_long_work(tmp_path: Path) -> None:
    started = time.process_time()
    content = HEADER + b",1" * 300_000 + b"," + TIME + b"\n" + b",{" * 100_000 + b"}," + TIME + b"\n"
    read(source, content, tmp_path)
    assert time.process_time() - started < 10
