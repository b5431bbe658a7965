"""What cells prove, cut cells, nulls, and mappings that do not suit their file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spark.sources import HEAD_BYTES, Source
from spark.sources._columns.question import in_terminal, question_on
from spark.sources.kcat_format import with_text_format
from spark.sources.other_csv import source as other_csv
from spark.sources.other_json import source as other_json
from tests.spark.sources.prints import Reading, read_file, saved

SPARK_SHOW = """-------------------------------------------
Batch: 1
-------------------------------------------
+----+--------------------+------+--------------------+
| key|               value|offset|           timestamp|
+----+--------------------+------+--------------------+
|null|{"id": 1, "name":...|    32|2019-07-22 12:16:...|
|[6B]|                {"a"|    33| 2019-07-22 12:16:01|
+----+--------------------+------+--------------------+
only showing top 2 rows
"""


def mapped(content: str, mapping: str, folder: Path, source: Source = other_csv) -> Reading:
    [file] = with_text_format([saved(content.encode(), folder)], mapping)
    recognition = source.recognise(file, content.encode()[:HEAD_BYTES])
    assert recognition.matches, recognition.why
    return read_file(source, file)


@pytest.mark.parametrize(
    ("cells", "ms", "words"),
    [
        (["1700000000", "1700000001"], 1_700_000_000_000, "in seconds"),
        (["1700000000000", "1700000000001"], 1_700_000_000_000, "in milliseconds"),
        (["1700000000000000", "1700000000000001"], 1_700_000_000_000, "in microseconds"),
        (["1700000000000000000", "1700000000000000001"], 1_700_000_000_000, "in nanoseconds"),
        (["1700000000.5", "1700000001"], 1_700_000_000_500, "in seconds"),
        (["2023-11-14 22:13:20", "2023-11-14T22:13:20"], 1_700_000_000_000, "read as UTC"),
        (["2023-11-14 23:13:20+01", "2023-11-14 22:13:20 UTC"], 1_700_000_000_000, ""),
    ],
)
def test_the_unit_of_times_is_that_of_all_rows(cells: list[str], ms: int, words: str, tmp_path: Path) -> None:
    found = mapped("w,v\n" + "".join(f"{cell},x\n" for cell in cells), "timestamp=w,value=v", tmp_path)
    assert found.records[0]["timestamp_ms"] == ms
    assert words in found.note
    assert ("Times" in found.note) == (words in found.note and bool(words))


@pytest.mark.parametrize(
    ("cells", "first", "words"),
    [
        (["\\x6b31", "\\x6b32"], b"k1", "Keys are hex"),
        (["0x6b31", "0x6b32"], b"k1", "Keys are hex"),
        (["7b2261223a317d", "7b7d"], b'{"a":1}', "Keys are hex"),
        (["6b31", "6b32"], b"6b31", ""),
        (["eyJhIjoxfQ==", "eyJhIjoyfQ=="], b'{"a":1}', "Keys are base64"),
        (["eyJhIjoxfQ==", "plain text"], b"eyJhIjoxfQ==", ""),
        (["abcd", "efgh"], b"abcd", ""),
        (["[6B 31]", "[6B]"], b"k1", "Keys are hex in brackets"),
    ],
)
def test_an_encoding_needs_all_rows(cells: list[str], first: bytes, words: str, tmp_path: Path) -> None:
    found = mapped("k,n\n" + "".join(f"{cell},1\n" for cell in cells), "key=k", tmp_path)
    assert found.records[0]["key"] == first
    assert words in found.note
    assert ("all decode" in found.note) == bool(words)


def test_cells_that_spark_cut_are_unknown_and_neither_null_nor_whole(tmp_path: Path) -> None:
    found = read_file(other_csv, saved(SPARK_SHOW.encode(), tmp_path))
    assert found.column("offset") == [32, 33]
    assert [(row["value"], row["value_is_null"]) for row in found.records] == [
        (None, False),
        (b'{"a"', False),
    ]
    assert [(row["key"], row["key_is_null"]) for row in found.records] == [(None, True), (b"k", False)]
    assert found.column("timestamp_ms") == [None, 1563797761000]
    assert "The tool cut 1 value" in found.note
    assert "The tool cut 1 time" in found.note
    assert "4 lines around the table" in found.note


def test_dots_at_the_end_of_a_narrower_cell_are_its_own(tmp_path: Path) -> None:
    found = read_file(other_csv, saved(SPARK_SHOW.replace('                {"a"', '             wait...').encode(), tmp_path))  # fmt: skip
    assert found.records[1]["value"] == b"wait..."
    assert "cut 1 value" not in found.note


def test_a_value_of_several_lines_in_psql_keeps_its_line_breaks(tmp_path: Path) -> None:
    table = (
        " offset | key |   value   \n--------+-----+-----------\n"
        "      7 | k   | {        +\n        |     |   \"a\": 1 +\n        |     | }\n      8 | k   | x|y\n(2 rows)\n"
    )  # fmt: skip
    found = read_file(other_csv, saved(table.encode(), tmp_path))
    assert found.column("value") == [b'{\n  "a": 1\n}', b"x|y"]


def test_a_table_with_a_word_for_null_has_empty_values(tmp_path: Path) -> None:
    table = "+--------+------+\n| offset | key  |\n+--------+------+\n|      1 | NULL |\n|      2 |      |\n+--------+------+\n"
    found = read_file(other_csv, saved(table.encode(), tmp_path))
    assert [(row["key"], row["key_is_null"]) for row in found.records] == [(None, True), (b"", False)]


def test_records_without_offsets_are_numbered(tmp_path: Path) -> None:
    found = mapped("a\tb\nk\tv\nk\tw\n", "key=a,value=b", tmp_path)
    assert found.column("offset") == [0, 1]
    assert "records are numbered" in found.note


def test_a_table_without_names_is_mapped_by_number(tmp_path: Path) -> None:
    found = mapped("k1;v1\nk2;v2\n", "key=#1,value=#2", tmp_path)
    assert found.column("key") == [b"k1", b"k2"]


def test_a_partition_that_is_not_a_number_is_damage(tmp_path: Path) -> None:
    found = mapped("p,v\n0,x\nz,y\n", "partition=p,value=v", tmp_path)
    assert found.column("value") == [b"x"]
    assert found.damage[0]["detail"].startswith("no partition that is a whole number")


def test_columns_within_a_fence_are_read(tmp_path: Path) -> None:
    text = "Look, here it is, as told:\n```\na,b\nk,v\nk,w\n```\nthanks\n"
    assert mapped(text, "key=a,value=b", tmp_path).column("value") == [b"v", b"w"]


def test_members_and_paths_of_json_are_columns(tmp_path: Path) -> None:
    text = '{"id":"k","message":{"value":{"a":1},"ts":1700000000}}\n{"id":null,"message":{"ts":1700000001}}\n'
    found = mapped(text, "key=id,value=message.value,timestamp=message.ts", tmp_path, other_json)
    assert found.column("value") == [b'{"a":1}', None]
    assert found.column("value_is_null") == [False, False]
    assert found.column("key_is_null") == [False, True]
    assert found.column("timestamp_ms") == [1700000000000, 1700000001000]
    assert "1 record without a value" in found.note


def test_places_of_objects_are_bytes_of_the_file(tmp_path: Path) -> None:
    text = '{"rows":[{"kä":"ä","v":"1"},\n{"kä":"b","v":"2"}], "more": [{"kä": "no"}]}'
    found = mapped(text, "key=kä,value=v", tmp_path, other_json)
    content = text.encode()
    assert [content[row["batch_position"] :][:5] for row in found.records] == ['{"kä'.encode()] * 2


@pytest.mark.parametrize(
    ("content", "mapping", "sentence"),
    [
        ("a,b,c\n1,k,v\n2,k,w\n", "key=KEYX,value=c", "upload has no column “KEYX”. Its columns are “a”, “b” and “c”."),
        ("a,b,c\n1,k,v\n2,k,w\n", "key=#4", "upload has no column “#4”."),
        ("a,b,c\n1,k,v\n2,k,w\n", "offset=b,value=c", "upload has no row with a whole number in the column of the offset."),
        ('{"a":1,"b":2}\n{"a":1,"b":2}\n', "key=a.c", "upload has no member “a.c”. Its members are “a” and “b”."),
    ],
)  # fmt: skip
def test_a_mapping_that_does_not_suit_its_file_is_answered(
    content: str, mapping: str, sentence: str, tmp_path: Path
) -> None:
    [file] = with_text_format([saved(content.encode(), tmp_path)], mapping)
    assert not any(source.recognise(file, content.encode()).matches for source in (other_csv, other_json))
    question = question_on(file, content.encode())
    assert question
    assert question["sentence"].startswith(sentence)


def test_a_question_has_columns_rows_and_the_command_that_answers_it(tmp_path: Path) -> None:
    content = b"id,created,KEY X,body_txt\n" + b"".join(b"%d,170000000%d,k,v\n" % (n, n) for n in range(9))
    file = replace(saved(content, tmp_path), name="orders.csv")
    question = question_on(file, content)
    assert question
    assert question["sentence"].startswith(
        "orders.csv is a table with a comma between columns: 9 rows, columns “id”"
    )
    assert question["guess"] == {"offset": "id", "timestamp": "created", "key": "KEY X", "value": "body_txt"}
    assert len(question["rows"]) == 3
    text = in_terminal(question)
    assert (
        "manage.py inspect --columns 'offset=id,timestamp=created,key=KEY X,value=body_txt' orders.csv"
        in text
    )
    assert "  0   1700000000  k      v" in text


def test_a_first_row_like_the_others_has_no_names(tmp_path: Path) -> None:
    content = b"".join(b"k%d;v%d\n" % (n, n) for n in range(9))
    question = question_on(saved(content, tmp_path), content)
    assert question
    assert [column["label"] for column in question["columns"]] == ["#1", "#2"]


@pytest.mark.parametrize(
    "text", ["Hello, you\nthere, see\nbye, now\n", "", "one line", "a b c\nd e f\n", "{}\n{}\n"]
)
def test_prose_is_not_asked_about(text: str, tmp_path: Path) -> None:
    assert question_on(saved(text.encode(), tmp_path), text.encode()) is None
