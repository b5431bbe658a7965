"""Brokers that register as a new process again and again, and those that restart for a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.broker_restart_loop import MIN_STARTS, WINDOW_MS, detector
from tests.generator.segment import Record, batch, segment_name
from tests.spark.controller_records import broker
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000


def found(folder: Path, *timed: tuple[int, bytes]) -> list[dict[str, Any]]:
    place = folder / "input" / "__cluster_metadata-0"
    place.mkdir(parents=True)
    batches = [
        batch([Record(None, value, START_MS + ms)], n, leader_epoch=1) for n, (ms, value) in enumerate(timed)
    ]
    (place / segment_name(0)).write_bytes(b"".join(batches))
    report = report_of(folder / "input", folder / "results")
    return [one for one in report["findings"] if one["detector"] == detector.id]


def starts(count: int, each_ms: int, number: int = 3) -> list[tuple[int, bytes]]:
    return [(n * each_ms, broker(number, epoch=n, incarnation=bytes([n + 1] * 16))) for n in range(count)]


def test_a_broker_that_starts_again_and_again_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, *starts(MIN_STARTS, 60_000))
    assert (finding["severity"], finding["evidence"]) == ("medium", [0, 1, 2, 3, 4])
    assert finding["title"] == "Broker 3 starts again and again: 5 starts in 4 minutes"


def test_other_hosts_can_be_another_broker(tmp_path: Path) -> None:
    turns = [
        (n * 60_000, broker(3, incarnation=bytes([n + 1] * 16), hosts=[f"10.0.0.{n % 2}"]))
        for n in range(MIN_STARTS)
    ]
    (finding,) = found(tmp_path, *turns)
    assert "They name 2 hosts: 10.0.0.0 and 10.0.0.1" in finding["explanation"]
    assert "no other machine or pod uses node ID 3" in finding["remedy"]


def test_starts_outside_the_loop_do_not_count(tmp_path: Path) -> None:
    early = (0, broker(3, incarnation=bytes([99] * 16)))
    (finding,) = found(tmp_path, early, *((ms + 9 * WINDOW_MS, value) for ms, value in starts(6, 60_000)))
    assert finding["evidence"] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "timed",
    [
        starts(MIN_STARTS - 1, 60_000),
        starts(9, WINDOW_MS // 3),
        [(n * 60_000, broker(3, epoch=n)) for n in range(9)],
        [(n * 60_000, broker(n, incarnation=bytes([n + 1] * 16))) for n in range(9)],
    ],
    ids=["few", "hours apart", "one process", "several brokers"],
)
def test_innocent(tmp_path: Path, timed: list[tuple[int, bytes]]) -> None:
    assert found(tmp_path, *timed) == []
