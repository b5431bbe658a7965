"""The search in a browser: by keyboard from any page to an entity, an offset, a command; on a phone; without a script.

With E2E_PICTURES=folder a picture of the dialog is left there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import Seen, serious_axe_issues, upload
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House

SECONDS = 1000


@pytest.fixture(scope="module")
def report(
    browser: Any, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Address of the report of an uploaded journal that lost a content."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    dump = tmp_path_factory.mktemp("dumps") / "search-me.json"
    address = upload(page, whole_house, dump, kcat_base64(incident(5, "lost")))
    window.close()
    return address


def ask(page: Page, text: str, result: str) -> None:
    """Open the dialog, type, and wait for a result."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Search everything")).to_be_visible()
    page.keyboard.type(text)
    expect(page.locator(".search-result", has_text=result).first).to_be_visible(timeout=30 * SECONDS)


def test_from_any_page_to_what_is_searched_by_keyboard(
    context: BrowserContext, seen: Seen, whole_house: House, report: str
) -> None:
    page = context.new_page()
    page.goto(f"{whole_house.address}/catalogue/")
    ask(page, "CONTENT 1", "content 1")
    if folder := os.environ.get("E2E_PICTURES"):
        page.screenshot(path=Path(folder) / "search.png")
    assert serious_axe_issues(page) == []
    page.keyboard.press("ArrowDown")
    expect(page.locator(".search-result").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".search-result").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/report/state/entity/"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_an_offset_opens_at_its_record(context: BrowserContext, seen: Seen, report: str) -> None:
    page = context.new_page()
    page.goto(report)
    ask(page, "5", "Offset 5 of")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/report/records/.*offset=5"))
    expect(page.locator("[data-record='5']").first).to_be_in_viewport()


def test_commands_do_what_they_say(context: BrowserContext, seen: Seen, whole_house: House) -> None:
    page = context.new_page()
    page.goto(f"{whole_house.address}/clusters/")
    before = page.evaluate("document.documentElement.dataset.bsTheme")
    ask(page, "dark", "Switch between light and dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).not_to_have_attribute("data-bs-theme", before)
    expect(page.get_by_role("dialog")).to_be_hidden()
    ask(page, "paste", "Paste text")
    page.locator(".search-result", has_text="Paste text").press(
        "Enter"
    )  # journals of other tests may stand above it
    page.wait_for_url(re.compile("#paste"))
    expect(page.locator("#paste-open")).to_have_attribute("aria-expanded", "true")
    page.locator(".site-search").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Search everything")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".site-search")).to_be_focused()


def test_it_fits_a_phone(context: BrowserContext, seen: Seen, whole_house: House, report: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(whole_house.address)
    link = page.locator(".site-search")
    box = link.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 40
    link.click()
    page.keyboard.type("content 1")
    expect(page.locator(".search-result", has_text="content 1").first).to_be_visible(timeout=30 * SECONDS)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_without_a_script_it_is_a_page(
    browser: Browser, signed_in: Path, whole_house: House, report: str
) -> None:
    window = browser.new_context(storage_state=signed_in, java_script_enabled=False)
    page = window.new_page()
    page.goto(f"{whole_house.address}/review/")
    page.locator(".site-search").click()
    page.get_by_role("searchbox", name="Search", exact=True).fill("search-me")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name=re.compile("search-me.json")).first).to_be_visible()
    window.close()
