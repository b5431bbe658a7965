"""Timestamps in another unit than milliseconds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from spark.detectors.values.timestamp_unit import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

SECONDS = 1_760_000_000
DESCRIBED = "Topic: journal\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {}\n"


def of_times(folder: Path, times: Iterable[int], configs: str = "", value: bytes = b"value") -> list[Finding]:
    """What is found in a log of these timestamps."""
    log = segment([Record(b"k%d" % n, value, at) for n, at in enumerate(times)])
    files: dict[str | int, bytes] = {0: log}
    if configs:
        files["describe/describe.txt"] = DESCRIBED.format(configs).encode()
    return findings(detector, write(folder / "input", files), folder / "results")


@pytest.mark.parametrize(
    ("factor", "unit"), [(1, "seconds"), (10**6, "microseconds"), (10**9, "nanoseconds")]
)
def test_each_unit_is_recognised(factor: int, unit: str, tmp_path: Path) -> None:
    (finding,) = of_times(tmp_path, [(SECONDS + 7 * n) * factor for n in range(5)])
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert (finding.first_offset, finding.last_offset) == (0, 4)
    assert f"sends {unit} instead of milliseconds" in finding.title
    assert "2025-10-09 08:53:20 UTC" in finding.explanation


def test_records_in_milliseconds_around_them_prove_it(tmp_path: Path) -> None:
    at = SOME_TIME_MS // 1000
    (finding,) = of_times(tmp_path, [SOME_TIME_MS, at + 3, SOME_TIME_MS + 5000, at + 9])
    assert (finding.confidence, finding.evidence) == ("proven", [1, 3])


def test_the_same_number_in_the_values_proves_it(tmp_path: Path) -> None:
    (finding,) = of_times(tmp_path, [SECONDS + 1] * 3, value=b'{"at":%d}' % (SECONDS + 1))
    assert finding.confidence == "proven"


@pytest.mark.parametrize(
    ("configs", "severity"),
    [
        ("cleanup.policy=delete,retention.ms=604800000", "high"),
        ("cleanup.policy=delete,retention.ms=-1", "low"),
        ("cleanup.policy=compact", "low"),
        ("segment.bytes=1073741824", "medium"),
    ],
)
def test_what_retention_does_decides_the_severity(configs: str, severity: str, tmp_path: Path) -> None:
    (finding,) = of_times(tmp_path, [SECONDS + 7 * n for n in range(5)], configs)
    assert finding.severity == severity


@pytest.mark.parametrize(
    "times",
    [
        [-1] * 5,
        [0] * 5,
        [SOME_TIME_MS + n for n in range(5)],
        [n * 24 * 3600 * 1000 for n in range(1, 40)],
        [1_000_000_000 + n * 3_600_001 for n in range(2000)],
        [1_728_000_000 + n * 1000 for n in range(5)],
    ],
    ids=["none", "zero", "milliseconds", "days of 1970", "history", "seconds of one day in 1970"],
)
def test_other_times_are_innocent(times: list[int], tmp_path: Path) -> None:
    assert of_times(tmp_path, times) == []
