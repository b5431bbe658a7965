"""Review in a browser: more than twenty findings of one dump, worked off by keyboard alone; a second run keeps the verdicts.

With E2E_PICTURES=folder a picture of each page is left there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, Seen, serious_axe_issues
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House

SECONDS = 1000
PARTITIONS = 20  # each lost a content; that a registry's journal has several is one finding more
DUMP = "review-me.json"


def broken_dump() -> bytes:
    """A registry's journal in partitions, each with an incident of its own."""
    lines = []
    for partition in range(PARTITIONS):
        printed = kcat_base64(incident(5 + partition, "lost")).splitlines()
        lines += [orjson.dumps(orjson.loads(line) | {"partition": partition}) for line in printed]
    return b"\n".join(lines) + b"\n"


def is_sound(page: Page, name: str) -> None:
    """In both themes, wide and narrow: no sideways scroll, nothing that axe calls serious."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        for width in (1280, 768):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            if folder := os.environ.get("E2E_PICTURES"):
                page.screenshot(path=Path(folder) / f"{name}-{theme}-{width}.png", full_page=True)
        assert serious_axe_issues(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.fixture(scope="module")
def journal(
    browser: Any, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Address of the queue for the uploaded journal alone: the samples have findings, too."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    dump = tmp_path_factory.mktemp("dumps") / DUMP
    dump.write_bytes(broken_dump())
    page.goto(whole_house.address)
    page.set_input_files("#pick-files", [str(dump)])
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    page.goto(f"{whole_house.address}/review/?q=review-me")
    row = page.locator(".review-row").first
    expect(row).to_be_visible(timeout=30 * SECONDS)
    address: str = row.get_by_role("link", name="review-me").evaluate("link => link.href")
    window.close()
    return address


def rows(page: Page) -> Any:
    return page.locator(".review-row")


def press(page: Page, *keys: str, said: str) -> None:
    """Type, and wait until the list says what was done."""
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator(".review-said")).to_contain_text(said)


def test_twenty_findings_are_worked_off_by_keyboard_alone(
    context: BrowserContext, seen: Seen, journal: str
) -> None:
    page = context.new_page()
    page.goto(journal)
    expect(rows(page)).to_have_count(PARTITIONS + 1)
    is_sound(page, "review-queue")

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("false positive")
    page.keyboard.press("Escape")

    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(rows(page).first).to_have_class(re.compile("is-current"))
    preview = page.locator("#review-preview")
    expect(preview.get_by_role("heading", level=2).first).to_have_text(
        rows(page).first.locator(".review-title").inner_text()
    )
    expect(preview.get_by_text("Records that prove it")).to_be_visible()
    page.keyboard.press("j")
    expect(preview.locator("[data-position]")).to_have_text(f"2 of {PARTITIONS + 1} · ")
    page.keyboard.press("k")
    page.keyboard.press("e")
    page.wait_for_url(re.compile(r"/review/\d+/"))
    is_sound(page, "review-finding")
    page.keyboard.press("a")
    expect(page.get_by_text("changed the state from new to acknowledged")).to_be_visible()
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda address: "/review/" in address and address != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    page.goto(journal)

    left = PARTITIONS + 1
    for key, word in [("r", "resolved"), ("f", "false positive")] * 4:
        press(page, key, said=f"1 finding is now {word}.")
        left -= 1
        expect(rows(page)).to_have_count(left)
    press(page, "s", "Enter", said="1 finding is now suppressed until")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-chosen]")).to_have_text("2 selected")
    press(page, "r", said="2 findings are now resolved.")
    left -= 3
    expect(rows(page)).to_have_count(left)
    for _ in range(left):
        press(page, "r", said="1 finding is now resolved.")
        left -= 1
        if left:
            expect(rows(page)).to_have_count(left)
    expect(page.get_by_role("heading", name="No incidents match")).to_be_visible()
    is_sound(page, "review-empty")
    page.goto(journal + "&state=any")
    expect(rows(page).locator(".review-state.is-suppressed")).to_have_count(1)
    expect(rows(page).locator(".review-state.is-false_positive")).to_have_count(4)


@pytest.mark.long
def test_a_second_run_keeps_the_verdicts(
    context: BrowserContext, seen: Seen, whole_house: House, journal: str
) -> None:
    page = context.new_page()
    page.goto(journal + "&state=any")
    before = rows(page).locator(".review-state").all_inner_texts()
    assert len(before) == PARTITIONS + 1
    page.goto(whole_house.address + "/?q=review-me")
    page.locator("tbody tr").first.get_by_role("link", name="1 file").click()
    page.get_by_role("button", name="Inspect again").click()
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    expect(page.locator(".review-on-card .review-state").first).to_be_visible(timeout=30 * SECONDS)
    is_sound(page, "review-on-report")
    page.goto(journal + "&state=any")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name="Seen by 2 inspections")).to_be_visible()
    page.goto(journal + "&state=any")
    assert rows(page).locator(".review-state").all_inner_texts() == before


def test_what_was_done_can_be_undone(context: BrowserContext, seen: Seen, journal: str) -> None:
    page = context.new_page()
    page.goto(journal + "&state=resolved")
    count = rows(page).count()
    press(page, "a", said="1 finding is now acknowledged.")
    expect(rows(page)).to_have_count(count - 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".review-said")).to_contain_text("Undone for 1 finding.")
    expect(rows(page)).to_have_count(count)


def test_the_list_is_cards_on_a_phone_and_the_filter_a_sheet(
    context: BrowserContext, seen: Seen, journal: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(journal + "&state=any")
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.locator(".review-page kbd:visible").count() == 0
    assert rows(page).nth(4).bounding_box()["y"] < 844  # type: ignore[index]
    for touched in (".review-chip a", ".review-row > .review-pick", ".review-what .quiet a"):
        box = page.locator(touched).first.bounding_box()
        assert box is not None
        assert box["height"] >= 40, touched
    page.locator(".review-add > summary").click()
    assert page.get_by_role("form", name="Filters").bounding_box()["width"] == 390  # type: ignore[index]
    page.get_by_role("form", name="Filters").get_by_label("Assignee").select_option("nobody")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Assignee: nobody")).to_be_visible()
    assert "due=" not in page.url  # an address says what was chosen
    page.get_by_role("link", name="Remove the filter Assignee: nobody").click()
    expect(page.get_by_text("Assignee: nobody")).to_have_count(0)
    expect(page.get_by_role("button", name="Confirm")).to_be_hidden()
    rows(page).first.locator("input[name='finding']").first.check()
    button = page.get_by_role("button", name="Confirm")
    expect(button).to_be_visible()
    assert button.bounding_box()["height"] >= 40  # type: ignore[index]
    button.click()
    expect(page.locator(".review-said")).to_contain_text("now confirmed")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".review-said")).to_contain_text("Undone")


def test_the_decisions_stay_at_the_foot_of_an_incidents_page_on_a_phone(
    context: BrowserContext, seen: Seen, journal: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(journal + "&state=any")
    rows(page).first.locator(".review-title").click()
    page.wait_for_url(re.compile(r"/review/\d+/"))
    bar = page.locator(".decision-bar")
    for place in ("0", "document.body.scrollHeight / 3"):
        page.evaluate(f"scrollTo(0, {place})")
        box = bar.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 845, "at the foot of the window"
        assert box["height"] <= 60, "one line"
    bar.get_by_role("link", name="More").click()
    expect(page.locator("#reason")).to_be_in_viewport()
    bar.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("changed the state from new to acknowledged").first).to_be_attached()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(bar).to_be_hidden()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("#judge")).to_be_in_viewport()


def test_a_mouse_decides_about_the_incident_beside_the_list(
    context: BrowserContext, seen: Seen, journal: str
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(journal + "&state=any")
    assert rows(page).first.bounding_box()["y"] < 250  # type: ignore[index]
    rows(page).nth(1).locator(".review-title").click()
    expect(rows(page).nth(1)).to_have_class(re.compile("is-current"))
    expect(page.locator("#review-preview").get_by_role("heading", level=2).first).to_be_visible()
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".review-said")).to_contain_text("now confirmed")
    expect(page.get_by_role("button", name="Confirm")).to_be_enabled()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".review-said")).to_contain_text("Undone")
    page.mouse.wheel(0, 5000)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), (
        "list and preview scroll, not the page"
    )
