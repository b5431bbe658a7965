import json
from pathlib import Path

import pytest

from spark.sources import InputFile, plain_json
from spark.sources._json import layout as module
from spark.sources._json.layout import borders

RECORDS = [{"offset": n, "key": "k", "payload": {"nested": [{"offset": 1, "x": "\n{"}]}} for n in range(2000)]
FORMS = {
    "lines": "\n".join(json.dumps(record) for record in RECORDS),
    "crlf": "\r\n".join(json.dumps(record) for record in RECORDS),
    "pretty objects": "\n".join(json.dumps(record, indent=2) for record in RECORDS),
    "pretty array": json.dumps(RECORDS, indent=4),
}


@pytest.mark.parametrize("form", FORMS)
def test_split_anywhere_the_records_are_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dump"
    path.write_text(FORMS[form])
    monkeypatch.setattr(module.borders, "__defaults__", (9_000,))
    splits = plain_json.source.split(InputFile("dump", str(path), path.stat().st_size), 0, "?", 0, "")
    chunks = [chunk for split in splits for chunk in plain_json.source.read(split)]
    offsets = [offset for c in chunks if c.records is not None for offset in c.records["offset"].to_pylist()]
    assert len(splits) > 5
    assert offsets == list(range(2000))
    assert [chunk.damage for chunk in chunks if chunk.damage is not None] == []


@pytest.mark.parametrize(
    "content", [json.dumps(RECORDS), "", "[]", "x" * 100_000], ids=["one line", "empty", "[]", "x"]
)
def test_a_file_without_borders_stays_whole(content: str, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_text(content)
    assert borders(str(path), split_bytes=9_000) == [0, len(content)]
