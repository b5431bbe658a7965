"""Figures by their data. Whether Plotly accepts them is asked in test_plotly_accepts.py."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import pytest
from django.conf import settings

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.result_folder import incident
from webapp.reports.charts import axes, timeline
from webapp.reports.charts.background import Flag
from webapp.reports.charts.bars import histogram_title
from webapp.reports.charts.flags import flag_notes, place_flags, short
from webapp.reports.charts.look import plain
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import AxisRange, whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def drawn(
    folder: Path, by: Any = "type", axis: Any = "offset", span: AxisRange | None = None, **more: Any
) -> TimelineAnswer:
    with open_results(incident(folder)) as results:
        found = survey(results)
        chosen = span or whole_span(found.facts[JOURNAL], axis)
        assert chosen
        return draw(
            PartitionTables(results, JOURNAL, found),
            read_report(results.document),
            TimelineRequest(chosen, by, **more),
        )


def traces(figure: go.Figure, meta: str) -> list[Any]:
    return list(figure.select_traces({"meta": meta}))


def test_each_kind_is_a_trace_of_its_own_marks(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    marks = {
        trace.meta: trace.x.tolist()
        for trace in figure.data
        if trace.type == "scatter" and trace.meta not in ("finding", "selected", "gap")
    }
    assert marks == {
        "create": [2, 3, 4, 8, 12],
        "update": [7],
        "tombstone": [10, 11],
        "restart": [0, 5, 9],
    }


def test_restarts_are_dashed_through_all_lanes(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    assert [shape.x0 for shape in figure.layout.shapes if shape.line.dash] == [0, 5, 9]


def test_the_histogram_stacks_by_kind_and_says_its_bin(tmp_path: Path) -> None:
    picture = drawn(tmp_path).picture
    figure = timeline.figure(picture, "light")
    bars = [trace for trace in figure.data if trace.type == "bar" and trace.yaxis == "y2"]
    assert {trace.meta for trace in bars} == {"create", "update", "tombstone", "restart"}
    assert histogram_title(picture.histogram, picture.window) == "bytes per offset"


def test_the_axis_ends_at_real_offsets(tmp_path: Path) -> None:
    axis = timeline.figure(drawn(tmp_path).picture, "light").layout.xaxis
    assert (axis.tickvals[0], axis.tickvals[-1]) == (0, 12)
    assert axis.ticktext[0] == "0"


def test_the_plot_has_at_least_320_pixels(tmp_path: Path) -> None:
    assert drawn(tmp_path).picture.frame.plot_pixels >= 320


def test_findings_have_rings_and_flags_and_remarks_only_rings(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    (rings,) = traces(figure, "finding")
    # one of each record; offset 6 is compacted away: its ring is at the finding's middle
    assert sorted(rings["x"]) == [0, 8, 9, 10]
    words = [note.text for note in figure.layout.annotations if note.showarrow]
    assert len(words) == 2
    assert all(text.startswith("⬢") for text in words)


def test_a_hidden_kind_is_not_drawn(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path, hidden=frozenset({"update"})).picture, "light")
    assert {trace["visible"] for trace in traces(figure, "update")} == {False}


def test_gaps_on_the_time_axis_lie_between_their_neighbours(tmp_path: Path) -> None:
    picture = drawn(tmp_path, axis="time").picture
    times = dict(
        zip(
            picture.window.marks["offset"].tolist(),
            picture.window.marks["timestamp_ms"].tolist(),
            strict=True,
        )
    )
    assert [(band.x0, band.x1) for band in picture.bands] == [(times[0], times[2]), (times[5], times[7])]


def test_names_of_lanes_are_text_and_not_markup() -> None:
    assert plain("<a href=x>&") == "&lt;a href=x&gt;&amp;"


def test_a_pseudonym_in_the_margin_of_a_small_figure_is_not_cut_by_its_edge() -> None:
    digit_pixels = 7.64  # of the page's widest font at 12 pixels, DejaVu Sans
    assert axes.NAMES * digit_pixels < timeline.COMPACT_LEFT_PIXELS


def test_flags_never_cover_each_other_or_a_line_and_the_rest_is_counted() -> None:
    flags = [Flag(50, 0, 50, "high", f"finding {number} of a long list", str(number)) for number in range(6)]
    rows = place_flags(flags, 0, 100, 1000)
    assert len(rows.placed) + rows.more == 6
    assert {one.row for one in rows.placed} == {0, 1}
    assert rows.more >= 2
    assert place_flags([], 0, 100, 1000).more == 0


def test_a_line_goes_down_beside_the_flags_below_it() -> None:
    flags = [Flag(x, 0, x, "high", "w" * 40, str(x)) for x in (0, 17)]
    rows = {one.flag.x: one.row for one in place_flags(flags, 0, 100, 1000).placed}
    assert rows == {0: 1, 17: 0}  # the other way round the line of 17 would cross the words of 0


def test_findings_of_one_incident_have_one_flag() -> None:
    flags = [
        Flag(x, 0, x, "high", "A restart emptied 3 content items", str(x), "restart") for x in (20, 50, 80)
    ]
    alone = Flag(90, 0, 90, "high", "A batch is corrupt", "90")
    assert [one.flag.finding for one in place_flags([*flags, alone], 0, 100, 1000).placed] == ["20", "90"]


def test_a_small_figure_on_a_phone_has_two_rows_of_flags_and_room_for_rings_at_its_ends(
    tmp_path: Path,
) -> None:
    picture = replace(drawn(tmp_path).picture, compact=True, names_above=True, pixels=300)
    (first, last), unit = picture.bounds, picture.pixels_of_unit
    assert (picture.window.span.first - first) * unit >= 9
    assert (last - picture.window.span.last) * unit >= 9
    span = picture.window.span
    flags = [
        Flag(x, 0, x, "high", f"incident number {x} of a long list", str(x)) for x in (span.first, span.last)
    ]
    assert replace(picture, flags=flags).flag_rows.more == 0


def test_flags_at_an_edge_lean_inwards() -> None:
    anchors = [
        place_flags([Flag(x, 0, 0, "high", "w" * 40, "f")], 0, 100, 1000).placed[0].anchor for x in (0, 100)
    ]
    assert anchors == ["left", "right"]


def test_flags_on_a_phone_are_no_wider_than_its_plot() -> None:
    (flag,) = place_flags([Flag(50, 0, 50, "high", "w" * 44, "f")], 0, 100, 180).placed
    assert flag.characters * 6.4 < 180


@pytest.mark.parametrize(
    ("characters", "expected"),
    [(30, "4 artifacts return 404"), (20, "4 artifacts return…"), (3, "4…")],
)
def test_a_flag_that_is_cut_keeps_whole_words(characters: int, expected: str) -> None:
    assert short("4 artifacts return 404", characters) == expected


def test_a_compact_figure_on_a_phone_has_the_names_above_its_lanes(tmp_path: Path) -> None:
    beside = timeline.figure(drawn(tmp_path, compact=True).picture, "light").layout
    above = timeline.figure(drawn(tmp_path, compact=True, names_above=True).picture, "light").layout
    lanes = list(above.yaxis.ticktext)
    assert (beside.yaxis.showticklabels, above.yaxis.showticklabels) == (True, False)
    assert set(lanes) <= {note.text for note in above.annotations}
    assert set(lanes).isdisjoint({note.text for note in beside.annotations})
    assert above.margin.l < beside.margin.l


@pytest.mark.parametrize("x", [0, 40, 55, 100])
def test_a_flag_stays_inside_a_narrow_plot_wherever_its_record_is(x: int) -> None:
    (flag,) = place_flags([Flag(x, 0, x, "high", "w" * 44, "f")], 0, 100, 200).placed
    width = flag.characters * 6.4 + 30
    start = x * 2 + flag.shift - (width if flag.anchor == "right" else 0)
    assert start >= -2
    assert start + width <= 202


def test_words_that_neither_side_has_room_for_lie_across_their_line() -> None:
    (flag,) = place_flags([Flag(52, 0, 52, "high", "w" * 30, "f")], 0, 100, 300).placed
    assert flag.characters >= 30
    assert flag.shift < 0
    line, words = flag_notes([flag], 5, 1, "light")
    assert (line["showarrow"], line["text"], line["x"]) == (True, "", 52)
    assert (words["showarrow"], words["xshift"], words["y"]) == (False, flag.shift, 5.5)
    assert line["name"] == words["name"], "a click on either opens the record"


def test_figures_name_no_bold_text_because_plotly_makes_it_an_inline_style(tmp_path: Path) -> None:
    for trace in timeline.figure(drawn(tmp_path).picture, "light").data:
        assert not re.search(r"<(b|i|em|sub|sup|span)\b", trace.hovertemplate or "")


def test_the_page_holds_every_id_that_plotly_looks_for_before_it_inserts_a_style() -> None:
    root = Path(settings.BASE_DIR)
    bundle = (root / "static/vendor/plotly/plotly-strict.min.js").read_text(errors="replace")
    ours = (root / "templates/reports/parts/figure.html").read_text()
    assert "no-inline-styles" in bundle
    guards = re.findall(
        r'getElementById\("([0-9a-f]{64})"\)\)\{var \w+=document\.createElement\("style"\)', bundle
    )
    assert guards
    assert all(f'id="{guard}"' in ours for guard in guards)


def test_a_misspelt_attribute_is_an_error() -> None:
    with pytest.raises(ValueError, match="fillcolour"):
        go.Scatter(fillcolour="red")


def test_the_package_and_the_script_that_draws_are_of_one_version() -> None:
    script = (Path(settings.BASE_DIR) / "static/vendor/plotly/plotly-strict.min.js").read_text()[:200]
    assert f"v{plotly_js_version()}" in script


def plotly_js_version() -> str:
    """Of the plotly.js that the package's schema describes."""
    text = (Path(plotly.__file__).parent / "package_data/plotly.min.js").read_text()[:200]
    found = re.search(r"plotly\.js v([\d.]+)", text)
    assert found
    return found[1]


@pytest.mark.parametrize("compact", [False, True])
def test_a_small_figure_without_missing_offsets_has_no_row_for_them(tmp_path: Path, compact: bool) -> None:
    broken = drawn(tmp_path, compact=compact).picture
    layouts = [
        timeline.figure(picture, "light").to_dict()["layout"]
        for picture in (broken, replace(broken, missing=None))
    ]
    assert ["yaxis3" in layout for layout in layouts] == [True, not compact]
    assert layouts[0]["height"] - layouts[1]["height"] == (26 if compact else 0)
