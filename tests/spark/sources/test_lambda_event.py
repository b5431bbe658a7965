"""Events of AWS Lambda."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.sources.lambda_event import source
from tests.spark.sources.prints import read, recognised

ROW = {
    "topic": "orders", "partition": 3, "offset": 15, "timestamp": 1545084650987, "timestampType": "CREATE_TIME",
    "key": "YWJj", "value": "SGVsbG8=", "headers": [{"h": [104, -1]}],
}  # fmt: skip


def event(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "eventSource": "aws:kafka",
        "bootstrapServers": "b:9092",
        "records": {"orders-3": list(rows)},
        **more,
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_a_record_is_decoded(tmp_path: Path, indent: int | None) -> None:
    content = json.dumps(event(ROW), indent=indent).encode()
    [row] = read(source, content, tmp_path).records
    assert (row["topic"], row["partition"], row["offset"], row["timestamp_ms"], row["timestamp_type"]) == (
        "orders", 3, 15, 1545084650987, "create",
    )  # fmt: skip
    assert (row["key"], row["value"], row["headers"]) == (
        b"abc",
        b"Hello",
        [{"key": b"h", "value": b"h\xff"}],
    )
    answers = {name: one.score for name, one in recognised(content, tmp_path).items() if one.matches}
    assert max(answers, key=lambda name: answers[name]) == source.id


def test_no_key_and_no_value_are_null(tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name != "key"}
    found = read(source, json.dumps(event({**row, "value": None})).encode(), tmp_path)
    assert (found.records[0]["key_is_null"], found.records[0]["value_is_null"]) == (True, True)


def test_several_events_and_an_array_are_read(tmp_path: Path) -> None:
    one, two = event(ROW), event({**ROW, "offset": 16})
    for content in (json.dumps([one, two]), f"{json.dumps(one)}\n{json.dumps(two)}"):
        assert read(source, content.encode(), tmp_path).column("offset") == [15, 16]


def test_bad_records_and_a_cut_event_are_told(tmp_path: Path) -> None:
    content = json.dumps(event({**ROW, "value": "?"}, ROW)) + "\n" + json.dumps(event(ROW))[:120]
    found = read(source, content.encode(), tmp_path)
    assert (len(found.records), [row["reason"] for row in found.damage]) == (1, ["bad_line", "truncated"])


@pytest.mark.parametrize("content", [b'{"records": [1]}', b'{"records": {"a": 1}}', b'{"other": 1}', b"text"])
def test_other_json_is_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches
