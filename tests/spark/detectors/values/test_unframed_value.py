"""Values without a schema id among others with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.unframed_value import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

FRAMED = b"\x00\x00\x00\x00\x07\x02a"
PLAIN = b'{"id": 1}'


def found_in(folder: Path, values: Sequence[bytes | None], header: bytes = b"") -> list[Finding]:
    """What is found in a log of these values."""
    headers = [(header, b"7")] if header else []
    log = segment(
        [
            Record(b"k%d" % n, value, SOME_TIME_MS + 1000 * n, headers if value == PLAIN else [])
            for n, value in enumerate(values)
        ]
    )
    return findings(detector, write(folder / "input", {0: log}), folder / "results")


@pytest.mark.parametrize("value", [PLAIN, b"text", b"", b"\x01\x02", b"\x00\x00"])
def test_one_among_framed_values_is_found(value: bytes, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [FRAMED] * 11 + [value] + [FRAMED] * 8)
    assert (finding.severity, finding.confidence) == ("medium", "proven")
    assert (finding.first_offset, finding.evidence) == (11, [11])
    assert finding.event == "poison:journal-0:11"
    assert "record:11" in finding.entities


def test_a_second_producer_that_writes_in_turns_is_found(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [FRAMED] * 10 + [FRAMED, PLAIN] * 20)
    assert len(finding.entities) == 20


@pytest.mark.parametrize(
    "values", [[FRAMED] * 30 + [PLAIN], [PLAIN] + [FRAMED] * 30], ids=["at the end", "at the start"]
)
def test_one_at_an_end_is_likely(values: list[bytes], tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, values)
    assert finding.confidence == "likely"
    assert "can also have changed" in finding.explanation


@pytest.mark.parametrize(
    "values",
    [
        [PLAIN] * 20,
        [FRAMED] * 20,
        [FRAMED] * 10 + [None] * 3 + [FRAMED] * 10,
        [PLAIN] * 20 + [FRAMED] * 20,
        [FRAMED] * 20 + [PLAIN] * 20,
        [PLAIN] * 20 + [PLAIN, FRAMED] * 4 + [FRAMED] * 20,
        [FRAMED] * 20 + [PLAIN, FRAMED] * 4 + [PLAIN] * 20,
        [(n * 4_000_000).to_bytes(8, "big", signed=True) for n in range(-2, 40)],
        [(1 << 40 | n << 24).to_bytes(8, "big") for n in range(20)] + [b"\xff" * 8] + [FRAMED] * 3,
    ],
    ids=[
        "no framing", "all framed", "tombstones", "framed from a date on", "unframed from a date on", "a change in steps",
        "a change back in steps", "large and small numbers of eight bytes", "numbers of eight bytes",
    ],
)  # fmt: skip
def test_innocent(values: list[bytes | None], tmp_path: Path) -> None:
    assert found_in(tmp_path, values) == []


def test_an_id_in_a_header_is_innocent(tmp_path: Path) -> None:
    values = [FRAMED] * 10 + [PLAIN] + [FRAMED] * 10
    assert found_in(tmp_path, values, header=b"__value_schema_id") == []
