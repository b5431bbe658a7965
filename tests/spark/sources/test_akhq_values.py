from pathlib import Path

import pytest

from spark.sources.akhq_values import source
from tests.spark.sources.json_files import read


def test_rows_of_an_array_are_numbered_and_have_no_key(tmp_path: Path) -> None:
    reading = read(source, b' [ {"a": [1,  2]}, "text",\n null, 12.5, [1], true ]\n', tmp_path)
    assert reading.column("offset") == [0, 1, 2, 3, 4, 5]
    assert reading.column("value") == [b'{"a":[1,2]}', b"text", None, b"12.5", b"[1]", b"true"]
    assert set(reading.column("key")) == {None}
    assert reading.damage == []
    assert {"key", "offset"} <= source.lacks
    assert "no offsets" in reading.recognition.why


def test_lines_are_values_and_the_last_needs_no_end(tmp_path: Path) -> None:
    reading = read(source, b'{"a":1}\r\n\n{"b":2}', tmp_path)
    assert reading.column("value") == [b'{"a":1}', None, b'{"b":2}']


def test_akhqs_own_file_name_makes_plain_text_lines_values(tmp_path: Path) -> None:
    assert read(source, b"one\ntwo\n", tmp_path, "file (1).csv").column("value") == [b"one", b"two"]
    assert not read(source, b"one\ntwo\n", tmp_path, "notes.txt").recognition.matches


def test_a_single_value_is_the_text_as_it_is(tmp_path: Path) -> None:
    assert read(source, b'{\n  "a": 1\n}\n', tmp_path).column("value") == [b'{\n  "a": 1\n}\n']


def test_a_broken_item_costs_only_itself(tmp_path: Path) -> None:
    reading = read(source, b'[{"a":1},\n{"b" 2},\n{"c":3}]', tmp_path)
    assert reading.column("value") == [b'{"a":1}', b'{"c":3}']
    assert [row["reason"] for row in reading.damage] == ["bad_line"]


def test_a_number_at_a_cut_end_may_lack_digits_and_is_damage(tmp_path: Path) -> None:
    reading = read(source, b'[{"a":1}, 12', tmp_path)
    assert reading.column("value") == [b'{"a":1}']
    assert [row["reason"] for row in reading.damage] == ["truncated"]


@pytest.mark.parametrize(
    "content",
    [b'[{"offset":1,"x":2}]', b'{"partition":0}\n', b"words", b"", b"[1, oops]]", b"\0\0\0\1", b"{"],
)
def test_records_and_what_is_no_json_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "upload"
    path.write_bytes(content)
    from spark.sources import InputFile

    recognition = source.recognise(InputFile("upload", str(path), len(content)), content)
    assert not recognition.matches or content == b"[1, oops]]"
