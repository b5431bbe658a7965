from pathlib import Path

import pytest

from spark.sources.karapace_v2 import source
from tests.spark.sources.json_files import read, read_file

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "karapace"


def test_null_empty_and_the_text_null(tmp_path: Path) -> None:
    reading = read(source, b"/V2\n6B\tnull\n6B\t\nnull\t6E756C6C\n6E756C6C\tFF00\n", tmp_path)
    assert reading.column("key") == [b"k", b"k", None, b"null"]
    assert reading.column("value") == [None, b"", None, b"\xff\x00"]
    assert reading.column("offset") == [0, 1, 2, 3]
    assert "offset" in source.lacks


def test_a_line_that_is_no_record_is_damage_and_keeps_its_number(tmp_path: Path) -> None:
    reading = read(source, b"/V2\n6B\t76\n6B 76\n6B\t7\n6B\t76\n6B", tmp_path)
    assert reading.column("offset") == [0, 3]
    assert [row["reason"] for row in reading.damage] == ["bad_line", "bad_line", "truncated"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real backups is not beside the repository")
@pytest.mark.parametrize("name", ["test_restore_v2.log", "test_restore_complete_schema_delete_v2.log"])
def test_real_backups(name: str) -> None:
    reading = read_file(source, CORPUS / name)
    assert reading.records
    assert all(b'"keytype": "SCHEMA"' in key for key in reading.column("key"))
    assert reading.damage == []
