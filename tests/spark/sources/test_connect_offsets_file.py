"""Connect's offsets in standalone mode: what a JVM serialised, and every way in which it can be cut or changed."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from spark.dialects import dialects
from spark.sources._rows import RECORD_COLUMNS
from spark.sources.connect_offsets_file import source
from tests.spark.sources.json_files import read
from tests.spark.whole_pipeline import report_of

# Written by java.io.ObjectOutputStream: a HashMap of three keys, two of them with the same array as value, one with null.
MAP = base64.b64decode(
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAx3"
    "CAAAABAAAAADdXIAAltCrPMX+AYIVOACAAB4cAAAAB5bImZpbGVzIix7ImZpbGVuYW1lIjoiYS50eHQifV11cQB+AAIAAAAO"
    "eyJwb3NpdGlvbiI6N311cQB+AAIAAAAdWyJpbnZlbnRvcnkiLHsic2VydmVyIjoiZGIifV1wdXEAfgACAAAAHlsiZmlsZXMi"
    "LHsiZmlsZW5hbWUiOiJiLnR4dCJ9XXEAfgAEeA=="
)
LIST = base64.b64decode(
    "rO0ABXNyABNqYXZhLnV0aWwuQXJyYXlMaXN0eIHSHZnHYZ0DAAFJAARzaXpleHAAAAABdwQAAAABdAABeHg="
)
OF_STRINGS = base64.b64decode(
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAF3"
    "CAAAAAIAAAABdAABa3QAAXZ4"
)
EMPTY = base64.b64decode(
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAB3CAAAABAAAAAAeA=="
)


def test_each_pair_is_a_record_also_where_two_share_an_array(tmp_path: Path) -> None:
    reading = read(source, MAP, tmp_path)
    assert reading.recognition.matches
    assert dict(zip(reading.column("key"), reading.column("value"), strict=True)) == {
        b'["files",{"filename":"a.txt"}]': b'{"position":7}',
        b'["files",{"filename":"b.txt"}]': b'{"position":7}',
        b'["inventory",{"server":"db"}]': None,
    }
    assert reading.column("offset") == [0, 1, 2]
    assert reading.damage == []
    assert "no order of time" in reading.note


def test_it_is_a_journal_of_connect(tmp_path: Path) -> None:
    import pyarrow as pa

    rows = read(source, MAP, tmp_path).records
    match = dialects()["connect"].sniff("?", pa.Table.from_pylist(rows, schema=RECORD_COLUMNS))
    assert match.score >= 70


def test_nothing_is_said_of_its_compaction(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "connect.offsets").write_bytes(MAP)
    (journal,) = report_of(tmp_path / "input", tmp_path / "results")["journals"]
    assert journal["compaction"]["certainty"] == "no"
    assert journal["compaction"]["sentence"].startswith("Not a topic")


def test_a_connector_that_never_committed_has_an_empty_file(tmp_path: Path) -> None:
    reading = read(source, EMPTY, tmp_path)
    assert reading.recognition.matches
    assert reading.records == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (LIST, "not a serialized HashMap"),
        (OF_STRINGS, "not an array of bytes"),
        (b"PK", "not a serialized Java object"),
    ],
    ids=["a list", "a map of strings", "something else"],
)
def test_other_objects_are_refused_with_the_reason(content: bytes, why: str, tmp_path: Path) -> None:
    recognition = read(source, content, tmp_path).recognition
    assert not recognition.matches
    assert why in recognition.why


def test_a_cut_file_gives_what_is_there_and_says_where_it_ends(tmp_path: Path) -> None:
    counts = []
    for size in range(len(MAP)):
        reading = read(source, MAP[:size], tmp_path)
        counts.append(len(reading.records))
        missing = 3 - len(reading.records)
        assert (reading.damage != []) == (missing > 0)
        assert all(row["reason"] == "truncated" for row in reading.damage)
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(200))
def test_no_bytes_make_it_fail(seed: int, tmp_path: Path) -> None:
    noise = random.Random(seed)
    content = bytearray(MAP)
    for _ in range(noise.randrange(1, 4)):
        content[noise.randrange(4, len(content))] = noise.randrange(256)
    read(source, bytes(content), tmp_path)
