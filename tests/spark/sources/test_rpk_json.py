import json
from pathlib import Path

import pytest

from spark.sources import kcat_json, plain_json
from spark.sources.rpk_json import source
from tests.spark.sources.json_files import read

FULL = {
    "topic": "orders",
    "key": "k",
    "value": '{"a":1}',
    "headers": [{"key": "h", "value": "1"}, {"key": "h", "value": ""}],
    "timestamp": 1739569505569,
    "partition": 2,
    "offset": 10,
}


def without(*names: str, **others: object) -> dict[str, object]:
    return {name: value for name, value in FULL.items() if name not in names} | others


@pytest.mark.parametrize("indent", [None, 2], ids=["lines", "pretty"])
def test_members_become_a_record(tmp_path: Path, indent: int | None) -> None:
    content = "\n".join(json.dumps(record, indent=indent) for record in (FULL, FULL | {"offset": 11}))
    reading = read(source, content.encode(), tmp_path)
    record = reading.records[0]
    assert reading.column("offset") == [10, 11]
    assert (record["topic"], record["partition"], record["timestamp_ms"]) == ("orders", 2, 1739569505569)
    assert (record["key"], record["value"], record["timestamp_type"]) == (b"k", b'{"a":1}', None)
    assert record["headers"] == [{"key": b"h", "value": b"1"}, {"key": b"h", "value": b""}]


def test_an_absent_value_is_a_tombstone_and_an_empty_one_is_not(tmp_path: Path) -> None:
    content = json.dumps(without("value")) + "\n" + json.dumps(FULL | {"value": ""})
    reading = read(source, content.encode(), tmp_path)
    assert reading.column("value_is_null") == [True, False]
    assert reading.column("value") == [None, b""]


def test_an_absent_key_is_null_and_the_doubt_is_stated(tmp_path: Path) -> None:
    assert read(source, json.dumps(without("key")).encode(), tmp_path).column("key_is_null") == [True]
    assert "null-or-empty" in source.lacks


def test_meta_only_gives_sizes_and_no_tombstones(tmp_path: Path) -> None:
    reading = read(source, json.dumps(without("value", value_size=77)).encode(), tmp_path)
    record = reading.records[0]
    assert (record["value"], record["value_is_null"], record["value_size_bytes"]) == (None, False, 77)


def test_a_dump_of_tombstones_without_keys_is_still_recognised(tmp_path: Path) -> None:
    assert read(source, json.dumps(without("key", "value", "headers")).encode(), tmp_path).recognition.matches


def test_kcat_and_other_exports_are_not_rpk(tmp_path: Path) -> None:
    kcat = (
        b'{"topic":"t","partition":0,"offset":1,"tstype":"create","ts":5,"broker":1,"key":"k","payload":"v"}'
    )
    assert "no `timestamp` member" in read(source, kcat, tmp_path).recognition.why
    confluent = json.dumps(FULL | {"timestampType": "CREATE_TIME", "__confluent_index": 0}).encode()
    assert "timestampType" in read(source, confluent, tmp_path).recognition.why


def test_rpk_is_not_kcat_and_wins_over_plain(tmp_path: Path) -> None:
    content = json.dumps(FULL).encode()
    assert not read(kcat_json.source, content, tmp_path).recognition.matches
    assert (
        read(source, content, tmp_path).recognition.score
        > read(plain_json.source, content, tmp_path).recognition.score
    )
