"""The first minutes: a card with a question becomes a report within seconds, and a tour leads to the bytes, by keyboard."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, Seen, serious_axe_issues
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow


def opened(context: BrowserContext, house: House) -> Page:
    """The report of a sample that a card has loaded."""
    page = context.new_page()
    page.goto(f"{house.address}/?samples")
    assert serious_axe_issues(page) == []
    card = page.locator(".sample-cards li").filter(has_text="Consumers stopped, but producers still write.")
    began = time.monotonic()
    card.get_by_role("button", name="Open this sample").click()
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    print(f"A sample was a report after {time.monotonic() - began:.1f} s.")
    return page


def step(page: Page, number: int) -> None:
    expect(page.get_by_role("dialog", name=f"Tour, step {number} of 3")).to_be_visible()


def test_a_card_becomes_a_report_and_a_tour_leads_to_the_bytes(
    context: BrowserContext, seen: Seen, whole_house: House
) -> None:
    page = opened(context, whole_house)
    expect(page.locator("#verdict-sentence")).to_contain_text("read_committed consumers")
    step(page, 1)
    assert serious_axe_issues(page) == []
    page.keyboard.press("Enter")
    step(page, 2)
    expect(page.locator(".tour-target")).to_have_attribute("data-record", re.compile(r"\d+"))
    page.keyboard.press("Enter")
    step(page, 3)
    expect(page.locator("#record-drawer .tour-target")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    step(page, 2)
    page.keyboard.press("Escape")
    expect(page.locator(".tour")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Show the tour")).to_be_visible()
    expect(page.locator(".tour")).to_have_count(0)
    page.get_by_role("button", name="Show the tour").click()
    step(page, 1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Show the tour")).to_be_focused()
