"""CSV of tools that are not known by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.other_csv import source
from tests.spark.sources.prints import read, recognised

ROWS = """Topic,Partition ID,message_offset,Timestamp,Message Key,Payload,Headers
orders,2,7,2024-01-01T00:00:00Z,k,"{""a"": ""x,y
z""}","{""h"": ""1""}"
orders,2,8,1704067201000,k,,
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_parts_are_found_by_the_names_of_their_columns(tmp_path: Path, delimiter: str) -> None:
    content = ROWS.replace(",", delimiter).replace(f"x{delimiter}y", "x,y").encode()
    recognition = recognised(content, tmp_path)[source.id]
    assert recognition.matches, recognition.reason
    found = read(source, content, tmp_path)
    assert not found.damage
    first, second = found.records
    assert (first["topic"], first["partition"], first["offset"], first["key"]) == ("orders", 2, 7, b"k")
    assert first["value"] == b'{"a": "x,y\nz"}'
    assert first["timestamp_ms"] == 1704067200000
    assert first["headers"] == [{"key": b"h", "value": b"1"}]
    assert second["value_is_null"]
    assert second["timestamp_ms"] == 1704067201000


def test_places_in_the_file_are_those_of_the_rows(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfoffset,value\r\n" + '0,"ä\r\nb"\r\n1,c\r\n'.encode()
    found = read(source, content, tmp_path)
    assert [content[row["batch_position"] : row["batch_position"] + 3] for row in found.records] == [
        b'0,"',
        b"1,c",
    ]
    assert found.column("value") == ["ä\r\nb".encode(), b"c"]


def test_without_a_column_for_the_value_it_is_unknown_and_other_columns_are_named(tmp_path: Path) -> None:
    found = read(source, b"offset,key,Inhalt,date\n1,k,v,Nov 14\n", tmp_path)
    [one] = found.records
    assert (one["value"], one["value_is_null"], one["timestamp_ms"]) == (None, False, None)
    assert "Columns that were not read: Inhalt" in found.note
    assert "unknown, not null" in found.note


def test_rows_that_do_not_fit_are_damage_and_the_others_are_read(tmp_path: Path) -> None:
    content = b'offset,key,value\n0,k,{"a":1,"b":2}\n1,k,v\nx,k,v\n\n2,k\n3,k,w\n'
    found = read(source, content, tmp_path)
    assert found.column("offset") == [1, 3]
    assert [row["detail"].partition(":")[0] for row in found.damage] == [
        "4 cells below 3 columns",
        "no offset that is a whole number",
        "2 cells below 3 columns",
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\rbytes, that are no text\n1,2\n",
        b"offset,key\n",
        b"offset,lag\n1,2\n",
        b"key,value\na,b\n",
        b"offset,value\nnone,v\n",
        b"GROUP,TOPIC,PARTITION,CURRENT-OFFSET\n",
        b'{"offset":1,"key":"a"}\n',
    ],
)
def test_anything_else_is_refused(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_a_layout_that_is_known_by_name_goes_first(tmp_path: Path) -> None:
    content = b"Value,Offset,Key,Partition,Headers,Timestamp\nv,1,k,0,,2024-01-01T00:00:00Z\n"
    answers = recognised(content, tmp_path)
    assert answers["kafbat-csv"].score > answers[source.id].score > 0
