"""Clean texts and what is no text are handed on without a look at every line."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._wrapping import unwrap
from spark.sources._wrapping.suspicion import is_suspicious
from tests.generator.segment import Record, segment
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat
from tests.spark.sources._wrapping.wrappings import prints

CLEAN = {
    "a segment": segment([Record(b"k", b"v")]),
    "csv": b'Offset,Key,Value\r\n1,a,"```\r\n$ kcat"\r\n',
    "values in Markdown": b"Partition:0\tOffset:0\tk\tplain\nsecond line of it",
    "prose": b"Dear all,\n\nthere is no journal in here.\n",
    "a consumer's closing line": b"Partition:0\tOffset:0\tk\tv\nProcessed a total of 1 messages\n",
    "meta.properties": b"#\n#Fri Feb 09 12:00:00 UTC 2024\ncluster.id=abc\nversion=0\n",
}
ODD = {
    "a fence far behind": b"\n".join(kcat(n) for n in range(3_000)) + b"\n```\n" + kcat(3_000),
    "a second run": DUMPING + b"\n" + batch(0) + b"\n" + DUMPING + b"\n" + batch(0),
    "dots at the end": kcat(0) + b"\n...\n",
}


@pytest.mark.parametrize("content", CLEAN.values(), ids=CLEAN)
def test_clean(content: bytes) -> None:
    assert not is_suspicious(content)


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_worth_a_look(content: bytes) -> None:
    assert is_suspicious(content)


@pytest.mark.parametrize("name", prints())
def test_a_print_as_the_tool_wrote_it_stays_the_file_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "print.txt"
    path.write_bytes(prints()[name])
    file = InputFile(path.name, str(path), path.stat().st_size)
    assert unwrap(file, 0, tmp_path / "prints").prints[0].file is file
