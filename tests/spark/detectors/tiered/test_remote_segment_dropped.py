"""Events of remote segments that brokers drop: which change what consumers can read, and which do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.remote_log import COPY_FINISHED, DELETE_FINISHED, DELETE_STARTED, started, update
from tests.generator.segment import Record, segment, segment_name
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

DELETED = (
    started("a"),
    update(COPY_FINISHED, "a"),
    update(DELETE_STARTED, "a"),
    update(DELETE_FINISHED, "a"),
)


def found(folder: Path, *records: Record, first: int = 0) -> list[dict[str, Any]]:
    log = {f"__remote_log_metadata-7/{segment_name(first)}": segment(records, first)}
    report = report_of(write(folder / "input", log), folder / "results")
    return [one for one in report["findings"] if one["detector"] == "remote-segment-dropped"]


def test_a_finished_copy_without_its_start_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, started("a"), update(COPY_FINISHED, "b"), update(COPY_FINISHED, "c"))
    assert (finding["severity"], finding["confidence"]) == ("high", "proven")
    assert (finding["first_offset"], finding["last_offset"]) == (1, 2)
    assert finding["title"].startswith("Consumers of orders-3 cannot read 2 remote segments")


def test_each_partition_in_remote_storage_is_a_finding(tmp_path: Path) -> None:
    findings = found(tmp_path, update(COPY_FINISHED, "b"), update(COPY_FINISHED, "c", topic="payments"))
    assert [one["title"][:21] for one in findings] == ["Consumers of orders-3", "Consumers of payments"]


def test_a_log_that_starts_late_makes_it_likely(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, update(COPY_FINISHED, "b"), first=40)
    assert finding["confidence"] == "likely"
    assert "The log starts at offset 40" in finding["explanation"]


def test_a_finished_deletion_that_never_started_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, *DELETED[:2], update(DELETE_FINISHED, "a"))
    assert "get errors for 1 remote segment" in finding["title"]


@pytest.mark.parametrize(
    "records",
    [
        DELETED,
        (*DELETED, update(COPY_FINISHED, "a")),
        (*DELETED, update(DELETE_STARTED, "a"), update(DELETE_FINISHED, "a")),
        (*DELETED[:2], update(DELETE_FINISHED, "a"), *DELETED[2:]),
        (started("a"), update(DELETE_FINISHED, "a")),
        (*DELETED[:3], update(COPY_FINISHED, "a")),
    ],
    ids=[
        "a whole life", "copied after its deletion", "deleted twice", "deleted properly later", "never readable",
        "copied while in deletion",
    ],
)  # fmt: skip
def test_what_changes_nothing_for_consumers_is_innocent(tmp_path: Path, records: tuple[Record, ...]) -> None:
    assert found(tmp_path, *records) == []
