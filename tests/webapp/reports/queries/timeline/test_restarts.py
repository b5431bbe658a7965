"""Restarts of a window, on either axis."""

from __future__ import annotations

from pathlib import Path

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.restarts import restarts_between
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def test_restarts_are_those_of_the_window_in_the_order_of_the_axis(tmp_path: Path) -> None:
    times = {2: 9_000, 5: 7_000, 8: -1, 9: 8_000}  # the clock went back; one record has no time
    rows = [
        {
            "key": b"k%d" % n,
            "timestamp_ms": times.get(n, 5_000),
            "entry_action": "restart" if n in times else None,
        }
        for n in range(12)
    ]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        assert restarts_between(results.of(JOURNAL), AxisRange("offset", 0, 11)) == [2, 5, 8, 9]
        assert restarts_between(results.of(JOURNAL), AxisRange("offset", 3, 8)) == [5, 8]
        assert restarts_between(results.of(JOURNAL), AxisRange("time", 7_000, 8_999)) == [7_000, 8_000]
