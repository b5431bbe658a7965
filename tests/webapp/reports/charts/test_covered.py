"""What a browser draws of a timeline: nothing covers marks, lines of start marks or rings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.charts.test_plotly_accepts import unpacked
from tests.webapp.reports.result_folder import finding, incident, report_document, write_results
from webapp.reports.charts import timeline
from webapp.reports.charts.rings import LINE_PIXELS
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
PHONE_PIXELS = 290
DRAWN = """async ([figure, width]) => {
    await Plotly.newPlot("figure", figure.data, { ...figure.layout, width });
    const all = (selector) => [...document.querySelectorAll(`#figure ${selector}`)];
    const box = (node) => (({ left, right, top, bottom }) => ({ left, right, top, bottom }))(node.getBoundingClientRect());
    const isAfter = (path, other) => Boolean(other.compareDocumentPosition(path) & Node.DOCUMENT_POSITION_FOLLOWING);
    const dashed = all(".shapelayer path").filter((path) => path.style.strokeDasharray);
    return {
        startLines: dashed.map((path) => all(".subplot.xy .xgrid").every((line) => isAfter(path, line))),
        marks: all(".scatterlayer .points path").map(box),
        axis: box(all(".subplot.xy .xlines-above")[0]).top,
        words: Object.fromEntries(all(".annotation-text").map((text) => [text.textContent, box(text)])),
    };
}"""


def drawn(plotly: Any, folder: Path, pixels: int = 1000, **more: Any) -> dict[str, Any]:
    with open_results(folder) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        request = TimelineRequest(span, pixels=pixels, **more)
        picture = draw(
            PartitionTables(results, JOURNAL, found), read_report(results.document), request
        ).picture
    figure = timeline.figure(picture, "light").to_dict()
    margin = figure["layout"]["margin"]
    result: dict[str, Any] = plotly.evaluate(DRAWN, [unpacked(figure), pixels + margin["l"] + margin["r"]])
    return result


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    )


@pytest.fixture
def several_proofs(tmp_path: Path) -> Path:
    """30 records, of which those in the middle prove a finding."""
    records = records_table(*({"offset": offset, "key": b"%d" % offset} for offset in range(30)))
    proven = finding(
        "proven",
        first_offset=15,
        last_offset=18,
        evidence=[15, 16, 17, 18],
        title="Consumers of replicated-0 get different records",
    )
    return write_results(tmp_path, report_document(findings=[proven]), records=records)


@pytest.mark.parametrize("compact", [False, True], ids=["timeline", "compact"])
def test_lines_of_start_marks_are_over_the_grid(plotly: Any, tmp_path: Path, compact: bool) -> None:
    assert drawn(plotly, incident(tmp_path), compact=compact)["startLines"] == [True, True, True]


def test_the_words_of_a_flag_and_the_number_of_a_ring_cover_no_mark(
    plotly: Any, several_proofs: Path
) -> None:
    figure = drawn(plotly, several_proofs, PHONE_PIXELS, names_above=True)
    assert len(figure["marks"]) == 30 + 4, "and a ring for each proof"
    number, flag = figure["words"]["4"], next(box for text, box in figure["words"].items() if "⬢" in text)
    marks = [mark for mark in figure["marks"] if mark["right"] - mark["left"] < 12]
    assert not any(meet(words, mark) for words in (number, flag) for mark in marks)
    assert flag["right"] - flag["left"] > PHONE_PIXELS / 3


def test_rings_of_the_lowest_narrow_lane_are_above_the_axis(plotly: Any, tmp_path: Path) -> None:
    rows = ({"offset": offset, "key": b"a", "entry_type": f"type {offset}"} for offset in range(9))
    proven = [finding(f"at {n}", first_offset=n, last_offset=n, evidence=[n]) for n in range(9)]
    folder = write_results(tmp_path, report_document(findings=proven), records=records_table(*rows))
    figure = drawn(plotly, folder, compact=True)
    lowest = max(mark["bottom"] for mark in figure["marks"])
    assert lowest + LINE_PIXELS / 2 <= figure["axis"]
