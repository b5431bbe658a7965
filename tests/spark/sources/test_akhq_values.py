"""Values alone: read where they look like a journal's values, refused where they are any JSON."""

from pathlib import Path

import pytest

from spark.sources import InputFile, Recognition
from spark.sources.akhq_values import source
from tests.spark.sources.json_files import read

EVENT = b'{"state":"RUNNING","trace":null,"worker_id":"w:8083","generation":%d}'
HISTORY = b"""{
  "source" : { "server" : "s" },
  "position" : { "pos" : 1 },
  "ddl" : "USE a"
}
"""


def test_rows_of_an_array_are_numbered_and_have_no_key(tmp_path: Path) -> None:
    content = b' [ {"a": [1,  2]}, "text",\n null, 12.5, [1], true ]\n'
    reading = read(source, content, tmp_path, "file.json")
    assert reading.column("offset") == [0, 1, 2, 3, 4, 5]
    assert reading.column("value") == [b'{"a":[1,2]}', b"text", None, b"12.5", b"[1]", b"true"]
    assert set(reading.column("key")) == {None}
    assert reading.damage == []
    assert {"key", "offset"} <= source.lacks
    assert "no offsets" in reading.recognition.why
    assert not read_upload(content, tmp_path).matches  # under no name of AKHQ's it is any JSON


def test_lines_are_values_and_the_last_needs_no_end(tmp_path: Path) -> None:
    reading = read(source, b'{"a":1}\r\n\n{"a":2}', tmp_path)
    assert reading.column("value") == [b'{"a":1}', None, b'{"a":2}']


def test_the_why_names_the_journal_or_the_shape(tmp_path: Path) -> None:
    assert (
        "with the members of Connect's status"
        in read(source, EVENT % 1 + b"\n" + EVENT % 2, tmp_path).recognition.why
    )
    assert (
        "all of one shape (`id` and `name`)"
        in read(source, b'[{"id":1,"name":"a"},{"id":2,"name":"b"}]', tmp_path).recognition.why
    )


def test_values_over_several_lines_are_one_row_each(tmp_path: Path) -> None:
    reading = read(source, HISTORY + b"\n" + HISTORY + HISTORY.rstrip(), tmp_path)
    assert reading.column("value") == [HISTORY.rstrip()] * 3
    assert reading.damage == []
    assert "Debezium's schema history" in reading.recognition.why


def test_a_value_whose_end_is_missing_is_damage(tmp_path: Path) -> None:
    reading = read(source, HISTORY * 2 + HISTORY[:40], tmp_path, "file.json")
    assert len(reading.records) == 2
    assert [row["reason"] for row in reading.damage] == ["truncated"]


def test_akhqs_own_file_name_makes_plain_text_lines_values(tmp_path: Path) -> None:
    assert read(source, b"one\ntwo\n", tmp_path, "file (1).csv").column("value") == [b"one", b"two"]
    assert not read(source, b"one\ntwo\n", tmp_path, "notes.txt").recognition.matches


def test_a_single_value_of_a_journal_is_the_text_as_it_is(tmp_path: Path) -> None:
    assert read(source, HISTORY, tmp_path).column("value") == [HISTORY]


def test_a_broken_item_costs_only_itself(tmp_path: Path) -> None:
    reading = read(source, b'[{"a":1},\n{"a":2},\n{"b" 2},\n{"c":3}]', tmp_path)
    assert reading.column("value") == [b'{"a":1}', b'{"a":2}', b'{"c":3}']
    assert [row["reason"] for row in reading.damage] == ["bad_line"]


def test_a_number_at_a_cut_end_may_lack_digits_and_is_damage(tmp_path: Path) -> None:
    reading = read(source, b'[{"a":1}, 12', tmp_path, "file.json")
    assert reading.column("value") == [b'{"a":1}']
    assert [row["reason"] for row in reading.damage] == ["truncated"]


def read_upload(content: bytes, folder: Path, name: str = "upload") -> Recognition:
    path = folder / name
    path.write_bytes(content)
    return source.recognise(InputFile(name, str(path), len(content)), content)


@pytest.mark.parametrize(
    "content",
    [
        b'[{"offset":1,"x":2}]', b'{"partition":0}\n', b"words", b"", b"[1, oops]]", b"\0\0\0\1", b"{", b"[1,2,3]", b'["a","b"]',
        b'{"a":1}', b'{"a":1}\n{"b":2}\n', b'[{"a":1}]', b'{"offsets":[{"partition":{"t":1},"offset":{"pos":1}}]}',
        b'[{"subject":"s","version":1,"id":1,"schema":"x"},{"subject":"t","version":1,"id":2,"schema":"y"}]',
        b'[2024-03-11 11:14:03,772] INFO Cleaner 0\n', b'{"level":"info","ts":1,"msg":"a"}\n{"level":"info","ts":2,"msg":"b"}\n',
        b'[{"id":{"connector":"a","task":0},"config":{}},{"id":{"connector":"a","task":1},"config":{}}]',
    ],
)  # fmt: skip
def test_records_and_any_other_json_are_refused(tmp_path: Path, content: bytes) -> None:
    recognition = read_upload(content, tmp_path)
    assert not recognition.matches
    assert recognition.why


def test_a_last_value_that_a_paste_cut_is_told_and_not_read(tmp_path: Path) -> None:
    whole = EVENT % 1 + b"\n" + EVENT % 2 + b"\n"
    reading = read(source, whole + EVENT[:30], tmp_path, "ticket.txt")
    assert reading.column("value") == [EVENT % 1, EVENT % 2]
    assert [(row["position"], row["reason"]) for row in reading.damage] == [(len(whole), "truncated")]


@pytest.mark.parametrize(
    ("content", "is_read"),
    [
        (b'{"offset":412}\n{"offset":0}\n{"offset":0}\n', True),
        (b'{"offset":412}\n{"offset":413}\n', True),  # of Connect's offsets, also where they rise
        (b'{"filename":"/data/in.txt","position":12}\n{"filename":"/data/in.txt","position":40}\n', True),
        (
            b'{"offset":9,"snapshot":true}\n{"offset":9,"snapshot":false}\n{"offset":4,"snapshot":false}\n',
            True,
        ),
        (b'{"offset":4,"text":"a"}\n{"offset":5,"text":"b"}\n', False),
        (b'{"offset":9,"payload":"a"}\n{"offset":9,"payload":"b"}\n', False),
        (b'{"offset":4,"timestamp":1}\n{"offset":5,"timestamp":2}\n', False),
        (b'{"offset":4,"partition":0}\n{"offset":4,"partition":1}\n', False),
        (EVENT % 1 + b'\n{"offset":7}\n{"offset":7}\n{"offset":9}\n', True),  # of two of Connect's topics
    ],
)
def test_an_offset_makes_a_record_only_beside_another_part_of_one(
    tmp_path: Path, content: bytes, is_read: bool
) -> None:
    assert read_upload(content, tmp_path).matches is is_read
