"""A dump before and one after compaction, of a real registry: the record that compaction removed is drawn on its content's lane."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.stages.older import OlderDump
from spark.tables.replica import PartitionReplica
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on
from webapp.reports.charts import timeline
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
JOURNAL = PartitionReplica("kafkasql-journal", 0)


def test_the_text_of_a_lost_content_is_drawn_hollow_where_the_older_dump_has_it(tmp_path: Path) -> None:
    parts = ["kafkasql-journal-0"]
    report_on(files_of(CORPUS / "apicurio-real/incident-a-1-at-risk", parts), tmp_path / "older")
    limits = Limits(older=[OlderDump("morning.zip", tmp_path / "older")])
    newer = files_of(CORPUS / "apicurio-real/incident-a-2-lost", parts)
    inspect(in_process, newer, tmp_path / "newer", NoProgress(), limits)  # type: ignore[arg-type]
    with open_results(tmp_path / "newer") as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        request = TimelineRequest(span, "entity")
        picture = draw(
            PartitionTables(results, JOURNAL, found), read_report(results.document), request
        ).picture
    assert [(one.offset, one.lane, one.dump) for one in picture.others] == [(15, "Content 4", "morning.zip")]
    (hollow,) = timeline.figure(picture, "light").select_traces({"meta": "other-dump"})
    assert (list(hollow.x), hollow.marker.symbol) == ([15], "circle-open")
    assert picture.missing is not None
    assert picture.missing.total == 22  # the same offset stays missing in this dump
