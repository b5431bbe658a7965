import json
from pathlib import Path

from spark.sources import kafkactl_json
from spark.sources.kafbat_json import source
from tests.generator import exports
from tests.spark.sources.export_samples import JOURNAL
from tests.spark.sources.json_files import read

MESSAGE = {
    "Value": "v",
    "Offset": 7,
    "Key": "k",
    "Partition": 2,
    "Headers": {"a": "1"},
    "Timestamp": "2026-02-03T04:05:06.789Z",
}


def test_one_saved_message_becomes_a_record(tmp_path: Path) -> None:
    reading = read(source, json.dumps(MESSAGE, indent="\t").encode(), tmp_path)
    (record,) = reading.records
    assert reading.recognition.matches
    assert (record["offset"], record["partition"], record["key"], record["value"]) == (7, 2, b"k", b"v")
    assert record["timestamp_ms"] == 1770091506789
    assert record["headers"] == [{"key": b"a", "value": b"1"}]


def test_an_undefined_value_is_a_tombstone_and_the_text_null_is_not(tmp_path: Path) -> None:
    gone = {name: value for name, value in MESSAGE.items() if name != "Value"} | {"Key": "k"}
    rows = [MESSAGE, MESSAGE | {"Value": None}, gone, MESSAGE | {"Value": "null"}, MESSAGE | {"Value": ""}]
    reading = read(source, json.dumps(rows).encode(), tmp_path)
    assert reading.column("value_is_null") == [False, True, True, False, False]
    assert reading.column("value") == [b"v", None, None, b"null", b""]


def test_of_duplicate_headers_one_is_left_and_that_is_said(tmp_path: Path) -> None:
    reading = read(source, exports.kafbat_saved(JOURNAL), tmp_path)
    assert reading.records[0]["headers"] == [{"key": b"h", "value": b"2"}]
    assert "duplicate-headers" in source.lacks


def test_a_message_that_begins_with_its_partition_is_kafkactls(tmp_path: Path) -> None:
    content = exports.kafkactl(JOURNAL)
    recognition = read(source, content, tmp_path).recognition
    assert not recognition.matches
    assert "kafkactl" in recognition.why
    assert read(kafkactl_json.source, content, tmp_path).recognition.matches


def test_content_is_the_value_in_older_files_and_members_of_other_names_are_no_tombstones(
    tmp_path: Path,
) -> None:
    older = {name: value for name, value in MESSAGE.items() if name != "Value"} | {"Content": "v"}
    reading = read(source, json.dumps([older, older | {"Content": None}]).encode(), tmp_path)
    assert reading.column("value") == [b"v", None]
    assert reading.column("value_is_null") == [False, True]
    other = {name: value for name, value in older.items() if name != "Content"} | {"Inhalt": "v"}
    assert not read(source, json.dumps(other).encode(), tmp_path).recognition.matches
