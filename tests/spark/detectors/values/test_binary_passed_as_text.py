"""Binary values whose bytes were replaced by U+FFFD."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.binary_passed_as_text import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

AVRO = b"\x00\x00\x00\x00\x07\xe4\xf3\xa1\x03\x06Ada\x00\x80\x9c\x01"  # numbers in varints, a name
PASSED = AVRO.decode("utf-8", "replace").encode()
NAMES = ["\x00\x00\x00\x00\x07\x0aA\ufffdda", "\x00\x00\x00\x00\x07\x0aAda"]


def found_in(folder: Path, values: Sequence[bytes | None]) -> list[Finding]:
    """What is found in a log of these values."""
    log = segment([Record(b"k%d" % n, value, SOME_TIME_MS + n) for n, value in enumerate(values)])
    return findings(detector, write(folder / "input", {0: log}), folder / "results")


def test_values_that_pass_through_text_from_an_offset_on_are_proven(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [AVRO] * 10 + [PASSED] * 6)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset) == (10, 15)
    assert {effect.kind for effect in finding.effects} == {"lost"}


def test_always_so_is_likely(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [PASSED] * 6 + [b"\x00\x00\x00\x00\x07\x06Ada"])
    assert finding.confidence == "likely"


def test_other_binary_formats_are_found(tmp_path: Path) -> None:
    protobuf = b"\x08\x96\x01\x12\x03Ada\x18\xff\xff\x01"
    assert found_in(tmp_path, [protobuf.decode("utf-8", "replace").encode()] * 6)


@pytest.mark.parametrize(
    "values",
    [
        [AVRO] * 10,
        [PASSED] * 6 + [AVRO],
        [AVRO, PASSED] * 6 + [AVRO],
        [PASSED] * 4,
        [name.encode() for name in NAMES] * 10,
        [b"\x00\x00\x00\x00\x07\x06Ada"] * 20,
        ["text with \ufffd\ufffd".encode()] * 20,
        [None] * 6,
    ],
    ids=[
        "bytes",
        "bytes behind it",
        "in turns",
        "too few",
        "names of the source",
        "no numbers",
        "text",
        "tombstones",
    ],
)
def test_innocent(values: list[bytes | None], tmp_path: Path) -> None:
    assert found_in(tmp_path, values) == []
