"""A wide window of a large partition is a sum of fine bins, and exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries import marks
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline import levels
from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.window import Window
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def cells(window: Window) -> list[tuple[Any, ...]]:
    return sorted(zip(*(window.buckets[name].tolist() for name in sorted(window.buckets)), strict=True))


@pytest.mark.parametrize("axis", ["offset", "time"])
@pytest.mark.parametrize(("first", "last"), [(0, 1), (0.1, 0.9), (0.33, 0.34), (0.99, 1)])
def test_a_window_of_fine_bins_is_what_the_records_give(
    tmp_path: Path, monkeypatch: Any, axis: Any, first: float, last: float
) -> None:
    rows = [
        {"key": b"k%d" % (n % 7), "value": None if n % 5 == 0 else b"v", "entry_type": "AB"[n % 3 == 0]}
        for n in range(3000)
    ]
    folder = write_results(tmp_path, records=records_table(*rows))
    monkeypatch.setattr(levels, "MAX_CELLS", 2000)
    monkeypatch.setattr(marks, "PLOT_PIXELS", 20)  # no marks, on an axis of times neither
    with open_results(folder) as results:
        found = survey(results)
        whole = marks.whole_span(found.facts[JOURNAL], axis)
        assert whole
        span = AxisRange(
            axis, whole.first + int(first * (whole.extent - 1)), whole.first + int(last * (whole.extent - 1))
        )
        monkeypatch.setattr(marks, "MAX_READ", 10)
        quick = read_window(PartitionTables(results, JOURNAL, found), span, pixels=20)
        monkeypatch.setattr(marks, "MAX_READ", 10**9)
        exact = read_window(PartitionTables(results, JOURNAL, found), quick.span, pixels=20)
    if quick.bin_width != exact.bin_width:
        pytest.skip("widened beyond the next round bin")
    assert quick.total == exact.total
    if (first, last) != (0.33, 0.34):
        assert quick.drawn == 0
        assert [(c[-1]) for c in cells(quick)] == [(c[-1]) for c in cells(exact)]


def test_the_fine_bins_are_as_many_as_may_be_remembered() -> None:
    width = levels.fine_width("offset", 10_000_000, 3)
    assert 10_000_000 / width * 3 * 4 <= levels.MAX_CELLS
