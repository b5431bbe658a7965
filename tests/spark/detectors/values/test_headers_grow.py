"""Records that come back with one header more each time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.headers_grow import comes_back, detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

NAME = b"kafka_dlt-exception-message"
Copy = tuple[bytes, bytes, int]


def found_in(folder: Path, topics: dict[str, Sequence[Copy]], name: bytes = NAME) -> list[Finding]:
    """What is found in topics whose records have key, value and so many headers of the name."""
    at = iter(range(1000))
    files: dict[str | int, bytes] = {
        f"{topic}-0/00000000000000000000.log": segment(
            [
                Record(
                    key, value, SOME_TIME_MS + 1000 * next(at), [(b"trace", b"1"), *[(name, b"boom")] * times]
                )
                for key, value, times in copies
            ]
        )
        for topic, copies in topics.items()
    }
    return findings(detector, write(folder / "input", files), folder / "results")


def test_a_record_that_comes_back_to_its_topic_is_found(tmp_path: Path) -> None:
    others: list[Copy] = [(b"k%d" % n, b"v", 0) for n in range(5)]
    (finding,) = found_in(tmp_path, {"orders": [*others, *((b"k7", b"v7", n) for n in range(1, 6))]})
    assert (finding.severity, finding.evidence) == ("medium", [5, 6, 7, 8, 9])
    assert "kafka_dlt-exception-message is in it 5 times" in finding.title
    assert "is written to the same topic again" in finding.explanation


def test_a_chain_of_retry_topics_is_low(tmp_path: Path) -> None:
    (finding,) = found_in(
        tmp_path, {f"orders-retry-{n}": [(b"k7", b"v7", n + 1)] for n in range(3)}, b"retry_topic-attempts"
    )
    assert (finding.severity, finding.topic) == ("low", "orders-retry-2")


def test_in_any_partition_of_one_topic_the_record_comes_back() -> None:
    assert comes_back({"topic_steps": 1, "topics": ["orders"]})
    assert not comes_back({"topic_steps": 1, "topics": ["orders-retry-0", "orders-retry-1"]})


@pytest.mark.parametrize(
    "copies",
    [
        [(b"k7", b"v7", 1)] * 6,
        [(b"k7", b"v7", 3)] * 6,
        [(b"k%d" % n, b"v", n) for n in range(6)],
        [(b"k7", b"v%d" % n, n) for n in range(6)],
        [(b"k7", b"v7", 2), (b"k7", b"v7", 3)],
        [(b"k7", b"v7", n) for n in (5, 4, 3, 2, 1)],
    ],
    ids=["once", "always three times", "other keys", "other values", "two copies", "fewer each time"],
)
def test_innocent(copies: list[Copy], tmp_path: Path) -> None:
    assert found_in(tmp_path, {"orders": copies}, b"tag") == []


@pytest.mark.parametrize(("most", "severity"), [(7, "low"), (8, "medium")])
def test_dead_letters_with_the_headers_of_all_attempts_are_likely(
    most: int, severity: str, tmp_path: Path
) -> None:
    dead: list[Copy] = [(b"k%d" % n, b"v%d" % n, times) for n, times in enumerate((3, 4, most))]
    (finding,) = found_in(tmp_path, {"orders-dlt": dead})
    assert (finding.severity, finding.confidence, finding.evidence) == (severity, "likely", [0, 1, 2])
    assert "the headers of all its attempts" in finding.explanation


def test_dead_letters_of_one_attempt_each_are_innocent(tmp_path: Path) -> None:
    assert found_in(tmp_path, {"orders-dlt": [(b"k%d" % n, b"v", n % 2) for n in range(9)]}) == []
