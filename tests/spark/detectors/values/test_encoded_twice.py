"""JSON strings that hold objects, among objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.encoded_twice import detector
from spark.terms.findings import Finding
from tests.generator.segment import Record, segment
from tests.spark.log_folders import findings, write

OBJECT = json.dumps({"id": 1, "name": 'a "b"'}).encode()
TWICE = json.dumps(OBJECT.decode()).encode()


def found_in(folder: Path, values: Sequence[bytes]) -> list[Finding]:
    """What is found in a log of these values."""
    log = segment([Record(b"k%d" % n, value) for n, value in enumerate(values)])
    return findings(detector, write(folder / "input", {0: log}), folder / "results")


def test_from_an_offset_on_all_are(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [OBJECT] * 6 + [TWICE] * 4)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 6, 9)
    assert "No later value is a JSON object" in finding.explanation


def test_some_are_from_an_offset_on(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [OBJECT] * 6 + [TWICE, OBJECT] * 4)
    assert finding.evidence == [6, 8, 10, 12]
    assert "likely one of several producers" in finding.explanation


def test_a_mixture_that_can_have_been_there_from_the_start_is_low(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [OBJECT] * 4 + [TWICE, OBJECT] * 8)
    assert (finding.severity, finding.confidence) == ("low", "likely")
    assert "perhaps since the start of the topic" in finding.explanation
    (finding,) = found_in(tmp_path / "rare", [OBJECT] * 8 + ([TWICE] + [OBJECT] * 20) * 3)
    assert finding.severity == "low", "one of 20: the first 8 can be objects by chance"


def test_a_single_one_is_low(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [OBJECT] * 6 + [TWICE] + [OBJECT] * 6)
    assert finding.severity == "low"


def test_objects_of_another_kind_are_low(tmp_path: Path) -> None:
    other = json.dumps(json.dumps({"_values": {}})).encode()
    (finding,) = found_in(tmp_path, [OBJECT] * 6 + [other] * 4)
    assert (finding.severity, finding.confidence) == ("low", "likely")


@pytest.mark.parametrize(
    "values",
    [[TWICE] * 8, [TWICE] * 4 + [OBJECT] * 8, [OBJECT] * 8, [OBJECT] * 6 + [b'"{see below}"'] * 4, [OBJECT] * 6 + [b'"text"'] * 4],
    ids=["always", "corrected", "never", "free text in braces", "texts"],
)  # fmt: skip
def test_innocent(values: list[bytes], tmp_path: Path) -> None:
    assert found_in(tmp_path, values) == []
