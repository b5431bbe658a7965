from pathlib import Path

import pytest

from spark.sources.karapace_v1 import source
from tests.spark.sources.json_files import read, read_file

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "karapace"
KEY = b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'


def test_pairs_become_records_with_row_numbers(tmp_path: Path) -> None:
    content = b'[[%b, {"id": 1,  "deleted": false}], ["{\\"keytype\\": 1}", "text"],\n [%b, null]]' % (
        KEY,
        KEY,
    )
    reading = read(source, content, tmp_path)
    assert reading.recognition.matches
    assert reading.column("offset") == [0, 1, 2]
    assert reading.column("value") == [b'{"id":1,"deleted":false}', b"text", None]
    assert reading.column("key")[1] == b'{"keytype": 1}'
    assert "original bytes are unknown" in reading.note


def test_an_item_that_is_no_pair_is_damage(tmp_path: Path) -> None:
    content = b"[[%b, null],[%b],\n7,[%b, {}]]" % (KEY, KEY, KEY)
    reading = read(source, content, tmp_path)
    assert reading.column("offset") == [0, 3]
    assert [row["detail"] for row in reading.damage] == ["not a pair of key and value"] * 2


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    assert not read(source, b"[[1, 2], [3, 4]]", tmp_path).recognition.matches
    assert not read(source, b'[{"keytype": "SCHEMA"}]', tmp_path).recognition.matches


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real backups is not beside the repository")
def test_a_real_backup() -> None:
    reading = read_file(source, CORPUS / "test_restore_v1.log")
    assert [b'"keytype":"SCHEMA"' in key for key in reading.column("key")] == [True, True]
    assert reading.damage == []
