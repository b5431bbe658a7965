from pathlib import Path

from spark.sources.redpanda_console_csv import source
from tests.generator import exports
from tests.spark.sources.export_samples import JOURNAL
from tests.spark.sources.json_files import read

HEADER = b"timestamp,partitionID,offset,key,value,keySize,valueSize\n"


def test_a_row_that_a_line_feed_tore_is_put_together(tmp_path: Path) -> None:
    content = HEADER + b"1,0,5,k,first\nsecond\n\nthird,1,20\n2,0,6,k\n2,v,3,1\n"
    reading = read(source, content, tmp_path)
    assert reading.column("offset") == [5, 6]
    assert reading.column("value") == [b"first\nsecond\n\nthird", b"v"]
    assert reading.column("key") == [b"k", b"k\n2"]
    assert reading.damage == []


def test_commas_came_as_semicolons_and_stay_so(tmp_path: Path) -> None:
    reading = read(source, exports.redpanda_console_csv(JOURNAL), tmp_path)
    assert reading.records[5]["value"] == b"wert; zwei\nund drei"
    assert "exact-bytes" in source.lacks


def test_an_empty_cell_is_null_only_where_its_size_is_zero(tmp_path: Path) -> None:
    content = HEADER + b"1,0,0,,,0,0\n1,0,1,,,1,5\n"
    reading = read(source, content, tmp_path)
    assert reading.column("value_is_null") == [True, False]
    assert reading.column("key_is_null") == [True, False]
    assert reading.column("value_size_bytes") == [0, 5]
    assert "null-or-empty" in source.lacks


def test_further_columns_and_windows_line_ends(tmp_path: Path) -> None:
    header = HEADER.strip() + b",compression,isTransactional\r\n"
    reading = read(source, header + b"1770091506789,2,7,k,v,1,1,gzip,true\r\n", tmp_path)
    (record,) = reading.records
    assert (record["partition"], record["offset"], record["timestamp_ms"]) == (2, 7, 1770091506789)
    assert record["headers"] is None


def test_a_row_with_other_columns_is_damage_and_the_next_is_read(tmp_path: Path) -> None:
    content = HEADER + b"1,0,0,k,v,1,1\n1,0,1,k,v,x,1\n1,0,2,k,v,1,1\n1,0,3,k,v"
    reading = read(source, content, tmp_path)
    assert reading.column("offset") == [0, 2]
    assert [row["reason"] for row in reading.damage] == ["bad_line", "truncated"]


def test_another_header_is_refused(tmp_path: Path) -> None:
    recognition = read(source, b"timestamp,offset\n1,2\n", tmp_path).recognition
    assert not recognition.matches
    assert "partitionID" in recognition.why
