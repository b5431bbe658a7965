"""Figures by their data. Whether Plotly accepts them is asked in test_plotly_accepts.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import plotly
import plotly.graph_objects as go
import pytest
from django.conf import settings

from tests.webapp.reports.result_folder import incident
from webapp.reports.charts import timeline
from webapp.reports.charts.background import Band, Flag, gap_bands
from webapp.reports.charts.flags import place_flags, plain, row_count
from webapp.reports.charts.marks import jitter
from webapp.reports.picture import TimelineAnswer, TimelineRequest, draw
from webapp.reports.queries.marks import AxisRange, whole_span
from webapp.reports.queries.partitions import survey
from webapp.reports.report import read_report
from webapp.reports.results import PartitionReplica, open_results

JOURNAL = PartitionReplica("journal", 0)


def drawn(
    folder: Path, by: Any = "type", axis: Any = "offset", span: AxisRange | None = None, **more: Any
) -> TimelineAnswer:
    with open_results(incident(folder)) as results:
        found = survey(results)
        chosen = span or whole_span(found.facts[JOURNAL], axis)
        assert chosen
        return draw(
            results, found, read_report(results.document), JOURNAL, TimelineRequest(chosen, by, **more)
        )


def traces(figure: go.Figure, meta: str) -> list[Any]:
    return list(figure.select_traces({"meta": meta}))


def test_each_kind_is_a_trace_of_its_own_marks(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    placed = {trace.meta: trace.x.tolist() for trace in figure.select_traces({"type": "scattergl"})}
    assert placed == {
        "create": [2, 3, 4, 8],
        "update": [7],
        "tombstone": [10, 11],
        "revive": [12],
        "restart": [0, 5, 9],
    }


def test_gaps_are_hatched_and_restarts_dashed(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    (gap,) = traces(figure, "gap")
    assert gap.fillpattern.shape == "/"
    assert list(gap.x[:3]) == [0.5, 0.5, 1.5]
    assert [shape.x0 for shape in figure.layout.shapes if shape.line.dash] == [0, 5, 9]


def test_findings_have_rings_and_flags_and_remarks_only_rings(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path).picture, "light")
    (rings,) = traces(figure, "finding")
    assert sorted(rings["x"]) == [0, 8, 10]
    words = [note.text for note in figure.layout.annotations if note.showarrow]
    assert len(words) == 2
    assert all(text.startswith("⬢") for text in words)


def test_a_hidden_kind_stays_in_the_legend(tmp_path: Path) -> None:
    figure = timeline.figure(drawn(tmp_path, hidden=frozenset({"update"})).picture, "light")
    assert traces(figure, "update")[0]["visible"] == "legendonly"


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


def test_a_mark_keeps_its_place_at_every_zoom() -> None:
    together = jitter(np.arange(100))
    assert together[42] == jitter(np.array([42]))[0]
    assert abs(together).max() <= 0.5


def test_an_unknown_cause_looks_unexplained() -> None:
    (trace,) = gap_bands([Band(0, 1, "who-knows", 1, "")], 0, 1, "light")
    assert trace["name"] == "unexplained"


def test_flags_that_would_cover_each_other_get_rows_and_at_most_three() -> None:
    flags = [Flag(50, 0, 50, "high", f"finding {number}", str(number)) for number in range(5)]
    placed = place_flags(flags, 0, 100)
    assert [flag.row for flag in placed] == [0, 1, 2]
    assert row_count(placed) == 3
    assert row_count([]) == 0


def test_findings_of_one_incident_have_one_flag() -> None:
    flags = [
        Flag(x, 0, x, "high", "A restart emptied 3 content items", str(x), "restart") for x in (20, 50, 80)
    ]
    alone = Flag(90, 0, 90, "high", "A batch is corrupt", "90")
    assert [one.flag.finding for one in place_flags([*flags, alone], 0, 100)] == ["20", "90"]


def test_flags_keep_apart_in_a_small_window_too() -> None:
    """At 768 pixels the plot has some 570: words of 44 characters take more than half of it."""
    flags = [Flag(x, 0, x, "high", "w" * 44, str(x)) for x in (20, 50, 80)]
    assert [flag.row for flag in place_flags(flags, 0, 100)] == [0, 1, 2]


def test_flags_at_an_edge_lean_inwards() -> None:
    flags = [Flag(x, 0, 0, "high", "w" * 40, "f") for x in (0, 50, 100)]
    assert [flag.anchor for flag in place_flags(flags, 0, 100)] == ["left", "center", "right"]


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
