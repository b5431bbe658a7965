"""Values that are what a language prints for an object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.object_printed_as_text import FEW_RECORDS, detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

OBJECT = b'{"id": 1}'


def found_in(folder: Path, *values: bytes | None) -> list[Finding]:
    """What is found in a log of these values."""
    log = segment([Record(b"k%d" % n, value, SOME_TIME_MS + n) for n, value in enumerate(values)])
    return findings(detector, write(folder / "input", {0: log}), folder / "results")


@pytest.mark.parametrize(
    "value",
    [
        b"[B@1f32e575",
        b"[[I@1f32e575",
        b"[Ljava.lang.String;@6d06d69c",
        b"com.acme.shop.Order@4e25154f",
        b"com.acme.Order$Line@4e25154f",
        b"[object Object]",
        b"[object ArrayBuffer]",
        b"System.Byte[]",
        b"System.Collections.Generic.List`1[System.String]",
        b"<shop.Order object at 0x7f2a3b4c5d60>",
    ],
)
def test_lost_content_is_high(value: bytes, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, OBJECT, value, value, value, OBJECT)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (1, 3, [1, 2, 3])
    assert {effect.kind for effect in finding.effects} == {"lost"}


@pytest.mark.parametrize(
    "value",
    [
        b"Struct{id=1,name=Ada}",
        b"Struct{after=Struct{id=1},note=two\nlines}",
        b"b'{\"id\": 1}'",
        b"{'id': 1, 'name': 'Ada'}",
        b"{id=1, name=Ada}",
    ],
)
def test_printed_structures_are_medium_among_others_and_low_alone(value: bytes, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path / "mixed", OBJECT, value)
    assert (finding.severity, finding.first_offset) == ("medium", 1)
    (finding,) = found_in(tmp_path / "alone", value, value, None)
    assert finding.severity == "low"


def test_one_lost_record_is_medium(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, OBJECT, b"[object Object]")
    assert finding.severity == "medium"
    assert "has lost its content" in finding.title


def test_each_language_is_a_finding(tmp_path: Path) -> None:
    assert len(found_in(tmp_path, b"[object Object]", b"[B@1f32e575", OBJECT)) == 2


@pytest.mark.parametrize(
    "values",
    [
        [b"sent [B@1f32e575 to the queue"],
        [b"john.smith@cafe", b"A.b@1234", b"user@example.com"],
        [b'["object Object"]', b"[1, 2]", b"[object]"],
        [OBJECT, b'{"a": "{b=1}"}', b"{}", b"{a}", b"{ {x=1} }"],
        [b"Struct{", b"a Struct{id=1}", b"System.out", b"b'", b"busy"],
        [None, b"", b"null"],
        [b'"[object Object]"'],
    ],
    ids=["in a text", "addresses", "arrays", "objects", "parts", "none", "a JSON string"],
)
def test_innocent(values: Sequence[bytes | None], tmp_path: Path) -> None:
    assert found_in(tmp_path, *values) == []


def test_of_many_texts_the_first_and_the_last_are_looked_at(tmp_path: Path) -> None:
    texts = [b"line %d" % n for n in range(FEW_RECORDS)]
    assert found_in(tmp_path / "between", *texts, b"[B@1f32e575", b"line") == []
    assert found_in(tmp_path / "last", *texts, b"[B@1f32e575")
