"""The clock of the records goes back: between neighbours, by how much, in which window."""

from __future__ import annotations

from pathlib import Path

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
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


def test_a_window_has_the_steps_that_can_be_seen_in_it() -> None:
    found = ClockJumps((ClockJump(3, 2_000, 1_000), ClockJump(9, 5_010, 5_000)), 2)
    assert found.in_window(AxisRange("time", 0, 9_999), 100) == [ClockJump(3, 2_000, 1_000)]
    assert found.in_window(AxisRange("time", 4_900, 5_100), 100) == [ClockJump(9, 5_010, 5_000)]
    assert found.in_window(AxisRange("time", 6_000, 7_000), 100) == []
