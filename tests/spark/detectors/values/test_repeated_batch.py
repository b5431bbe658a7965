"""Batches that a producer without idempotence wrote twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values import repeated_batch, repeated_records
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, batch
from tests.spark.log_folders import findings, write

Batch = tuple[list[Record], int, int | None]


def records(start: int, count: int = 3) -> list[Record]:
    """Different records, each a millisecond later."""
    return [Record(b"k%d" % n, b"value %d" % n, SOME_TIME_MS + n) for n in range(start, start + count)]


def found_in(
    folder: Path, batches: Sequence[list[Record]], producer_id: int = -1, **more: int
) -> list[Finding]:
    """What is found in a log of these batches."""
    log, offset = b"", 0
    for number, content in enumerate(batches):
        known = (
            {"producer_id": producer_id, "producer_epoch": 0, "base_sequence": number}
            if producer_id >= 0
            else {}
        )
        log += batch(content, offset, **known, **more)  # type: ignore[arg-type]
        offset += len(content)
    return findings(repeated_batch.detector, write(folder / "input", {0: log}), folder / "results")


def test_a_batch_that_was_sent_again_is_found(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [records(0), records(10), records(10), records(20)])
    assert (finding.severity, finding.evidence) == ("medium", [3, 6])
    assert "3 records of journal-0 are there twice: 1 batch was written again" in finding.title
    assert "did not get the broker's answer" in finding.explanation


def test_one_record_that_is_there_twice_may_be_what_an_application_sent(tmp_path: Path) -> None:
    assert found_in(tmp_path, [records(0, 1), records(1, 1), records(1, 1), records(2, 1)]) == []


def test_several_batches_of_one_record_count(tmp_path: Path) -> None:
    twice = [records(number, 1) for number in (1, 1, 2, 2)]
    (finding,) = found_in(tmp_path, [records(0, 1), *twice])
    assert finding.evidence[:2] == [1, 2]


def test_a_second_pass_is_no_retry(tmp_path: Path) -> None:
    once = [records(n, 1) for n in range(150)]
    (finding,) = found_in(tmp_path, [*once, *once])
    assert "wrote the same records again with their old times" in finding.explanation


def test_what_batches_show_is_told_once(tmp_path: Path) -> None:
    log = batch(records(0, 8), 0) + batch(records(0, 8), 8)
    assert (
        findings(repeated_records.detector, write(tmp_path / "input", {0: log}), tmp_path / "results") == []
    )


@pytest.mark.parametrize(
    ("batches", "more"),
    [
        ([records(0), records(10)], {}),
        ([records(0), [Record(one.key, one.value, one.timestamp_ms + 1) for one in records(0)]], {}),
        ([[Record(b"k", b"ping", SOME_TIME_MS + n)] for n in (0, 0, 1, 2, 2)], {}),
        ([[Record(b"k%d" % n, b"v", 0)] for n in (0, 1, 1)], {}),
        ([records(0), records(0)], {"log_append_time_ms": SOME_TIME_MS}),
    ],
    ids=["different", "other times", "one payload all the time", "no times", "the broker's times"],
)
def test_innocent(batches: list[list[Record]], more: dict[str, int], tmp_path: Path) -> None:
    assert found_in(tmp_path, batches, **more) == []


def test_a_producer_with_an_id_is_innocent(tmp_path: Path) -> None:
    assert found_in(tmp_path, [records(0), records(0)], producer_id=7) == []
