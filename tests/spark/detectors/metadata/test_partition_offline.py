"""Partitions that stay without a leader, and those that will have one soon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.partition_offline import MIN_MS, detector
from tests.generator.segment import Record, batch, segment_name
from tests.spark.controller_records import NO_OP, broker, new_leader, partition, topic, unfence, unregister
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000
Timed = tuple[int, bytes]
TWO: list[Timed] = [
    (0, value) for value in (broker(1), unfence(1), broker(3), topic(), partition(on=(3, 1), leader=3))
]


def found(folder: Path, *timed: Timed) -> list[dict[str, Any]]:
    place = folder / "input" / "__cluster_metadata-0"
    place.mkdir(parents=True)
    batches = [
        batch([Record(None, value, START_MS + ms)], n, leader_epoch=1) for n, (ms, value) in enumerate(timed)
    ]
    (place / segment_name(0)).write_bytes(b"".join(batches))
    report = report_of(folder / "input", folder / "results")
    return [one for one in report["findings"] if one["detector"] == detector.id]


def test_a_partition_whose_broker_stays_fenced_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, *TWO, (10, new_leader(-1)), (10 + MIN_MS, NO_OP))
    assert (finding["severity"], finding["evidence"]) == ("high", [5])
    assert (
        finding["title"]
        == "Partition orders-0 is offline for 5 minutes: only brokers 1 and 3 can lead it without lost records"
    )
    assert finding["effects"][0]["entity_id"] == "orders/0"


def test_the_only_copy_is_said(tmp_path: Path) -> None:
    steps = [
        (0, one)
        for one in (broker(1), unfence(1), broker(3), topic(), partition(on=(3,), leader=3), new_leader(-1))
    ]
    (finding,) = found(tmp_path, *steps, (MIN_MS, NO_OP))
    assert "only broker 3 can lead it" in finding["title"]
    assert "Broker 3 has the last in-sync replica and is fenced" in finding["explanation"]
    assert "only copy" in finding["explanation"]


@pytest.mark.parametrize(
    "timed",
    [
        [*TWO, (10, new_leader(-1)), (9 + MIN_MS, NO_OP)],
        [*TWO, (10, new_leader(-1)), (20, new_leader(1)), (9 * MIN_MS, NO_OP)],
        [(0, broker(1)), (0, broker(3)), *TWO[3:], (10, new_leader(-1)), (9 * MIN_MS, NO_OP)],
        [*TWO, (10, new_leader(-1)), (20, unregister(3)), (9 * MIN_MS, NO_OP)],
    ],
    ids=["a restart", "it has a leader again", "a stopped cluster", "not registered"],
)
def test_innocent(tmp_path: Path, timed: list[Timed]) -> None:
    assert found(tmp_path, *timed) == []
