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


def found_of_keys(folder: Path, keys: Sequence[bytes | None], values: Sequence[bytes] = ()) -> list[Finding]:
    """What is found in a log of these keys."""
    records = [
        Record(key, value, SOME_TIME_MS + 1000 * n)
        for n, (key, value) in enumerate(zip(keys, values or [FRAMED] * len(keys), strict=True))
    ]
    return findings(detector, write(folder / "input", {0: segment(records)}), folder / "results")


def test_a_key_among_framed_keys_is_found(tmp_path: Path) -> None:
    (finding,) = found_of_keys(tmp_path, [FRAMED] * 11 + [b"C12"] + [FRAMED] * 8)
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "proven", [11])
    assert "no schema ID in the key at offset 11" in finding.title
    assert "19 keys of the partition begin with the byte 0x00" in finding.explanation


def test_a_record_without_any_framing_is_one_finding(tmp_path: Path) -> None:
    values = [FRAMED] * 11 + [PLAIN] + [FRAMED] * 8
    (finding,) = found_of_keys(tmp_path, [FRAMED] * 11 + [b"C12"] + [FRAMED] * 8, values)
    assert finding.entity == "unframed-values"


@pytest.mark.parametrize(
    "keys",
    [
        [b"C12"] * 20,
        [FRAMED] * 10 + [None] * 3 + [FRAMED] * 7,
        [FRAMED] * 10 + [b"\x01\x02\x03\x00\x05\x06"] + [FRAMED] * 9,
        [b"C12"] * 10 + [FRAMED] * 10,
        [(1 << 30).to_bytes(8, "big")] * 10 + [(5).to_bytes(8, "big")] * 2 + [(1 << 30).to_bytes(8, "big")] * 8,
    ],
    ids=["no framing", "records without a key", "binary keys of the application's own", "framed from a date on", "numbers"],
)  # fmt: skip
def test_innocent_keys(keys: list[bytes | None], tmp_path: Path) -> None:
    assert found_of_keys(tmp_path, keys) == []
