"""The whole journal in few bars."""

from __future__ import annotations

from pathlib import Path

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.marks import AxisRange
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.results import PartitionReplica, open_results


def test_the_bars_of_the_whole_add_up_to_its_records(tmp_path: Path) -> None:
    rows = [{"entry_action": "restart" if n == 700 else "create"} for n in range(1000)]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        bars = whole_bars(results, PartitionReplica("journal", 0), AxisRange("offset", 0, 999))
    assert sum(bars["records"]) == 1000
    assert len(bars["starts"]) == 125
    assert bars["restarts"] == [700]
