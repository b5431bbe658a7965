"""A large text that is wrapped at its ends only is taken in three pieces; any other line by line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spark.sources import InputFile
from spark.sources._wrapping import large, unwrap
from spark.sources._wrapping.written import in_upload
from tests.spark.sources._wrapping.sorted_texts import kcat

BODY = b"".join(kcat(n) + b"\n" for n in range(3_000))


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE_BYTES", 100_000)


def test_a_prompt_before_and_a_prompt_behind(tmp_path: Path) -> None:
    text = b"$ kcat -J -t orders\n" + BODY + b"ada@shop:~$ \n"
    assert large.of_large(text) is not None
    path = tmp_path / "paste.txt"
    path.write_bytes(text)
    found = unwrap(InputFile(path.name, str(path), len(text)), 0, tmp_path / "prints")
    [one] = found.prints
    assert Path(one.file.path).read_bytes() == BODY
    assert [aside.line.number for aside in found.asides] == [1, 3_002]
    places = np.array([BODY.index(kcat(n)) for n in (0, 1_500, 2_999)])
    assert in_upload(one.file.path, places).tolist() == [text.index(kcat(n)) for n in (0, 1_500, 2_999)]


@pytest.mark.parametrize(
    "text",
    [
        b"$ kcat -J\n" + BODY + b"```\n" + BODY,
        b"".join(b"> " + line + b"\n" for line in BODY.splitlines()),
        b"$ kcat -J\n" + BODY + BODY,
    ],
    ids=["a fence between", "a prefix", "a second run"],
)
def test_what_is_wrapped_elsewhere_is_read_line_by_line(text: bytes) -> None:
    assert large.of_large(text) is None
