import base64
import json
from pathlib import Path
from typing import Any

import pytest

from spark.sources.redpanda_console_json import source
from tests.spark.sources.json_files import Reading, read


def payload(decoded: Any, raw: bytes | None = None, **others: Any) -> dict[str, Any]:
    own = {} if raw is None else {"rawPayload": base64.b64encode(raw).decode()}
    return {"payload": decoded, **own, "encoding": "text", "isPayloadNull": False, "schemaId": 0, **others}


def message(key: Any, value: Any, **others: Any) -> dict[str, Any]:
    plain = {
        "partitionID": 3,
        "offset": 8,
        "timestamp": 1739569505569,
        "compression": "lz4",
        "isTransactional": False,
    }
    return {**plain, "headers": [], "key": key, "value": value, **others}


def reading_of(folder: Path, *messages: dict[str, Any]) -> Reading:
    return read(source, json.dumps(messages, indent=4).encode(), folder)


def test_raw_bytes_are_preferred_to_what_the_console_decoded(tmp_path: Path) -> None:
    value = b"\x00\x00\x00\x00\x07\x89\xff"
    reading = reading_of(tmp_path, message(payload("k", b"k"), payload({"a": 1}, value, size=7)))
    record = reading.records[0]
    assert reading.recognition.matches
    assert (record["key"], record["value"], record["value_size_bytes"]) == (b"k", value, 7)
    assert (record["offset"], record["partition"], record["timestamp_ms"]) == (8, 3, 1739569505569)
    assert "not known" not in reading.note


def test_without_raw_bytes_the_decoded_value_is_compact_json(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, message(payload("k"), payload({"a": [1, "ü"]}, size=40)))
    assert reading.column("value") == [b'{"a":[1,"\\u00fc"]}']
    assert reading.column("value_size_bytes") == [40]
    assert "original bytes are unknown" in reading.note


def test_null_and_empty_stay_apart(tmp_path: Path) -> None:
    null = payload(None, b"", isPayloadNull=True, size=0)
    reading = reading_of(
        tmp_path, message(null, payload("", b"")), message(payload(""), payload(None, isPayloadNull=True))
    )
    assert reading.column("key_is_null") == [True, False]
    assert reading.column("value_is_null") == [False, True]
    assert reading.column("value") == [b"", None]
    assert reading.column("key") == [None, b""]


def test_rows_with_and_without_raw_bytes_may_be_mixed(tmp_path: Path) -> None:
    reading = reading_of(
        tmp_path,
        message(payload("a", b"\xff"), payload("text")),
        message(payload("b"), payload(12, b"12")),
        message(payload("c", b"c"), payload(12.50)),
    )
    assert reading.column("key") == [b"\xff", b"b", b"c"]
    assert reading.column("value") == [b"text", b"12", b"12.5"]


def test_headers_keep_order_duplicates_and_raw_bytes(tmp_path: Path) -> None:
    headers = [
        {"key": "h", "value": payload("x", b"\x89")},
        {"key": "h", "value": payload(None, isPayloadNull=True)},
        {"key": "g", "value": payload("plain")},
    ]
    reading = reading_of(
        tmp_path, message(payload("k"), payload("v"), headers=headers), message(payload("k"), None)
    )
    assert reading.column("headers") == [
        [{"key": b"h", "value": b"\x89"}, {"key": b"h", "value": None}, {"key": b"g", "value": b"plain"}],
        [],
    ]
    assert reading.column("value_is_null") == [False, True]


@pytest.mark.wide
def test_a_cut_array_keeps_its_whole_messages(tmp_path: Path) -> None:
    content = json.dumps(
        [message(payload("k", b"k"), payload("v", b"v"), offset=n) for n in range(3)], indent=4
    ).encode()
    for size in range(0, len(content), 7):
        found = read(source, content[:size], tmp_path)
        assert found.column("offset") == list(range(len(found.records)))
    assert read(source, content[:-3], tmp_path).column("offset") == [0, 1]


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    plain = json.dumps([{"partitionID": 1, "offset": 2, "key": "a", "value": "b"}]).encode()
    assert "payload" in read(source, plain, tmp_path).recognition.why
    assert "`partitionID`" in read(source, b'[{"offset":1}]', tmp_path).recognition.why
