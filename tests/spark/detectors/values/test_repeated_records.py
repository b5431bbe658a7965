"""Records in a row that are there again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from spark.detectors.values import repeated_records
from spark.detectors.values.repeated_records import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.log_folders import findings, write

ONCE = [Record(b"k%d" % n, b"value %d" % n, SOME_TIME_MS + n) for n in range(30)]
PING = Record(b"k", b"ping", SOME_TIME_MS)


def found_in(folder: Path, records: Iterable[Record], policy: str = "") -> list[Finding]:
    """What is found in a print of these records by kcat."""
    lines = [
        json.dumps(
            {
                "topic": "orders",
                "partition": 0,
                "offset": offset,
                "tstype": "create",
                "ts": one.timestamp_ms,
                "broker": 1,
                "headers": [part.decode() for pair in one.headers for part in pair if part is not None],
                "key": (one.key or b"").decode(),
                "payload": (one.value or b"").decode(),
            }
        )
        for offset, one in enumerate(records)
    ]
    files: dict[str | int, bytes] = {"print/orders.json": "\n".join(lines).encode() + b"\n"}
    if policy:
        files["print/describe.txt"] = (
            f"Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: cleanup.policy={policy}\n".encode()
        )
    return findings(detector, write(folder / "input", files), folder / "results")


def test_a_run_that_is_there_again_is_found(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [*ONCE[:20], *ONCE[15:20], *ONCE[20:]])
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 20, 24)
    assert finding.evidence[:2] == [15, 20]
    assert "5 repeated records" in finding.title
    assert "The log segments decide" in finding.explanation


def test_records_of_another_producer_may_be_between(tmp_path: Path) -> None:
    other = [replace(one, key=b"x", timestamp_ms=one.timestamp_ms + 500) for one in ONCE]
    again = [one for pair in zip(ONCE[:5], other[:5], strict=True) for one in pair]
    (finding,) = found_in(tmp_path, [*ONCE[:5], *again])
    assert "5 repeated records" in finding.title


def test_many_records_of_one_millisecond_are_found(tmp_path: Path) -> None:
    at_once = [replace(one, timestamp_ms=SOME_TIME_MS) for one in ONCE]
    (finding,) = found_in(tmp_path, at_once * 2)
    assert finding.confidence == "proven"
    assert "30 repeated records" in finding.title


@pytest.mark.parametrize(
    ("step_ms", "cause"), [(6_000, "The log segments decide"), (6_400, "a mirror or a restore ran twice")]
)
def test_a_series_of_more_than_two_minutes_is_no_retry(step_ms: int, cause: str, tmp_path: Path) -> None:
    slow = [replace(one, timestamp_ms=SOME_TIME_MS + n * step_ms) for n, one in enumerate(ONCE)]
    (finding,) = found_in(tmp_path, [*slow[:20], *slow[:20], *slow[20:]])
    assert cause in finding.explanation
    assert ("enable.idempotence" in finding.remedy) == (step_ms * 19 <= 120_000)


def test_without_headers_it_is_likely(tmp_path: Path) -> None:
    lines = [
        f"CreateTime:{one.timestamp_ms}\tOffset:{offset}\t{(one.key or b'').decode()}\t{(one.value or b'').decode()}"
        for offset, one in enumerate(ONCE * 2)
    ]
    files: dict[str | int, bytes] = {"print/orders.txt": "\n".join(lines).encode() + b"\n"}
    (finding,) = findings(detector, write(tmp_path / "input", files), tmp_path / "results")
    assert finding.confidence == "likely"
    assert "the input has no headers" in finding.explanation


def test_whole_passes_are_an_echo(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, ONCE * 4, "compact")
    assert finding.severity == "medium"
    assert "up to 4 times" in finding.title
    assert "an echo" in finding.explanation


def test_in_a_compacted_topic_a_second_pass_is_low(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, ONCE * 2, "compact")
    assert finding.severity == "low"


@pytest.mark.parametrize(
    "records",
    [
        ONCE,
        [*ONCE, *(replace(one, timestamp_ms=one.timestamp_ms + 10**6) for one in ONCE)],
        [*ONCE, *(replace(one, headers=[(b"replayed", b"true")]) for one in ONCE)],
        [PING] * 30,
        [replace(one, timestamp_ms=0) for one in ONCE * 2],
        [*ONCE, ONCE[3], ONCE[17]],
        [replace(one, timestamp_ms=SOME_TIME_MS) for one in ONCE[:4] * 6],
        [one for one in ONCE for _ in range(3)],
    ],
    ids=[
        "once",
        "other times",
        "a declared replay",
        "one payload",
        "no times",
        "two alone",
        "rows that recur within a millisecond",
        "each three times at once",
    ],
)
def test_innocent(records: list[Record], tmp_path: Path) -> None:
    assert found_in(tmp_path, records) == []


@pytest.mark.parametrize(("passes", "found"), [(1, 0), (2, 1)])
def test_of_a_larger_partition_a_sample_decides(
    passes: int, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated_records, "SMALL", 50)
    monkeypatch.setattr(repeated_records, "LOGS", repeated_records.LOGS.replace("200000", "50"))
    burst = [Record(b"", b"%06d" % n, SOME_TIME_MS + n // 100) for n in range(10_000)]
    assert len(found_in(tmp_path, burst * passes)) == found
