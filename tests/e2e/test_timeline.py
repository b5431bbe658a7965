"""The timeline in a real browser: by keyboard from a victim to the proof, and the strip of the whole journal."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.looking import HANGS, axe_issues, becomes_true
from tests.workers.whole_house import House

pytestmark = pytest.mark.e2e
SECONDS = 1000
BESIDE = """document.getElementById("timeline").getBoundingClientRect().right
    <= document.getElementById("record-drawer").getBoundingClientRect().left + 1"""
AXIS = """(({ type, _rangebreaks, range, r2l }) =>
    [type, _rangebreaks.length, range.map((end) => Math.round(r2l(end)))])(document.getElementById("timeline")._fullLayout.xaxis)"""
FOLDED = """(() => {
    const { _fullLayout: { xaxis, shapes }, _fullData } = document.getElementById("timeline");
    const bands = shapes.filter((shape) => shape.name === "fold").map((shape) => [xaxis.d2p(shape.x0), xaxis.d2p(shape.x1)]);
    const lanes = _fullData.filter((trace) => trace.yaxis === "y" && trace.mode?.includes("markers"));
    const marks = lanes.flatMap((trace) => [...trace.x]).filter((x) => x !== null).map((x) => xaxis.d2p(x));
    return { bands, marks, ticks: xaxis.ticktext };
})()"""
SAMPLE = "Sample: an Apicurio journal that lost a content"


@pytest.fixture
def timeline(page: Page) -> Page:
    """The timeline of the broken sample."""
    page.get_by_role("link", name=SAMPLE, exact=True).click()
    page.wait_for_url(re.compile("/report/"), timeout=180 * SECONDS)
    page.get_by_role("link", name="Timeline").first.click()
    expect(page.locator("#timeline .main-svg").first).to_be_visible(timeout=20 * SECONDS)
    expect(page.locator("[data-figure-sentence]")).to_contain_text("drawn")
    return page


def test_victims_are_the_first_lanes_and_have_names_that_people_know(timeline: Page) -> None:
    names = timeline.locator("[data-timeline-names] [data-lane]").evaluate_all(
        "rows => rows.map(row => row.dataset.lane)"
    )
    assert [
        name for name in names[:8] if re.fullmatch(r"Content \d+|Artifact [a-z]+/[a-z.]+", name)
    ] == names[:8]
    figure = timeline.locator("#timeline").bounding_box()
    assert figure
    assert figure["height"] >= 320


def test_the_keyboard_walks_from_a_victim_to_its_proof_and_back(timeline: Page) -> None:
    plot = timeline.locator("[data-timeline-plot]")
    plot.focus()
    spoken = timeline.locator("[data-timeline-spoken]")
    timeline.keyboard.press("ArrowRight")
    expect(spoken).to_contain_text("rejected by the service")
    first = spoken.inner_text()
    timeline.keyboard.press("ArrowDown")
    expect(spoken).not_to_have_text(first)
    timeline.keyboard.press("f")
    expect(spoken).to_contain_text("finding")
    timeline.keyboard.press("Enter")
    expect(timeline.get_by_role("dialog")).to_be_visible(timeout=10 * SECONDS)
    expect(timeline).to_have_url(re.compile("record="))
    expect(timeline.locator("[data-timeline-names] .is-selected")).to_be_visible()
    assert becomes_true(timeline, BESIDE), "the record is beside the figure, not over it"
    assert axe_issues(timeline) == []
    timeline.keyboard.press("Escape")
    expect(plot).to_be_focused()


def test_the_window_follows_the_keys_of_the_strip_and_its_ends(timeline: Page) -> None:
    start = timeline.locator("[data-brush-start]")
    start.focus()
    timeline.keyboard.press("PageUp")
    expect(timeline).to_have_url(re.compile("from="), timeout=10 * SECONDS)
    assert int(start.get_attribute("aria-valuenow") or 0) > int(start.get_attribute("aria-valuemin") or 0)
    timeline.get_by_role("link", name="Show all").click()
    expect(timeline).not_to_have_url(re.compile("from="))


def test_the_legend_hides_a_kind_and_the_address_says_so(timeline: Page) -> None:
    chip = timeline.locator("[data-timeline-legend] button").first
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "false", timeout=10 * SECONDS)
    expect(timeline).to_have_url(re.compile("hide=create"))
    expect(timeline.get_by_role("button", name="Picture", exact=True)).to_have_count(1)


def test_lanes_are_pinned_and_folded_by_hand_and_the_address_says_so(timeline: Page) -> None:
    names = timeline.locator("[data-timeline-names] [data-lane]")
    row = timeline.locator('[data-lane="Artifact"]')
    row.hover()
    row.get_by_role("button", name="Pin above all lanes").click()
    expect(timeline).to_have_url(re.compile("pin=type%3AArtifact"))
    expect(names.first).to_have_attribute("data-lane", "Artifact")
    expect(row.get_by_role("button", name="Unpin")).to_be_focused()
    timeline.get_by_role("button", name="Fold these lanes: By entry type").click()
    expect(timeline.locator('[data-lane="All other lanes"]')).to_be_visible()
    expect(timeline).to_have_url(re.compile("fold=group%3Arest"))
    timeline.reload()
    expect(names.first).to_have_attribute("data-lane", "Artifact")
    timeline.get_by_role("button", name="Unfold: All other lanes").click()
    expect(timeline.locator('[data-lane="Content"]')).to_be_visible()
    assert axe_issues(timeline) == []


def test_an_entity_is_pinned_by_its_id(timeline: Page) -> None:
    timeline.get_by_label("Pin an entity: its type and id, or its id").fill("content 3")
    timeline.keyboard.press("Enter")
    expect(timeline).to_have_url(re.compile("pin=entity%3Acontent%3A3"))
    expect(timeline.locator('[data-lane="Content 3"]')).to_be_visible(timeout=10 * SECONDS)


def test_local_time_is_remembered_on_all_pages_and_named(
    browser: Browser, signed_in: Path, whole_house: House
) -> None:
    window = browser.new_context(storage_state=signed_in, timezone_id="Asia/Tokyo")
    page = window.new_page()
    page.goto(whole_house.address)
    page.get_by_role("link", name=SAMPLE, exact=True).click()
    page.wait_for_url(re.compile("/report/"), timeout=180 * SECONDS)
    page.get_by_role("link", name="Records", exact=True).first.click()
    time = page.locator("tbody time").first
    utc = time.inner_text()
    page.get_by_role("button", name="Local").click()
    expect(time).not_to_have_text(utc)
    expect(page.get_by_role("columnheader", name="Time (Asia/Tokyo)")).to_be_visible()
    expect(page).to_have_url(re.compile("zone=Asia%2FTokyo"))
    page.get_by_role("link", name="Timeline").first.click()
    expect(page.get_by_role("button", name="Local")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name="Time", exact=True).click()
    expect(page.locator("[data-figure-sentence]")).to_contain_text("UTC+09:00")
    page.get_by_role("button", name="UTC", exact=True).click()
    expect(page.locator("[data-figure-sentence]")).not_to_contain_text("UTC+09:00")
    expect(page).not_to_have_url(re.compile("zone="))
    window.close()


def test_a_time_without_records_is_folded_and_says_how_long_it_is(timeline: Page) -> None:
    timeline.get_by_role("link", name="Time", exact=True).click()
    expect(timeline.locator("[data-figure-sentence]")).to_contain_text("without records folded")
    expect(timeline.locator("#timeline .annotation-text").filter(has_text="no records").first).to_be_visible()
    timeline.locator("[data-timeline-table] summary").click()
    expect(timeline.locator("[data-figure-points]")).to_contain_text("no records")
    axis = timeline.evaluate(AXIS)
    assert axis[0] == "date"
    assert axis[1]
    drawn = timeline.evaluate(FOLDED)
    assert len(drawn["marks"]) > 1
    for low, high in drawn["bands"]:
        assert 20 <= high - low <= 40, "pixels"
        assert not [mark for mark in drawn["marks"] if low <= mark <= high], "a record within a band"
    assert all(before[1] < after[0] for before, after in pairwise(drawn["bands"]))
    dated, date = [], ""
    for text in drawn["ticks"]:
        time, _, day = text.removeprefix("<br>").removeprefix("<br>").partition("<br>")
        date = day or date
        dated.append((date, time))
    assert len(set(dated)) == len(dated), "two ticks of one date read alike"
    plot = timeline.locator("[data-timeline-plot]")
    plot.focus()
    timeline.keyboard.press("ArrowRight")
    expect(timeline.locator("[data-timeline-spoken]")).to_contain_text("offset")
    assert timeline.evaluate(AXIS) == axis, "a selected mark changes neither the folds nor the window"


def test_names_of_lanes_are_whole_or_cut_in_the_middle_and_none_looks_like_another(timeline: Page) -> None:
    names = timeline.locator("[data-timeline-names] [data-lane] .lane-name")
    expect(names.first).to_be_visible()
    texts = names.all_inner_texts()
    assert len(set(texts)) == len(texts)
    assert names.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)")
    assert not any(text.endswith("…") for text in texts)
    for lane in timeline.locator("[data-timeline-names] .lane-walk").all():
        lane.click()
        selected = timeline.locator("[data-timeline-names] .is-selected .lane-name")
        assert selected.evaluate("name => name.scrollWidth <= name.clientWidth + 1"), "selected it is as wide"


def test_the_axis_stays_below_the_lanes_when_a_lane_is_selected(timeline: Page) -> None:
    timeline.set_viewport_size({"width": 1100, "height": 760})
    expect(timeline.locator(".timeline-card")).to_have_class(re.compile("is-long"), timeout=HANGS)
    timeline.locator("[data-timeline-names] .lane-walk").nth(1).click()
    expect(timeline.locator("[data-timeline-names] .is-selected")).to_have_count(1)
    assert becomes_true(timeline, "document.querySelector('#timeline').getBoundingClientRect().height > 0")
    assert timeline.evaluate(IN_SIGHT)


IN_SIGHT = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const [lane, body, head, axis] = ["[data-timeline-names] .is-selected", "[data-timeline-body]", "[data-timeline-head]", "[data-timeline-axis]"].map(box);
    return lane.top >= head.bottom - 1 && lane.bottom <= axis.top + 1 && Math.abs(axis.bottom - body.bottom) < 2;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_more_than_sixteen_lanes_scroll_inside_the_card_and_the_axis_stays(
    timeline: Page, width: int
) -> None:
    timeline.get_by_role("link", name="Key", exact=True).click()
    timeline.set_viewport_size({"width": width, "height": 900})
    expect(timeline.locator(".timeline-card")).to_have_class(re.compile("is-long"), timeout=HANGS)
    body = timeline.locator("[data-timeline-body]")
    assert body.evaluate("body => body.scrollHeight > body.clientHeight && body.clientHeight <= innerHeight")
    expect(timeline.locator("[data-timeline-axis] use")).to_have_count(2)
    timeline.locator("[data-timeline-plot]").focus()
    for _ in range(30):
        timeline.keyboard.press("ArrowDown")
    assert becomes_true(timeline, "document.querySelector('[data-timeline-body]').scrollTop > 0")
    assert timeline.evaluate(IN_SIGHT), "the selected lane is between the rows above the lanes and the axis"
    for _ in range(30):
        timeline.keyboard.press("ArrowUp")
    assert timeline.evaluate(IN_SIGHT)


def test_a_type_opens_into_its_entities_and_the_address_keeps_it(timeline: Page) -> None:
    lanes = timeline.locator("[data-timeline-names] .is-inside")
    button = timeline.get_by_role("button", name=re.compile("^Open into entities: Content$"))
    button.focus()
    timeline.keyboard.press("Enter")
    expect(lanes.first).to_be_visible()
    expect(timeline).to_have_url(re.compile("open=type%3AContent|open=type:Content"))
    timeline.reload()
    expect(lanes.first).to_be_visible()
    timeline.get_by_role("button", name="Close its entities: Content").focus()
    timeline.keyboard.press("Enter")
    expect(lanes).to_have_count(0)


@pytest.mark.parametrize("height", [760, 900])
@pytest.mark.parametrize("axis", ["Offset", "Time"])
def test_the_labels_of_the_axis_are_in_the_window(timeline: Page, height: int, axis: str) -> None:
    """A phone shows five lanes at least instead: tests/e2e/test_phone.py."""
    timeline.set_viewport_size({"width": 1440, "height": height})
    timeline.get_by_role("link", name=axis, exact=True).click()
    expect(timeline.locator("#timeline .main-svg").first).to_be_visible(timeout=20 * SECONDS)
    expect(timeline.locator("[data-figure-sentence]")).to_contain_text("drawn")
    assert becomes_true(timeline, IN_WINDOW)


IN_WINDOW = """(() => {
    const body = document.querySelector("[data-timeline-body]").getBoundingClientRect();
    const labels = [...document.querySelectorAll("#timeline .xaxislayer-above text, [data-timeline-axis] use")];
    return labels.length > 0 && body.bottom <= innerHeight + 1;
})()"""
