"""What the page's scripts do with a figure: the strip of the whole journal, and clicks on marks and rings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STATIC = Path(settings.BASE_DIR) / "static"
STRIP = """<!doctype html><div data-brush><svg><g data-brush-bars></g></svg>
    <span data-brush-first></span><span data-brush-last></span>
    <i data-brush-middle></i><i data-brush-start></i><i data-brush-stop></i></div>"""
FIGURE = """<!doctype html><div id=timeline data-record-url="/records/0/" style="width: 600px"></div>"""
CLICK = """async ([curve, number]) => {
    const opened = [];
    window.openRecord = (url) => opened.push(url);
    window.chooseRecord = (records) => opened.push(records.map((one) => one.offset));
    const element = document.getElementById("timeline");
    const { x, y, customdata } = element.data[curve];
    const point = { curveNumber: curve, pointNumber: number, x: x[number], y: y[number], customdata: customdata[number] };
    element.emit("plotly_click", { points: [{ ...point, data: element.data[curve] }] });
    await new Promise((done) => setTimeout(done, 400));
    return opened;
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def add_script(page: Page, name: str) -> None:
    page.add_script_tag(path=STATIC / name)


def test_the_strip_draws_its_last_bar_and_start_mark_inside(page: Page) -> None:
    page.set_content(STRIP)
    add_script(page, "js/timeline-brush.js")
    bars = {"starts": [0, 1, 2, 3], "records": [1, 1, 1, 1], "width": 1, "restarts": [0, 3]}
    answer = {"whole": [0, 3], "window": [0, 3], "bars": bars, "events": [{"what": "finding", "x": 3}]}
    ends = page.evaluate(
        """(answer) => {
            window.timelineBrush(() => {})(answer, String);
            return [...document.querySelectorAll("[data-brush-bars] rect")].map(({ x, width }) =>
                [x.baseVal.value, x.baseVal.value + width.baseVal.value]);
        }""",
        answer,
    )
    assert len(ends) == 7
    assert min(low for low, _ in ends) >= 0
    assert max(high for _, high in ends) < 1000.1


def clicked(page: Page, xs: list[float], proofs: list[int], number: int) -> Any:
    """What opens at a click on a mark; its offset is its number. `proofs`: records with a finding, in one ring. One unit of
    the axis is one pixel."""
    page.set_content(FIGURE)
    add_script(page, "vendor/plotly/plotly-strict.min.js")
    add_script(page, "js/report-figure.js")
    marks = {"x": xs, "y": [0] * len(xs), "customdata": [[offset, 1] for offset in range(len(xs))]}
    rings = {
        "x": [xs[offset] for offset in proofs],
        "y": [0] * len(proofs),
        "customdata": [[offset, "finding", 0, ""] for offset in proofs],
        "meta": "finding",
    }
    layout = {"width": 600, "margin": {"l": 50, "r": 50}, "xaxis": {"range": [0, 500]}}
    figure = {"data": [{"type": "scatter", "mode": "markers"} | each for each in (marks, rings)]}
    page.evaluate(
        "(answer) => window.reportFigure.draw(document.getElementById('timeline'), answer)",
        {"figure": figure | {"layout": layout}},
    )
    return page.evaluate(CLICK, [0, number])


def test_a_click_in_a_ring_opens_the_record_of_its_finding(page: Page) -> None:
    assert clicked(page, [100, 102, 104], [1], 2) == ["/records/1/"]
    assert clicked(page, [100, 102, 104, 106], [1, 2], 3) == [[1, 2]], "of several a list"


def test_a_mark_that_is_told_apart_from_the_ring_opens_itself(page: Page) -> None:
    assert clicked(page, [100, 106], [0], 1) == ["/records/1/"]
    assert clicked(page, [100, 102, 104, 106, 108, 110], [0], 5) == ["/records/5/"]


SELECTION = """async (note) => {
    window.timelineLanes = { bring() {} };
    const element = document.getElementById("timeline");
    await Plotly.newPlot(element,
        [{ x: [250], y: [0] }, { x: [null], y: [null], text: [""], mode: "markers+text", meta: "selected" }],
        { width: 600, margin: { l: 50, r: 50 }, xaxis: { range: [0, 500] }, annotations: note ? [note] : [], meta: { selected: "#eee" } });
    const walk = window.timelineWalk(element, { zoom() {}, reset() {}, page: {} });
    walk.shown({ points: [{ x: 250, offset: 59, lane: "a", words: "" }], rows: [], yOfLane: { a: 0 }, events: [], window: [0, 500] });
    walk.selectOffset(59);
    return [element.data[1].text[0].trim(), element.data[1].textposition,
        element.layout.annotations.filter((one) => one.name === "selected").map((one) => one.text)];
}"""


@pytest.mark.parametrize(
    ("anchor", "shift", "side"), [(None, 0, "right"), ("left", 10, "left"), ("right", -10, "right")]
)
def test_the_words_of_a_selected_mark_keep_clear_of_the_number_of_its_pile(
    page: Page, anchor: str | None, shift: int, side: str
) -> None:
    page.set_content(f"{FIGURE}<div data-timeline-plot></div><p data-timeline-spoken></p>")
    add_script(page, "vendor/plotly/plotly-strict.min.js")
    add_script(page, "js/timeline-walk.js")
    note = {"name": "pile 240 250", "text": "12", "x": 250, "y": 0, "xanchor": anchor, "xshift": shift}
    found = page.evaluate(SELECTION, note | {"showarrow": False} if anchor else None)
    assert found == ["59 selected", f"middle {side}", []]


NAMES = """(ids) => {
    window.reportFigure = { kindIcon: () => document.createElement("svg") };
    const rows = ids.map((id) => ({ kind: "lane", name: id.split(":").slice(1).join(" "), id, records: 1, isVictim: true, heightPixels: 22 }));
    window.timelineBeside.names(rows, {});
    return [...document.querySelectorAll(".lane-name")].map((name) => [name.textContent, name.title]);
}"""


@pytest.mark.parametrize(("pixels", "type_word"), [(900, "Artifact "), (280, "")])
def test_lanes_of_entities_leave_out_their_type_where_one_of_that_type_has_no_room_for_it(
    page: Page, pixels: int, type_word: str
) -> None:
    page.set_content(
        f"<!doctype html><div data-timeline-names style='width: {pixels}px; font: 13px sans-serif'></div>"
        "<style>.lane-ruler { position: absolute; white-space: pre }</style>"
    )
    add_script(page, "js/timeline-beside.js")
    long = "default/com.example.AvroBeanExample-value"
    ids = ["entity:Content:48", f"entity:Artifact:{long}", "entity:Artifact:short-lived/s1"]
    names = page.evaluate(NAMES, ids)
    assert [title for _, title in names] == ["Content 48", f"Artifact {long}", "Artifact short-lived/s1"]
    assert [text for text, _ in names][::2] == ["Content 48", f"{type_word}short-lived/s1"]
    assert names[1][0].startswith(f"{type_word}default/")
