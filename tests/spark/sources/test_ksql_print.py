"""ksqlDB's PRINT."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources.ksql_print import source, split
from tests.spark.sources.prints import read, recognised

NEW = (
    b"Key format: KAFKA_STRING\nValue format: AVRO or KAFKA_STRING\n"
    b'rowtime: 2023/04/04 14:06:12.915 Z, key: KOL, value: {"TEMP": "39"}, partition: 2\n'
    b"rowtime: 2023/04/04 14:08:39.769 Z, key: <null>, value: <null>, partition: 0\n"
)


def test_rows_since_0_15_have_time_key_value_and_partition(tmp_path: Path) -> None:
    found = read(source, NEW, tmp_path)
    assert found.damage == []
    first, second = found.records
    assert (first["key"], first["value"], first["partition"], first["timestamp_ms"]) == (
        b"KOL",
        b'{"TEMP": "39"}',
        2,
        1680617172915,
    )
    assert (second["key_is_null"], second["value_is_null"], second["offset"]) == (True, True, 1)


@pytest.mark.parametrize(
    ("line", "time"),
    [
        (b"rowtime: 2020/05/28 06:34:27.386 Z, key: k, value: v\n", 1590647667386),
        (b"rowtime: 8/10/20 10:10:50 AM UTC, key: k, value: v\n", 1597054250000),
        (b"rowtime: 8/10/20, 10:10:50 AM UTC, key: k, value: v\n", 1597054250000),
        (b"rowtime: N/A, key: k, value: v\n", None),
        (b"1/15/18 9:00:00 AM UTC, k, v\n", 1516006800000),
        (b"1/15/18 9:00:00 AM UTC , k , v\n", 1516006800000),
    ],
    ids=["5.5", "5.4", "Java 9", "no time", "5.0, Avro", "4.1, text"],
)
def test_rows_of_all_ages(tmp_path: Path, line: bytes, time: int | None) -> None:
    found = read(source, line * 2, tmp_path)
    assert [(row["key"], row["value"], row["timestamp_ms"]) for row in found.records] == [
        (b"k", b"v", time)
    ] * 2
    answers = {name: one.score for name, one in recognised(line * 2, tmp_path).items() if one.matches}
    assert max(answers, key=lambda name: answers[name]) == source.id


def test_rows_of_json_topics_up_to_5_3(tmp_path: Path) -> None:
    content = b'Format:JSON\n{"ROWTIME":1516010696273,"ROWKEY":"k1","id":7}\n{"ROWTIME":1516010696274,"ROWKEY":"null","id":8}\n'
    found = read(source, content, tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [
        (b"k1", b'{"id":7}'),
        (None, b'{"id":8}'),
    ]
    assert recognised(content, tmp_path)[source.id].matches


def test_a_value_may_hold_line_feeds_and_a_row_the_words(tmp_path: Path) -> None:
    content = b"rowtime: N/A, key: k, value: a\nb, value: c, partition: 1\nPress CTRL-C to interrupt\n"
    found = read(source, content, tmp_path)
    assert [(row["key"], row["value"], row["partition"]) for row in found.records] == [
        (b"k", b"a\nb, value: c", 1)
    ]
    assert "more than once" in found.note


def test_the_topic_is_the_one_of_the_command(tmp_path: Path) -> None:
    file = InputFile("x", str(tmp_path / "x"), 0, command="ksql> print `temp.city` from beginning;")
    [part] = split(file, 0, "?", 0, "")
    assert part.topic == "temp.city"


@pytest.mark.parametrize("content", [b"rowtime\n", b"key: a, value: b\n", b"2020-01-01 INFO, a, b\n"])
def test_other_text_is_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_a_last_row_without_its_partition_is_cut(tmp_path: Path) -> None:
    found = read(source, NEW + b'rowtime: 2023/04/04 14:08:40.000 Z, key: K, value: {"TEMP": "4\n', tmp_path)
    assert len(found.records) == 2
    assert [row["reason"] for row in found.damage] == ["truncated"]


def test_no_row_is_cut_where_none_has_a_partition(tmp_path: Path) -> None:
    found = read(source, NEW.replace(b", partition: 2", b"").replace(b", partition: 0", b""), tmp_path)
    assert (len(found.records), found.damage) == (2, [])
