"""Snapshot epochs of share partitions that go back, and what makes a lower epoch normal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import Record, segment
from tests.generator.share_state import snapshot, tombstone, update
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of


def found(folder: Path, *records: Record) -> list[dict[str, Any]]:
    log = {"__share_group_state-7/00000000000000000000.log": segment(records)}
    report = report_of(write(folder / "input", log), folder / "results")
    return [one for one in report["findings"] if one["detector"] == "share-epoch-regression"]


@pytest.mark.parametrize("second", [snapshot(2), update(2)], ids=["snapshot", "update"])
def test_a_lower_epoch_is_found_with_both_records(tmp_path: Path, second: Record) -> None:
    (finding,) = found(tmp_path, snapshot(4), snapshot(9, group="other"), second)
    assert (finding["severity"], finding["evidence"]) == ("high", [0, 2])
    assert "from 4 to 2 at offset 2 of __share_group_state-7" in finding["title"]


def test_several_steps_back_of_a_share_partition_are_one_finding(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, snapshot(4), update(3), snapshot(5), snapshot(1))
    assert "the first of 2 times" in finding["title"]
    assert (finding["first_offset"], finding["last_offset"]) == (0, 3)


@pytest.mark.parametrize(
    "records",
    [
        (snapshot(0), update(0), update(0), snapshot(1), update(1)),
        (snapshot(4), tombstone(), snapshot(0)),
        (snapshot(4), snapshot(0, partition=5)),
        (snapshot(65535), snapshot(0)),
        (snapshot(4), snapshot(9)),
    ],
    ids=["what a coordinator writes", "deleted in between", "another partition", "16 bits", "skipped"],
)
def test_what_coordinators_write_is_innocent(tmp_path: Path, records: tuple[Record, ...]) -> None:
    assert found(tmp_path, *records) == []
