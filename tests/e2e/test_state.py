"""The State page in a browser: a registry's journal uploaded, the slider by keyboard, differences, an entity, the drawer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import Seen, open_broken_sample, serious_axe_issues
from tests.workers.whole_house import House

SECONDS = 1000


@pytest.fixture(scope="module")
def report(browser, signed_in: Path, whole_house: House) -> str:  # type: ignore[no-untyped-def]
    """Address of the report of the sample that a registry upgrade broke."""
    window = browser.new_context(storage_state=signed_in)
    address = open_broken_sample(window.new_page(), whole_house)
    window.close()
    return address


ADDRESSES = {
    "state": "state/",
    "rejected": "state/?show=refused",
    "list": "state/?as=list",
    "after-compaction": "state/?view=next",
    "differences": "state/?from=0&to=1000000",
    "compaction": "state/?against=next",
}


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", [*ADDRESSES, "entity"])
def test_a_page_is_sound_wide_and_narrow(
    context: BrowserContext, seen: Seen, report: str, name: str, theme: str
) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.goto(report + ADDRESSES.get(name, "state/?type=version&as=list"))
    if name == "entity":
        page.locator(".state-table th[scope=row] a").last.click()
    page.wait_for_load_state("networkidle")
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert serious_axe_issues(page) == []


def test_the_slider_moves_by_keyboard_and_the_address_follows(
    context: BrowserContext, seen: Seen, report: str
) -> None:
    page = context.new_page()
    page.goto(report + "state/")
    slider = page.locator("#state-at")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("#state-at-number")).to_have_value(slider.get_attribute("min") or "")
    expect(page).to_have_url(re.compile(r"[?&]at=\d+"), timeout=10 * SECONDS)
    expect(page.locator(".state-sentence")).to_contain_text("at offset")
    expect(slider).to_be_focused()
    before = page.url
    page.get_by_role("link", name=re.compile("Next change")).click()
    expect(page.locator(".state-sentence")).to_contain_text("entit")
    page.go_back()
    expect(page).to_have_url(before)


def test_a_record_leads_to_its_entity_and_back(context: BrowserContext, seen: Seen, report: str) -> None:
    page = context.new_page()
    page.goto(report + "state/?type=version&as=list")
    page.locator(".state-table td.number a").last.click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text("What it does to the state")).to_be_visible()
    drawer.locator(".record-did a").last.click()
    expect(page.locator("#entity-title")).to_be_visible()
    expect(page.get_by_role("heading", name="History")).to_be_visible()


def test_a_link_to_a_difference_shows_the_same_to_everybody(
    context: BrowserContext, seen: Seen, report: str
) -> None:
    page: Page = context.new_page()
    page.goto(report + "state/")
    page.get_by_text("Changes between two offsets").click()
    page.locator("#state-from").fill("0")
    page.locator("#state-to").fill("5")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Differences between offset 0 and offset 5")).to_be_visible()
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator("h1")).to_have_text(page.locator("h1").inner_text())


def test_the_tree_is_walked_by_keyboard_and_its_address_shows_the_same(
    context: BrowserContext, seen: Seen, report: str
) -> None:
    page = context.new_page()
    page.goto(report + "state/?open=[]")
    tree = page.locator("#entity-tree")
    trees = tree.locator("> li > .tree-row > .tree-toggle")
    trees.first.focus()
    page.keyboard.press("ArrowDown")
    expect(trees.nth(1)).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(trees.first).to_have_attribute("aria-expanded", "true")
    inside = tree.locator("> li").first.locator("> ul > li")
    expect(inside.first).to_be_visible()
    page.keyboard.press("ArrowRight")
    branch = inside.first.locator(".tree-toggle").first
    expect(branch).to_be_focused()
    page.keyboard.press(" ")
    below = inside.first.locator("> ul > li").first
    expect(below).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]open=[^&]+%2F"))
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator("#entity-tree")).to_have_text(re.sub(r"\s+", " ", tree.inner_text()))
    page.keyboard.press("ArrowLeft")
    expect(below).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(trees.first).to_be_focused()


def test_another_offset_keeps_open_what_stood_open(context: BrowserContext, seen: Seen, report: str) -> None:
    page = context.new_page()
    page.goto(report + "state/?open=[]")
    toggle = page.locator(".tree-toggle").first
    toggle.click()
    expect(toggle).to_have_attribute("aria-expanded", "true")
    page.get_by_role("link", name=re.compile("Previous change")).click()
    page.wait_for_load_state()
    expect(page.locator(".tree-toggle[aria-expanded=true]").first).to_be_visible()
    assert page.locator(".tree-toggle[aria-expanded=true]").count() == 1
    page.locator("#state-at").focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("open="))


PHONE = (
    "keys/", "timeline/", "timeline/?x=time", "state/", "state/?show=refused", "state/?from=0&to=1000000", "state/?as=list",
    "transactions/", "log/", "files/", "compare/",
)  # fmt: skip


@pytest.mark.parametrize("address", PHONE)
def test_no_page_scrolls_sideways_on_a_phone(
    context: BrowserContext, seen: Seen, report: str, address: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(report + address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_first_entity_stands_near_the_top(context: BrowserContext, seen: Seen, report: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(report + "state/")
    first = page.locator("#entity-tree a.mono").first.bounding_box()
    slider = page.locator("#state-at").bounding_box()
    assert first
    assert slider
    assert first["y"] <= 360
    assert slider["x"] > first["x"] + first["width"], "the slider is beside the tree"


def test_differences_have_headings_and_drawn_marks(context: BrowserContext, seen: Seen, report: str) -> None:
    page = context.new_page()
    page.goto(report + "state/?from=0&to=1000000")
    heading = page.locator(".group-row").first
    expect(heading).to_contain_text(re.compile("^ ?(Removed|Changed|Added): "))
    mark = heading.locator("svg").bounding_box()
    assert mark
    assert mark["width"] == 14


def test_keys_are_ordered_named_and_lead_to_a_life_and_an_entity(
    context: BrowserContext, seen: Seen, report: str
) -> None:
    page = context.new_page()
    page.goto(report + "keys/")
    page.get_by_role("link", name="Most changed").click()
    row = page.locator(".keys-table tbody tr").first.bounding_box()
    assert row
    assert row["height"] <= 28
    page.goto(report + "keys/?type=Artifact")
    page.locator(".keys-table .key-name").first.click()
    expect(page.locator("#key-title")).to_contain_text("Artifact ")
    page.get_by_role("link", name=re.compile("^Open ")).first.click()
    expect(page.locator("#entity-title")).to_be_visible()
