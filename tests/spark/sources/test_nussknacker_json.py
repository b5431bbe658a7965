"""Test data of Nussknacker: the Kafka record stands within the record."""

from __future__ import annotations

import json
from pathlib import Path

from spark.sources.nussknacker_json import source
from spark.sources.other_json import source as other_json
from tests.spark.sources.json_files import read


def line(offset: int, value: object) -> bytes:
    record = {
        "key": "k",
        "value": value,
        "topic": "orders",
        "partition": 2,
        "offset": offset,
        "timestamp": 1707350400000,
        "timestampType": "CreateTime",
        "headers": {"trace": "x"},
        "leaderEpoch": 0,
    }
    outer = {"keySchemaId": None, "valueSchemaId": 4, "consumerRecord": record}
    return json.dumps({"sourceId": "kafka", "record": outer}).encode() + b"\n"


def test_each_line_is_the_record_within(tmp_path: Path) -> None:
    reading = read(source, line(7, {"id": 1}) + line(8, None), tmp_path)
    assert reading.recognition.matches
    assert reading.column("offset") == [7, 8]
    assert reading.column("partition") == [2, 2]
    assert reading.column("topic") == ["orders", "orders"]
    assert reading.column("value") == [b'{"id":1}', None]
    assert reading.column("timestamp_ms") == [1707350400000] * 2
    assert (
        reading.records[0]["headers"] == [(b"trace", b"x")]
        or reading.records[0]["headers"][0]["key"] == b"trace"
    )


def test_other_objects_are_not_its_own(tmp_path: Path) -> None:
    content = b'{"record":{"offset":1,"partition":0,"value":"a"}}\n'
    assert not read(source, content, tmp_path).recognition.matches
    assert read(other_json, content, tmp_path).column("value") == [b"a"]
