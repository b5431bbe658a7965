"""Records in Kafka Connect's logs."""

from __future__ import annotations

from pathlib import Path

from spark.sources.connect_record import source
from tests.spark.sources.prints import read, recognised, saved

SINK = (
    b"[2021-09-02 20:00:56,586] WARN skip SinkRecord{kafkaOffset=%d, timestampType=CreateTime} ConnectRecord{topic='t', kafkaPartition=2, key=%s, "
    b"keySchema=%s, value=%s, valueSchema=%s, timestamp=1630583824222, headers=ConnectHeaders(headers=)} (com.example.Task:57)\n"
)
STRING = b"Schema{STRING}"


def test_texts_are_bytes_and_objects_are_told(tmp_path: Path) -> None:
    found = read(
        source,
        SINK % (7, b"k, value=x", STRING, b'{"a": 1}', STRING)
        + SINK % (8, b"null", b"null", b"Struct{id=1,k={a=2}}", b"Schema{t:STRUCT}"),
        tmp_path,
    )
    assert [
        (row["topic"], row["partition"], row["offset"], row["key"], row["value"]) for row in found.records
    ] == [
        ("t", 2, 7, b"k, value=x", b'{"a": 1}'),
        ("t", 2, 8, None, b"Struct{id=1,k={a=2}}"),
    ]
    assert "1 key or value printed as an object's text" in found.note


def test_old_releases_print_no_schemas_and_arrays_are_not_printed(tmp_path: Path) -> None:
    old = b"SinkRecord{kafkaOffset=1267, timestampType=CreateTime} ConnectRecord{topic='t', kafkaPartition=0, key=, value=[B@1f32e575, timestamp=1, headers=ConnectHeaders(headers=)}\n"
    found = read(source, old, tmp_path)
    [row] = found.records
    assert (row["key"], row["key_is_null"], row["value"], row["value_is_null"]) == (b"", False, None, False)
    assert "not printed" in found.note


def test_a_source_record_has_no_offset(tmp_path: Path) -> None:
    content = (
        b"SourceRecord{sourcePartition={server=a}, sourceOffset={lsn=2}} ConnectRecord{topic='t', kafkaPartition=null, key=k, keySchema=Schema{STRING}, "
        b"value=v, valueSchema=Schema{STRING}, timestamp=null, headers=ConnectHeaders(headers=)}\n"
    )
    file = saved(content, tmp_path)
    [split] = source.split(file, 0, "?", 0, "")
    assert {"offset", "partition"} <= split.lacks
    [row] = read(source, content, tmp_path).records
    assert (row["topic"], row["key"], row["value"], row["timestamp_ms"]) == ("t", b"k", b"v", None)


def test_it_is_this_layout(tmp_path: Path) -> None:
    line = SINK % (7, b"k", STRING, b"v", STRING)
    assert [name for name, answer in recognised(line, tmp_path).items() if answer.matches] == [source.id]
    assert not recognised(b"INFO SinkRecord\n", tmp_path)[source.id].matches


def test_a_record_without_its_end_is_told(tmp_path: Path) -> None:
    found = read(
        source,
        SINK % (7, b"k", STRING, b"v", STRING) + (SINK % (8, b"k", STRING, b"v", STRING))[:160],
        tmp_path,
    )
    assert (found.column("offset"), [row["reason"] for row in found.damage]) == ([7], ["truncated"])
