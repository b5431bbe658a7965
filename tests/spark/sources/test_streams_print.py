"""Kafka Streams' print()."""

from __future__ import annotations

from pathlib import Path

from spark.sources.streams_print import source
from tests.spark.sources.prints import read, recognised


def test_key_and_value_of_each_row(tmp_path: Path) -> None:
    content = (
        b'log\n[KSTREAM-SOURCE-0000000000]: 7576, {"id": 1,\n "user": "a, b"}\n[KSTREAM-SOURCE-0000000000]: null, Event(a, b)\nlog\n'
        b"[KSTREAM-MAPVALUES-0000000002]: k, null\n"
    )
    found = read(source, content, tmp_path)
    assert [(row["offset"], row["key"], row["value"]) for row in found.records] == [
        (0, b"7576", b'{"id": 1,\n "user": "a, b"}'),
        (1, None, b"Event(a, b)"),
        (2, b"k", None),
    ]
    assert "1 row of another operator" in found.note
    assert "2 lines without a record" in found.note
    assert [name for name, answer in recognised(content, tmp_path).items() if answer.matches] == [source.id]


def test_other_lines_are_not(tmp_path: Path) -> None:
    assert not recognised(b"[main]: a, b\n", tmp_path)[source.id].matches
