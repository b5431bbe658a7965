"""Where the flags of findings are drawn."""

from __future__ import annotations

from pathlib import Path

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.result_folder import incident
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def test_records_of_a_small_figure_without_victims_have_their_rings_on_its_one_lane(tmp_path: Path) -> None:
    with open_results(incident(tmp_path)) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        request = TimelineRequest(span, "victims", compact=True)
        drawn = draw(PartitionTables(results, JOURNAL, found), read_report(results.document), request)
    assert drawn.picture.window.lanes == ["all records"]
    lanes = {flag.offset: flag.y for flag in drawn.picture.flags}
    assert {offset: y for offset, y in lanes.items() if offset in (8, 9, 10)} == {8: 0, 9: 0, 10: 0}
