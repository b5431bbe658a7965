"""Deletions and copies of remote segments without an end, on both sides of an hour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.remote_log import (
    COPY_FINISHED,
    DELETE_FINISHED,
    DELETE_STARTED,
    FINISHED,
    MARKED,
    partition_deletion,
    started,
    update,
)
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

HOUR_MS = 3_600_000
COPIED = (started("a"), update(COPY_FINISHED, "a"))


def at(hours: float) -> int:
    return SOME_TIME_MS + round(hours * HOUR_MS)


def found(folder: Path, *records: Record) -> list[dict[str, Any]]:
    log = {"__remote_log_metadata-7/00000000000000000000.log": segment(records)}
    report = report_of(write(folder / "input", log), folder / "results")
    return [one for one in report["findings"] if one["detector"] == "remote-segment-unfinished"]


@pytest.mark.parametrize(("hours", "count"), [(1, 0), (1.001, 1)], ids=["at", "past"])
def test_a_deletion_may_take_an_hour(tmp_path: Path, hours: float, count: int) -> None:
    later = (started("b", timestamp_ms=at(hours)), update(COPY_FINISHED, "b", timestamp_ms=at(hours)))
    findings = found(tmp_path, *COPIED, update(DELETE_STARTED, "a"), *later)
    assert [(one["severity"], one["first_offset"]) for one in findings] == [("medium", 2)] * count


def test_a_copy_without_an_end_loses_nothing(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, started("a"), started("b"), started("c", timestamp_ms=at(5)))
    assert (finding["severity"], finding["first_offset"], finding["last_offset"]) == ("low", 0, 1)
    assert "No data is lost" in finding["explanation"]


def test_a_copy_that_nothing_followed_is_stuck(tmp_path: Path) -> None:
    later = started("b", topic="payments", timestamp_ms=at(5))
    (finding,) = found(tmp_path, *COPIED, started("c"), later)
    assert (finding["severity"], finding["first_offset"]) == ("medium", 2)
    assert finding["title"].startswith("Brokers stopped copying orders-3 to remote storage")


def test_what_has_ended_is_innocent(tmp_path: Path) -> None:
    deleted = (update(DELETE_STARTED, "a"), update(DELETE_FINISHED, "a"))
    assert found(tmp_path, *COPIED, *deleted, started("b", timestamp_ms=at(5))) == []


def test_segments_of_a_deleted_partition_are_innocent(tmp_path: Path) -> None:
    gone = (partition_deletion(MARKED), partition_deletion(FINISHED))
    assert found(tmp_path, started("a"), *gone, started("b", topic="payments", timestamp_ms=at(5))) == []
