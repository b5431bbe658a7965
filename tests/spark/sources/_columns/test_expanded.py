r"""Rows that psql prints with `\x` and MySQL with `\G`: read as tables with unknown columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile, sources
from spark.sources._columns.question import question_on
from spark.sources._command import reading_command
from tests.spark.sources.prints import read_file, saved

PSQL = """db=# select * from messages;
-[ RECORD 1 ]----------------
nr      | 10
k       | a
payload | line one          +
        | line two | and more
-[ RECORD 2 ]----------------
nr      | 11
k       |
payload | {"a": 1}

"""
FRAMED = """+-[ RECORD 1 ]-----+
| nr      | 10     |
| k       | a      |
| payload | v w    |
+-[ RECORD 2 ]-----+
| nr      | 11     |
| k       | b      |
| payload | x      |
+---------+--------+
"""
MYSQL = """mysql> select * from messages\\G
*************************** 1. row ***************************
     nr: 10
      k: a
payload: line one
line two: and more
*************************** 2. row ***************************
     nr: 11
      k: b
payload: {"a": 1}
2 rows in set (0.00 sec)
"""
ODD = MYSQL.replace("      k: b\n", "")


def read(text: str, folder: Path) -> Any:
    file = saved(text.encode(), folder)
    file = InputFile(
        file.name, file.path, file.size_bytes, command=reading_command("key=k,value=payload,offset=nr")
    )
    source = sources()["other-csv"]
    assert source.recognise(file, text.encode()).matches
    return read_file(source, file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PSQL, [(10, b"a", b"line one\nline two | and more"), (11, b"", b'{"a": 1}')]),
        (FRAMED, [(10, b"a", b"v w"), (11, b"b", b"x")]),
        (MYSQL, [(10, b"a", b"line one\nline two: and more"), (11, b"b", b'{"a": 1}')]),
    ],
)
def test_rows_are_read_by_the_named_columns(
    text: str, expected: list[tuple[int, bytes, bytes]], tmp_path: Path
) -> None:
    found = read(text, tmp_path)
    assert [(row["offset"], row["key"] or b"", row["value"]) for row in found.records] == expected
    assert found.damage == [] or "select" in found.damage[0]["detail"]


@pytest.mark.parametrize("text", [PSQL, FRAMED, MYSQL])
def test_unknown_columns_are_asked_for(text: str, tmp_path: Path) -> None:
    question = question_on(saved(text.encode(), tmp_path), text.encode())
    assert question is not None
    assert question["title"] == "a table with a line for each column"
    assert [column["label"] for column in question["columns"]] == ["nr", "k", "payload"]
    assert question["is_sure"]


def test_a_row_with_other_columns_is_one_unreadable_row(tmp_path: Path) -> None:
    found = read(ODD, tmp_path)
    assert [row["offset"] for row in found.records] == [10]
    assert sum("select" not in row["detail"] for row in found.damage) == 1
