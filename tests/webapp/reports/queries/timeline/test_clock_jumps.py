"""The clock of the records goes back: between neighbours, by how much, in which window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.clock_jumps import ClockJump, ClockJumps, clock_jumps
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def jumps(folder: Path, *times: int | None, **more: str) -> ClockJumps:
    rows = [{"timestamp_ms": time} for time in times]
    with open_results(write_results(folder, records=records_table(*rows, **more))) as results:
        return clock_jumps(results.of(JOURNAL))


def test_the_longest_step_comes_first_and_all_are_counted(tmp_path: Path) -> None:
    found = jumps(tmp_path, 100, 90, 200, 50, 60)
    assert found.longest == (ClockJump(3, 200, 50), ClockJump(1, 100, 90))
    assert found.steps == 2


def test_a_clock_that_stands_still_or_is_missing_does_not_go_back(tmp_path: Path) -> None:
    assert jumps(tmp_path, 100, 100, -1, None, 100, 101) == ClockJumps()


def test_markers_have_the_clock_of_the_coordinator_which_does_not_count(tmp_path: Path) -> None:
    assert jumps(tmp_path, 100, 90, control_type="commit") == ClockJumps()


@pytest.mark.parametrize(("timestamp_type", "early"), [("create", 1), ("log_append", 0)])
def test_markers_earlier_than_a_record_of_their_transaction_are_counted(
    tmp_path: Path, timestamp_type: str, early: int
) -> None:
    """Two transactions of a producer: the marker of the first is earlier than its second record, that of the other later."""
    rows: list[dict[str, Any]] = [
        {"timestamp_ms": time, "producer_id": 7} for time in (100, 300, 200, 300, 301)
    ]
    for marker in (rows[2], rows[4]):
        marker["control_type"] = "commit"
    ended = {"producer_id": 7, "producer_epoch": 0, "outcome": "committed"}
    spans = other_table(
        "transactions",
        ended | {"first_offset": 0, "last_offset": 1, "marker_offset": 2, "marker_timestamp_ms": 200},
        ended | {"first_offset": 3, "last_offset": 3, "marker_offset": 4, "marker_timestamp_ms": 301},
        topic="journal",
        partition=0,
        replica="",
    )
    records = records_table(*rows, timestamp_type=timestamp_type)
    with open_results(write_results(tmp_path, records=records, transactions=spans)) as results:
        assert clock_jumps(results.of(JOURNAL)).early_markers == early


def test_records_earlier_than_the_marker_before_them_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"timestamp_ms": time} for time in (100, 130, 120, 110, 140, 150)]
    for marker in (rows[1], rows[4]):
        marker["control_type"] = "commit"
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        found = clock_jumps(results.of(JOURNAL))
    assert (found.behind_markers, found.steps) == (1, 1), (
        "of a record and the record before it, the step counts"
    )


def test_a_window_has_the_steps_that_can_be_seen_in_it() -> None:
    found = ClockJumps((ClockJump(3, 2_000, 1_000), ClockJump(9, 5_010, 5_000)), 2)
    assert found.in_window(AxisRange("time", 0, 9_999), 100) == [ClockJump(3, 2_000, 1_000)]
    assert found.in_window(AxisRange("time", 4_900, 5_100), 100) == [ClockJump(9, 5_010, 5_000)]
    assert found.in_window(AxisRange("time", 6_000, 7_000), 100) == []
