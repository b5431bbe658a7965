"""The whole journal in few bars."""

from __future__ import annotations

from pathlib import Path

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.whole import read_bars, whole_bars
from webapp.reports.results import open_results


def test_the_bars_of_the_whole_add_up_to_its_records(tmp_path: Path) -> None:
    rows = [{"entry_action": "restart" if n == 700 else "create"} for n in range(1000)]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        bars = whole_bars(results.of(PartitionReplica("journal", 0)), AxisRange("offset", 0, 999))
    assert sum(bars["records"]) == 1000
    assert len(bars["starts"]) == 125
    assert bars["restarts"] == [700]


def test_the_bars_tell_how_much_a_window_of_times_holds_at_most(tmp_path: Path) -> None:
    whole = AxisRange("time", 0, 999_000)
    rows = [{"timestamp_ms": 1000 * n} for n in range(1000)]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        bars = read_bars(results.of(PartitionReplica("journal", 0)), whole)
    assert bars.reach(whole) == (1000, 0, 999)
    reach = bars.reach(AxisRange("time", 400_500, 420_500))
    assert reach is not None
    records, first, last = reach
    assert first <= 401 <= 420 <= last
    assert 20 <= records == last - first + 1 < 100
    assert bars.reach(AxisRange("time", 5_000_000, 6_000_000)) is None
