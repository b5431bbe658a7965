"""The clock goes back on an axis of times: a band, an arrow, words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.charts import timeline
from webapp.reports.charts.answer import answer_of
from webapp.reports.charts.jumps import how_long
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("duration_ms", "words"),
    [
        (40, "40 ms"),
        (1_250, "1.250 s"),
        (302_000, "5 min 2 s"),
        (3 * DAY_MS, "3 d"),
        (3 * DAY_MS - 40_000, "3 d"),
        (DAY_MS + 5_400_000, "1 d 2 h"),
        (5_400_000, "1 h 30 min"),
    ],
)
def test_durations_have_two_units_at_most(duration_ms: int, words: str) -> None:
    assert how_long(duration_ms) == words


def drawn(folder: Path, axis: Any, **more: Any) -> tuple[TimelineAnswer, go.Figure, dict[str, Any]]:
    start = 1_700_000_000_000
    rows = [{"timestamp_ms": start + n * DAY_MS} for n in (0, 5, 9, 6, 10)]
    with open_results(write_results(folder, records=records_table(*rows))) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], axis)
        assert span
        answer = draw(
            PartitionTables(results, JOURNAL, found),
            read_report(results.document),
            TimelineRequest(span, **more),
        )
        beside = answer_of(answer.picture, answer.notes, span, whole_bars(results.of(JOURNAL), span))
        return answer, timeline.figure(answer.picture, "light"), beside


def test_the_time_that_passes_twice_is_a_band_with_an_arrow_back(tmp_path: Path) -> None:
    answer, figure, beside = drawn(tmp_path, "time")
    (jump,) = answer.picture.jumps
    band, line = [shape for shape in figure.layout.shapes if shape.name == "jump"]
    assert (band.x0, band.x1) == (jump.after_ms, jump.before_ms)
    assert line.x0 == line.x1 == jump.before_ms
    notes = [note for note in figure.layout.annotations if note.name == "jump"]
    assert (notes[0].ax, notes[0].x) == (jump.before_ms, jump.after_ms)
    assert notes[1].text == "clock went back 3 d at offset 3"
    assert "clock went back 3 d at offset 3" in [event["words"] for event in beside["events"]]
    assert [row["records"] for row in beside["rows"] if row["kind"] == "clock"] == [1]


@pytest.mark.parametrize("names_above", [False, True], ids=["beside", "above"])
def test_the_rows_of_the_names_stay_as_high_as_the_plot(tmp_path: Path, names_above: bool) -> None:
    answer, figure, beside = drawn(tmp_path, "time", names_above=names_above)
    height = sum(row["heightPixels"] for row in beside["rows"])
    assert figure.layout.height - figure.layout.margin.b == height
    assert answer.picture.frame.has_clock


def test_a_local_clock_moves_the_band_too(tmp_path: Path) -> None:
    answer, figure, _ = drawn(tmp_path, "time", zone="Asia/Kolkata")
    band = next(shape for shape in figure.layout.shapes if shape.name == "jump")
    assert band.x0 == answer.picture.jumps[0].after_ms + 19_800_000


def test_an_axis_of_offsets_has_no_row_of_the_clock(tmp_path: Path) -> None:
    _, figure, beside = drawn(tmp_path, "offset")
    assert "clock" not in {row["kind"] for row in beside["rows"]}
    assert not [shape for shape in figure.layout.shapes if shape.name == "jump"]
