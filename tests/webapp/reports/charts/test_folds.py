"""A time axis with folded spans: bands with words, ticks with dates, rows for keyboard and table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.charts import timeline
from webapp.reports.charts.answer import answer_of
from webapp.reports.charts.clock import Clock
from webapp.reports.charts.folds import fold_notes, fold_words, lines_below, time_ticks
from webapp.reports.picture import TimelineRequest, draw, draw_partitions
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import AxisRange, whole_span
from webapp.reports.queries.timeline.folds import Fold, Scale, breaks_of_whole
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
START = 1_700_000_000_000  # 2023-11-14 22:13:20
DAY_MS = 86_400_000
LATER = START + 3 * DAY_MS
TIMES = [*(START + n * 100 for n in range(20)), *(LATER + n * 100 for n in range(20))]


def drawn(
    folder: Path, axis: Any, is_partial: bool = False, times: Sequence[int] = TIMES
) -> tuple[go.Figure, dict[str, Any]]:
    rows = [{"timestamp_ms": time} for time in times]
    with open_results(write_results(folder, records=records_table(*rows))) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], axis)
        assert span
        partition = PartitionTables(results, JOURNAL, found)
        answer = draw(partition, read_report(results.document), TimelineRequest(span, is_partial=is_partial))
        breaks = breaks_of_whole([partition], span, 1000)
        bars = whole_bars(results.of(JOURNAL), span, breaks)
        beside = answer_of(answer.picture, answer.notes, span, bars)
        return timeline.figure(answer.picture, "light"), beside


def test_an_empty_span_is_a_band_that_says_how_long_it_is(tmp_path: Path) -> None:
    figure, beside = drawn(tmp_path, "time")
    (band,) = [shape for shape in figure.layout.shapes if shape.name == "fold"]
    assert TIMES[19] < band.x0 < band.x1 < LATER
    (note,) = [note for note in figure.layout.annotations if note.name == "fold"]
    assert note.text == "3 d, no records"
    (left_out,) = figure.layout.xaxis.rangebreaks
    assert band.x0 < left_out.bounds[0] < left_out.bounds[1] < band.x1
    assert "1 span without records folded" in beside["sentence"]
    assert [event["what"] for event in beside["events"]] == ["fold"]


def test_where_records_are_left_out_a_band_speaks_of_the_others_alone(tmp_path: Path) -> None:
    figure, beside = drawn(tmp_path, "time", is_partial=True)
    (note,) = [note for note in figure.layout.annotations if note.name == "fold"]
    assert note.text == "3 d, no records in this view"
    assert note.hovertext.endswith(": no record in this view")
    assert "1 span without records in this view folded" in beside["sentence"]


@pytest.mark.parametrize(("is_covered", "above", "y"), [(False, 50, 1), (True, 50, 0), (True, 128, 1)])
def test_the_words_of_a_band_make_room_for_a_flag(is_covered: bool, above: int, y: int) -> None:
    fold = Fold(TIMES[19], LATER)
    scale = Scale(START, LATER, 1000, (fold,))
    (note,) = fold_notes(scale, Clock(), "light", False, [fold] if is_covered else [], above)
    assert (note["y"], note["yanchor"]) == (y, "top" if y else "bottom")


def test_the_number_of_the_last_records_is_in_the_margin_behind_them(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "time", times=[*TIMES[:20], LATER, LATER, LATER])
    (number,) = [note for note in figure.layout.annotations if note.text == "3"]
    assert (number.x, number.xanchor) == (LATER, "left")


def test_the_strip_of_the_whole_leaves_out_the_same_spans(tmp_path: Path) -> None:
    _, beside = drawn(tmp_path, "time")
    ((low, high),) = beside["bars"]["breaks"]
    assert TIMES[19] < low < high < LATER
    assert beside["bars"]["width"] < 1000  # ms: as wide as what is drawn asks for
    assert len(beside["bars"]["starts"]) >= 20
    assert drawn(tmp_path, "offset")[1]["bars"]["breaks"] == []


def test_bins_are_as_wide_as_what_is_drawn_asks_for(tmp_path: Path) -> None:
    _, beside = drawn(tmp_path, "time")
    assert [row["name"] for row in beside["rows"] if row["kind"] == "histogram"] == ["bytes per 50 ms"]


def test_both_sides_of_a_fold_have_a_tick_with_its_date(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "time")
    texts = figure.layout.xaxis.ticktext
    assert any("2023-11-14" in text for text in texts)
    assert any("2023-11-17" in text for text in texts)


def test_an_axis_of_offsets_folds_nothing(tmp_path: Path) -> None:
    figure, beside = drawn(tmp_path, "offset")
    assert not figure.layout.xaxis.rangebreaks
    assert "folded" not in beside["sentence"]


def test_only_a_span_that_is_empty_in_all_partitions_folds(tmp_path: Path) -> None:
    rows = [{"timestamp_ms": time} for time in TIMES]
    other = [{"timestamp_ms": START + n * DAY_MS, "partition": 1} for n in range(4)]
    with open_results(write_results(tmp_path, records=records_table(*rows, *other))) as results:
        found = survey(results)
        partitions = [PartitionTables(results, replica, found) for replica in found.replicas]
        span = AxisRange("time", START, TIMES[-1])
        answer = draw_partitions(
            partitions, 0, read_report(results.document), TimelineRequest(span, "partition")
        )
        assert [fold.length // DAY_MS for fold in answer.picture.folds] == [0, 1, 1]


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (3 * DAY_MS, "3 d"),
        (3 * DAY_MS - 40_000, "3 d"),
        (26_997, "27 s"),
        (59_999, "60 s"),
        (9_203, "9.2 s"),
        (999, "999 ms"),
    ],
)
def test_a_fold_is_named_by_its_length(length: int, words: str) -> None:
    assert fold_words(Fold(START, START + length)) == f"{words}, no records"


def test_ticks_follow_the_clock_of_the_page() -> None:
    scale = Scale(START, LATER + 2000, 1000, (Fold(START + 2000, LATER),))
    ticks = time_ticks(scale, Clock(3_600_000))
    assert ticks["ticktext"][0] == "23:13:20.000<br>2023-11-14"
    assert ticks["tickvals"][0] == START + 3_600_000


def test_a_part_without_room_for_a_tick_has_it_in_a_second_line() -> None:
    pause = Fold(START + 20_000, START + 50_000)
    scale = Scale(START, START + 50_200, 1000, (pause, Fold(START + 50_100, START + 50_150)))
    ticks = dict(zip(*time_ticks(scale, Clock(0)).values(), strict=True))
    assert [text for text in ticks.values() if text.startswith("<br>")] == ["<br>22:14:10.000"]
    assert len(set(ticks.values())) == len(ticks), "times of one second have their milliseconds"


def test_a_part_between_two_dates_has_its_tick_in_a_third_line() -> None:
    folds = (Fold(START + 33_000, START + 60_000), Fold(START + 60_100, LATER))
    scale = Scale(START, LATER + 1_500, 1000, folds)
    ticks = time_ticks(scale, Clock())
    times = [int(time) for time in ticks["tickvals"]]
    assert any(START + 60_000 <= time <= START + 60_100 for time in times), "each part has a tick"
    assert lines_below(ticks) == 1


def test_a_narrow_plot_has_a_tick_in_each_part_that_has_room_for_one() -> None:
    """As on a phone: parts of 190, 40 and 40 pixels."""
    parts = ((0, 21_000), (30_000, 31_500), (63_000, 64_000))
    folds = tuple(Fold(START + end, START + begin) for (_, end), (begin, _) in pairwise(parts))
    scale = Scale(START, START + 64_000, 300, folds)
    words = [text.replace("<br>", " ").strip() for text in time_ticks(scale, Clock())["ticktext"]]
    assert words[0] == "22:13:20 2023-11-14"
    assert len(words) >= 4
    assert lines_below(time_ticks(scale, Clock())) == 0, "the third line is the title's"
    assert not any("." in text for text in words), "seconds are exact enough"


def test_an_axis_of_a_few_seconds_has_milliseconds_and_dates_as_elsewhere(tmp_path: Path) -> None:
    rows = [{"timestamp_ms": START + n * 20} for n in range(10)]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        span = AxisRange("time", START, START + 180)
        partition = PartitionTables(results, JOURNAL, survey(results))
        answer = draw(partition, read_report(results.document), TimelineRequest(span))
        axis = timeline.figure(answer.picture, "light").layout.xaxis
    assert axis.ticktext[:2] == ("22:13:20.000<br>2023-11-14", "22:13:20.020")
    assert not axis.rangebreaks
