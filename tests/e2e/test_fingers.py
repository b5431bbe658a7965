"""Figures and links under a finger: flags, bars and rings of several records open what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.looking import open_broken_sample
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}
CUT = """() => {
  const end = document.querySelector("[data-timeline-axis]").getBoundingClientRect().top;
  return [...document.querySelectorAll("[data-timeline-names] .is-lane")].map(lane => lane.getBoundingClientRect())
    .filter(lane => lane.top < end - 1 && lane.bottom > end + 1).length;
}"""
GAP = """heading => {
  const [name, count] = [".lane-name", ".lane-count"].map(one => heading.querySelector(one).getBoundingClientRect());
  return count.left + 4 - (name.right - 4);
}"""

IN_THE_MIDDLE = """() => {
  const marks = document.getElementById("timeline")._fullData
    .filter(trace => trace.type === "scatter" && trace.yaxis === "y" && trace.customdata?.[0]?.length === 2 && typeof trace.customdata[0][0] === "number")
    .flatMap(trace => Array.from(trace.customdata, ([offset], number) => ({ offset, y: trace.y[number] })));
  const lanes = Object.values(Object.groupBy(marks, mark => mark.y)).sort((a, b) => b.length - a.length);
  const offsets = lanes[0].map(mark => mark.offset).sort((a, b) => a - b);
  return offsets[Math.floor(offsets.length / 2)];
}"""


@pytest.fixture
def lanes(browser: Browser, signed_in: Path, whole_house: House) -> Iterator[Page]:
    """The Timeline of a journal with a critical finding."""
    window = browser.new_context(storage_state=signed_in, viewport=PHONE, has_touch=True, is_mobile=True)  # type: ignore[arg-type]
    page = window.new_page()
    page.goto(f"{open_broken_sample(page, whole_house)}timeline/")
    expect(page.locator("#timeline .xy .point").first).to_be_attached(timeout=20_000)
    yield page
    window.close()


def tap(page: Page, mark: Locator) -> None:
    expect(mark).to_be_visible(timeout=20_000)
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_flag_opens_the_record_of_its_finding(lanes: Page) -> None:
    tap(lanes, lanes.locator("#timeline .annotation-text").filter(has_text="⬢").first)
    expect(lanes.locator(".record-drawer.show")).to_be_visible()
    assert lanes.locator("#timeline .hoverlayer .hovertext").count() == 0


def test_a_bar_shows_its_bin(lanes: Page) -> None:
    tap(lanes, lanes.locator("#timeline .xy2 .barlayer .point").first)
    expect(lanes).to_have_url(re.compile("from=.*to="))


def test_beside_a_bar_a_finger_means_the_nearest_one(lanes: Page) -> None:
    bar = lanes.locator("#timeline .xy2 .barlayer .point").first
    expect(bar).to_be_visible(timeout=20_000)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box
    lanes.touchscreen.tap(box["x"] - 4, box["y"] + box["height"] / 2)
    expect(lanes).to_have_url(re.compile("from=.*to="))


def test_the_open_record_is_named_also_where_marks_are_close(lanes: Page) -> None:
    lanes.goto(f"{lanes.url}?lanes=type")
    expect(lanes.locator("#timeline .xy .point").first).to_be_attached(timeout=20_000)
    offset = int(lanes.evaluate(IN_THE_MIDDLE))
    lanes.goto(f"{lanes.url}&record={offset}")
    named = lanes.locator("#timeline text").filter(has_text=f"{offset} selected").first
    expect(named).to_be_attached(timeout=20_000)


def test_a_lane_of_one_record_says_so(lanes: Page) -> None:
    names = lanes.locator(".lane-walk").all_text_contents()
    assert names
    assert not [name for name in names if re.search(r"\b1 records", name)]


def test_a_ring_of_several_records_offers_them(lanes: Page) -> None:
    lanes.goto(f"{lanes.url}?lanes=type")
    number = lanes.locator("#timeline .annotation-text").filter(has_text=re.compile(r"^\d+$")).first
    expect(number).to_be_visible(timeout=20_000)
    records = int(number.text_content() or 0)
    tap(lanes, number)
    choices = lanes.get_by_role("dialog", name="Records at this point").get_by_role("button")
    expect(choices).to_have_count(records)
    choices.last.tap()
    expect(lanes.locator(".record-drawer.show")).to_be_visible()


def test_the_last_lane_in_sight_is_whole_and_headings_keep_their_counts_apart(lanes: Page) -> None:
    assert lanes.evaluate(CUT) == 0
    for heading in lanes.locator(".is-heading:has(.lane-count)").all():
        assert heading.evaluate(GAP) >= 4


def test_the_help_of_the_filter_is_as_large_as_a_finger(lanes: Page) -> None:
    reached = """help => {
      const { left, top, width, height } = help.getBoundingClientRect();
      const middle = [left + width / 2, top + height / 2];
      return [[0, -21], [0, 21], [-21, 0], [21, 0]].every(([x, y]) => document.elementFromPoint(middle[0] + x, middle[1] + y) === help);
    }"""
    assert lanes.locator(".filter-help").evaluate(reached)


def test_links_of_victims_and_offsets_are_as_high_as_a_finger(lanes: Page) -> None:
    lanes.goto(lanes.url.replace("timeline/", ""))
    low = """links => links.map(link => Math.round(link.getBoundingClientRect().height)).filter(pixels => pixels > 0 && pixels < 40)"""
    links = lanes.locator(".victims a, .incident-replay a, .incident-plan li a")
    expect(links.first).to_be_visible()
    assert links.evaluate_all(low) == []
