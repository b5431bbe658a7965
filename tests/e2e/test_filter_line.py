"""The filter line in a real browser: completion by keyboard, a mistake where it is, results that follow what is typed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import axe_issues

pytestmark = pytest.mark.e2e
SECONDS = 1000
SAMPLE = "Sample: an Apicurio journal that lost a content"


@pytest.fixture
def records(page: Page) -> Page:
    """The records of the broken sample."""
    page.get_by_role("link", name=SAMPLE, exact=True).click()
    page.wait_for_url(re.compile("/report/"), timeout=180 * SECONDS)
    page.get_by_role("link", name="Records").first.click()
    expect(page.locator(".records-table")).to_be_visible(timeout=20 * SECONDS)
    page.wait_for_load_state()  # its scripts take keys from now on
    return page


def test_names_of_the_journal_complete_by_keyboard(records: Page) -> None:
    whole = records.locator(".records-count .shown").inner_text()
    records.keyboard.press("/")
    line = records.get_by_role("combobox", name="Filter records")
    expect(line).to_be_focused()
    records.keyboard.type("kin", delay=30)
    choices = records.get_by_role("listbox")
    expect(choices).to_be_visible(timeout=20 * SECONDS)
    assert axe_issues(records) == []
    records.keyboard.press("ArrowDown")
    expect(line).to_have_attribute("aria-activedescendant", "filter-choice-0")
    records.keyboard.press("Tab")
    expect(line).to_have_value("kind:")
    expect(choices.get_by_role("option").first).to_contain_text("record", timeout=20 * SECONDS)
    records.keyboard.type("restart", delay=30)
    expect(records).to_have_url(re.compile(r"filter=kind%3Arestart"), timeout=20 * SECONDS)
    expect(records.locator(".records-count .shown")).not_to_have_text(whole)
    expect(records.locator(".records-count .shown")).to_contain_text("match")
    records.keyboard.press("Escape")
    expect(choices).to_be_hidden()
    records.reload()
    expect(records.get_by_role("combobox", name="Filter records")).to_have_value("kind:restart")


def test_a_mistake_is_marked_and_the_last_results_stay(records: Page) -> None:
    line = records.get_by_role("combobox", name="Filter records")
    line.fill("offset:0..9")
    expect(records).to_have_url(re.compile("filter=offset"), timeout=20 * SECONDS)
    shown = records.locator(".records-count .shown").inner_text()
    line.fill("offset:0..9 kind:updat key:a")
    line.press("Escape")
    line.press("Enter")
    expect(records.locator(".filter-mistake")).to_have_text("updat", timeout=20 * SECONDS)
    expect(records.locator("#filter-problem")).to_contain_text("kind is create")
    assert records.locator(".records-count .shown").inner_text() == shown
    records.get_by_role("button", name="Use update").click()
    expect(line).to_have_value("offset:0..9 kind:update key:a")
    expect(records.locator("#filter-problem")).to_be_empty(timeout=20 * SECONDS)
    line.fill("offset:0..9 key:nothing-has-it")
    expect(records.locator(".filter-without a").first).to_be_visible(timeout=20 * SECONDS)


def test_the_line_fits_a_phone(records: Page) -> None:
    records.set_viewport_size({"width": 390, "height": 844})
    records.get_by_role("combobox", name="Filter records").click()
    expect(records.get_by_role("listbox")).to_be_visible(timeout=20 * SECONDS)
    assert records.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_filter_is_saved_opened_and_renamed_by_keyboard(records: Page) -> None:
    records.keyboard.press("/")
    records.keyboard.type("offset:0..4", delay=30)
    records.keyboard.press("Enter")
    save = records.locator("summary", has_text="Save filter")
    expect(save).to_be_visible(timeout=20 * SECONDS)
    save.focus()
    records.keyboard.press("Enter")
    records.keyboard.press("Tab")
    records.keyboard.type("First five")
    assert axe_issues(records) == []
    records.keyboard.press("Enter")
    expect(records.get_by_text("The filter is saved as First five.")).to_be_visible(timeout=20 * SECONDS)
    expect(save).to_have_count(0)
    records.goto(records.url.partition("?")[0])
    records.locator("summary", has_text="Saved 1").focus()
    records.keyboard.press("Enter")
    records.keyboard.press("Tab")
    expect(records.get_by_role("link", name="First five", exact=True)).to_be_focused()
    records.keyboard.press("Enter")
    expect(records).to_have_url(re.compile(r"filter=offset%3A0\.\.4"), timeout=20 * SECONDS)
    records.locator("summary", has_text="Saved 1").click()
    records.get_by_label("Rename the filter First five").focus()
    records.keyboard.press("Enter")
    records.keyboard.press("Tab")
    records.keyboard.press("Control+A")
    records.keyboard.type("Start")
    records.keyboard.press("Enter")
    expect(records.get_by_text("is now named Start")).to_be_visible(timeout=20 * SECONDS)
