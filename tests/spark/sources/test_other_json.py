"""JSON records of tools that are not known by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.sources.other_json import source
from tests.spark.sources.prints import read, recognised


def content(*rows: dict[str, Any]) -> bytes:
    return json.dumps(list(rows)).encode()


@pytest.mark.parametrize("name", ["content", "Payload", "body", "messageValue", "message"])
def test_the_value_is_found_under_its_usual_names(tmp_path: Path, name: str) -> None:
    row = {
        "messageOffset": 7,
        "Partition": 2,
        "messageKey": "k",
        name: "v",
        "Timestamp": "2024-01-01T00:00:00Z",
    }
    found = read(source, content(row), tmp_path)
    [one] = found.records
    assert (one["offset"], one["partition"], one["key"], one["value"]) == (7, 2, b"k", b"v")
    assert one["timestamp_ms"] == 1704067200000
    assert recognised(content(row), tmp_path)[source.id].matches


def test_an_unknown_member_never_makes_a_tombstone_and_is_named(tmp_path: Path) -> None:
    found = read(
        source, content({"offset": 1, "partition": 0, "key": "k", "Inhalt": "v", "serde": "json"}), tmp_path
    )
    [one] = found.records
    assert (one["value"], one["value_is_null"]) == (None, False)
    assert "Members that were not read: Inhalt and serde" in found.note
    assert "unknown, not null" in found.note


def test_null_is_null_and_json_is_kept_as_text(tmp_path: Path) -> None:
    found = read(
        source,
        content({"offset": "1", "value": None, "key": {"a": 1}}, {"offset": 2, "value": ["x"], "key": 5}),
        tmp_path,
    )
    assert found.column("value_is_null") == [True, False]
    assert (found.column("key"), found.records[1]["value"]) == ([b'{"a":1}', b"5"], b'["x"]')


def test_members_one_level_down_and_headers_are_read(tmp_path: Path) -> None:
    row = {
        "value": "v",
        "metadata": {"offset": 4, "partition": 1, "ts": 9, "topic": "t"},
        "headers": {"h": "x", "n": None},
    }
    listed = {**row, "headers": [{"key": "h", "value": "x"}]}
    found = read(source, content(row, listed), tmp_path)
    assert [(one["topic"], one["offset"], one["timestamp_ms"]) for one in found.records] == [("t", 4, 9)] * 2
    assert found.records[0]["headers"] == [{"key": b"h", "value": b"x"}, {"key": b"n", "value": None}]
    assert found.records[1]["headers"] == [{"key": b"h", "value": b"x"}]


def test_objects_that_are_no_records_are_told(tmp_path: Path) -> None:
    text = (
        b'{"offset": 1, "value": "a"}\n{"offset": -1, "value": "b"}\n{broken\n{"offset": 2, "value": "c"}\n'
    )
    found = read(source, text, tmp_path)
    assert found.column("offset") == [1, 2]
    assert sum(row["size_bytes"] for row in found.damage) > 0


@pytest.mark.parametrize("text", [b'{"a": 1}', b'{"offset": 1}', b"text", b'[{"value": 1}]'])
def test_other_json_is_not(tmp_path: Path, text: bytes) -> None:
    assert not recognised(text, tmp_path)[source.id].matches


def test_every_layout_that_is_known_by_name_goes_first(tmp_path: Path) -> None:
    row = {
        "topic": "t",
        "partition": 0,
        "offset": 1,
        "tstype": "create",
        "ts": 1,
        "broker": 1,
        "key": "k",
        "payload": "v",
    }
    answers = {
        name: one.score for name, one in recognised(json.dumps(row).encode(), tmp_path).items() if one.matches
    }
    assert max(answers, key=lambda name: answers[name]) == "kcat-json"


def test_parts_of_a_record_in_different_objects_are_no_record(tmp_path: Path) -> None:
    text = b'{"offset": 12}\n{"offset": 3}\n{"key": "dGhl", "algorithm": "HmacSHA256", "creation-timestamp": 1}\n'
    assert not recognised(text, tmp_path)[source.id].matches
