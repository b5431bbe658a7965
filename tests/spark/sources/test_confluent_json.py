import json
from pathlib import Path

import pytest

from spark.sources import rpk_json
from spark.sources.confluent_json import source
from tests.spark.sources.json_files import read
from tests.spark.sources.prints import recognised

RECORD = {
    "topic": "orders",
    "partition": 4,
    "offset": 11,
    "timestamp": 1770091506789,
    "timestampType": "CREATE_TIME",
    "headers": [{"key": "a", "stringValue": "1"}, {"key": "a", "stringValue": "2"}],
    "key": "k",
    "value": {"amount": 12, "note": None},
    "__confluent_index": 0,
}


def test_members_become_a_record_and_duplicate_headers_stay(tmp_path: Path) -> None:
    reading = read(source, json.dumps([RECORD], indent=2).encode(), tmp_path)
    (record,) = reading.records
    assert (record["topic"], record["partition"], record["offset"], record["key"]) == ("orders", 4, 11, b"k")
    assert record["headers"] == [{"key": b"a", "value": b"1"}, {"key": b"a", "value": b"2"}]
    assert record["value"] == b'{"amount":12,"note":null}'
    assert "original bytes are unknown" in reading.note


@pytest.mark.parametrize(
    ("printed", "timestamp_type"),
    [("CREATE_TIME", "create"), ("LogAppendTime", "log_append"), ("NO_TIMESTAMP_TYPE", None), (None, None)],
)
def test_the_kind_of_time_in_either_spelling(
    tmp_path: Path, printed: str | None, timestamp_type: str
) -> None:
    reading = read(source, json.dumps([RECORD | {"timestampType": printed}]).encode(), tmp_path)
    assert reading.column("timestamp_type") == [timestamp_type]


def test_null_empty_and_the_text_null_stay_apart(tmp_path: Path) -> None:
    rows = [RECORD | {"offset": n, "value": v} for n, v in enumerate([None, "", "null"])]
    reading = read(source, json.dumps(rows).encode(), tmp_path)
    assert reading.column("value") == [None, b"", b"null"]


def test_without_its_index_it_is_still_not_taken_for_rpk(tmp_path: Path) -> None:
    row = {name: value for name, value in RECORD.items() if name != "__confluent_index"}
    content = json.dumps([row]).encode()
    assert read(source, content, tmp_path).recognition.matches
    assert not read(rpk_json.source, content, tmp_path).recognition.matches


def test_an_event_of_lambda_is_not_from_confluent(tmp_path: Path) -> None:
    record = '{"topic":"t","partition":0,"offset":8,"timestamp":1,"timestampType":"CREATE_TIME","key":"YQ==","value":"Yg=="}'
    content = 'event = {"eventSource": "SelfManagedKafka", "records": {"t-0": [' + record + ",]}}"
    assert not recognised(content.encode(), tmp_path)[source.id].matches
