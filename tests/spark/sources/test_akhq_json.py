import json
from pathlib import Path

import pytest

from spark.sources.akhq_json import source
from tests.spark.sources.json_files import read

RECORD = (
    '{"partition":1,"offset":%d,"timestamp":%s,"keySchemaId":null,"valueSchemaId":"4",'
    '"headers":[{"key":"a","value":"1"},{"key":"a","value":null}],"key":"k","value":%s}'
)


def array(*records: str) -> bytes:
    return ("[" + ",".join(records) + "]").encode()


@pytest.mark.parametrize(
    ("timestamp", "timestamp_ms"),
    [
        ("1739569505.569000000", 1739569505569),
        ("1739569505", 1739569505000),
        ("1739569505569", 1739569505569),
        ("1.739569505569E9", 1739569505569),
        ('"2025-02-14T21:45:05.569Z"', 1739569505569),
        ('"2025-02-14T22:45:05.569123456+01:00"', 1739569505569),
        ("null", None),
        ('"yesterday"', None),
    ],
)
def test_timestamps_in_all_their_forms(tmp_path: Path, timestamp: str, timestamp_ms: int | None) -> None:
    reading = read(source, array(RECORD % (0, timestamp, '"v"')), tmp_path)
    assert reading.column("timestamp_ms") == [timestamp_ms]


def test_forms_may_be_mixed(tmp_path: Path) -> None:
    records = [
        RECORD % (n, t, "null")
        for n, t in enumerate(['"2025-02-14T21:45:05Z"', '"2025-02-14 21:45:05"', "7.5"])
    ]
    assert read(source, array(*records), tmp_path).column("timestamp_ms") == [
        1739569505000,
        1739569505000,
        7500,
    ]


def test_members_become_a_record(tmp_path: Path) -> None:
    reading = read(
        source, array(RECORD % (2**40, "1.5", '"v"'), RECORD % (2**40 + 1, "1.5", "null")), tmp_path
    )
    record = reading.records[0]
    assert reading.recognition.matches
    assert (record["offset"], record["partition"], record["topic"]) == (2**40, 1, "?")
    assert record["headers"] == [{"key": b"a", "value": b"1"}, {"key": b"a", "value": None}]
    assert reading.column("value_is_null") == [False, True]


def test_an_array_whose_stream_broke_keeps_its_whole_records(tmp_path: Path) -> None:
    content = array(*(RECORD % (n, "1.5", '"v"') for n in range(3)))
    reading = read(source, content[:-30], tmp_path)
    assert reading.column("offset") == [0, 1]
    assert [row["reason"] for row in reading.damage] == ["truncated"]
    assert read(source, content[:-1], tmp_path).damage == []


def test_a_decoded_value_is_compact_json_of_unknown_bytes(tmp_path: Path) -> None:
    reading = read(source, array(RECORD % (0, "1.5", '{"a": [1,  2]}')), tmp_path)
    assert reading.column("value") == [b'{"a":[1,2]}']
    assert "original bytes are unknown" in reading.note


def test_values_alone_are_refused_with_what_is_missing(tmp_path: Path) -> None:
    recognition = read(source, json.dumps([{"id": 1}, {"id": 2}]).encode(), tmp_path).recognition
    assert not recognition.matches
    assert "`offset`" in recognition.why
    assert "has id" in recognition.why
