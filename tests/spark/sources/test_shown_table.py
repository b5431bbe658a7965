"""Tables of Spark and SQL clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.shown_table import source
from tests.spark.sources.prints import read, recognised

TABLE = """
+----+--------------------+-----+---------+------+-----------------------+-------------+
| key|               value|topic|partition|offset|              timestamp|timestampType|
+----+--------------------+-----+---------+------+-----------------------+-------------+
|null|          [66 6F 6F]|    t|        2|    32|2019-07-22 12:16:05.123|            0|
|  [6|               b | r|    t|        2|    33|2019-07-22 12:16:...   |            0|
|   k|{"a": 1, "b": "lo...|    t|        2|    34|                   null|            0|
|  字|                   v|    t|        2|    35|                   null|            0|
+----+--------------------+-----+---------+------+-----------------------+-------------+
only showing top 4 rows
"""


def test_cells_by_the_columns_of_the_rule(tmp_path: Path) -> None:
    found = read(source, TABLE.encode(), tmp_path)
    assert [(row["partition"], row["offset"], row["key"], row["value"]) for row in found.records] == [
        (2, 32, None, b"foo"),
        (2, 33, b"[6", b"b | r"),
        (2, 34, b"k", b'{"a": 1, "b": "lo'),
        (2, 35, "字".encode(), b"v"),
    ]
    assert found.column("timestamp_ms") == [1563797765123, None, None, None]
    assert "1 key or value cut by the tool" in found.note


def test_an_empty_table_before_a_table_with_rows(tmp_path: Path) -> None:
    empty = "\n".join([*TABLE.splitlines()[:4], TABLE.splitlines()[3], ""])
    assert read(source, (empty + TABLE).encode(), tmp_path).column("offset") == [32, 33, 34, 35]


def test_a_row_that_lost_a_column_is_damage(tmp_path: Path) -> None:
    found = read(source, TABLE.replace("|               b | r|", "|").encode(), tmp_path)
    assert (found.column("offset"), len(found.damage)) == ([32, 34, 35], 1)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (TABLE, True),
        (TABLE.replace("offset", "number"), False),
        ("+---+\n| a |\n+---+\n| 1 |\n+---+\n", False),
    ],
)
def test_it_is_this_layout(tmp_path: Path, text: str, is_one: bool) -> None:
    assert recognised(text.encode(), tmp_path)[source.id].matches is is_one
