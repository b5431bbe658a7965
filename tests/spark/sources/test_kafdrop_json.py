import json
from pathlib import Path

from spark.sources.kafdrop_json import source
from tests.spark.sources.json_files import read

RECORD = {
    "partition": 0,
    "offset": 1,
    "message": "m",
    "key": "k",
    "headers": {"b": "2", "a": "1"},
    "timestamp": "2026-02-03T04:05:06.789Z",
}


def test_members_become_a_record(tmp_path: Path) -> None:
    (record,) = read(source, json.dumps([RECORD]).encode(), tmp_path).records
    assert (record["offset"], record["key"], record["value"]) == (1, b"k", b"m")
    assert record["timestamp_ms"] == 1770091506789
    assert record["headers"] == [{"key": b"b", "value": b"2"}, {"key": b"a", "value": b"1"}]


def test_the_word_empty_is_null_and_longer_texts_are_not(tmp_path: Path) -> None:
    messages = ["empty", "", "empty ", "Empty", "emptyempty", None]
    rows = [RECORD | {"offset": n, "message": m, "key": m} for n, m in enumerate(messages)]
    reading = read(source, json.dumps(rows).encode(), tmp_path)
    assert reading.column("value_is_null") == [True, False, False, False, False, True]
    assert reading.column("key_is_null") == [True, False, False, False, False, True]
    assert "null-or-empty" in source.lacks


def test_an_object_without_message_is_not_this_layout(tmp_path: Path) -> None:
    recognition = read(source, b'[{"partition":0,"offset":1,"value":"v"}]', tmp_path).recognition
    assert not recognition.matches
    assert "`message`" in recognition.why
