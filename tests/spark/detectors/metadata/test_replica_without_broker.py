"""Replicas on brokers that are not registered, and brokers that are away for a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.replica_without_broker import detector
from tests.generator.segment import Record, batch, segment_name
from tests.spark.controller_records import broker, new_leader, partition, topic, unfence, unregister
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000
TWO = (broker(1), broker(3), topic(), partition(on=(1, 3)))


def found(folder: Path, *values: bytes, first: int = 0) -> list[dict[str, Any]]:
    place = folder / "input" / "__cluster_metadata-0"
    place.mkdir(parents=True)
    batches = [
        batch([Record(None, value, START_MS + n)], first + n, leader_epoch=1)
        for n, value in enumerate(values)
    ]
    (place / segment_name(first)).write_bytes(b"".join(batches))
    report = report_of(folder / "input", folder / "results")
    return [one for one in report["findings"] if one["detector"] == detector.id]


def test_a_replica_on_an_unregistered_broker_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, *TWO, unregister(3))
    assert (finding["severity"], finding["evidence"]) == ("medium", [4, 3])
    assert "broker 3 was unregistered and still has replicas of 1 partition" in finding["title"]


def test_a_partition_without_a_leader_is_high(tmp_path: Path) -> None:
    (finding,) = found(
        tmp_path, broker(1), broker(3), topic(), partition(on=(3,), leader=3), new_leader(-1), unregister(3)
    )
    assert (finding["severity"], finding["effects"][0]["entity_id"]) == ("high", "orders/0")
    assert finding["title"].startswith("Partition orders-0 is offline")


def test_a_broker_that_no_record_registers_is_found_in_a_whole_log(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, broker(1), topic(), partition(on=(1, 7)))
    assert "broker 7 was never registered" in finding["title"]


def test_a_log_without_its_start_says_nothing_of_brokers_that_it_does_not_name(tmp_path: Path) -> None:
    assert not found(tmp_path, broker(1), topic(), partition(on=(1, 7)), first=100)


@pytest.mark.parametrize(
    "values",
    [
        TWO,
        (*TWO, unfence(3)),
        (*TWO, unregister(3), broker(3, epoch=9)),
        (topic(), partition(on=(1, 3))),
    ],
    ids=["registered", "unfenced", "registered again", "no registration at all"],
)
def test_brokers_that_are_there_or_may_come_back_are_innocent(
    tmp_path: Path, values: tuple[bytes, ...]
) -> None:
    assert not found(tmp_path, *values)
