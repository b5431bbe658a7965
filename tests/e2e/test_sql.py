"""The tab SQL in a browser: from a question to its answer by keyboard, a mistake at its place, a file, both themes, a phone.

With E2E_PICTURES=folder pictures of the tab are left there.
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
def tab(
    browser: Browser, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """Address of the tab of an uploaded journal's report."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    dump = tmp_path_factory.mktemp("dumps") / "ask-me.json"
    upload(page, whole_house, dump, kcat_base64(incident(5, "lost")))
    page.get_by_role("navigation", name="Report").get_by_role("link", name="SQL").click()
    page.wait_for_url(re.compile("/report/sql/"))
    address: str = page.url
    window.close()
    return address


def type_query(page: Page, text: str) -> None:
    editor = page.get_by_role("textbox", name="Query")
    editor.fill(text)
    editor.press("Control+Enter")
    page.wait_for_url(re.compile("/report/sql/run/"), timeout=60 * SECONDS)


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("E2E_PICTURES"):
        page.screenshot(path=Path(folder) / f"sql-{name}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_question_is_answered_by_one_click_and_one_key(
    context: BrowserContext, seen: Seen, tab: str, scheme: Any
) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)
    page.goto(tab)
    page.get_by_role("link", name="Largest keys").click()
    editor = page.get_by_role("textbox", name="Query")
    expect(editor).to_have_value(re.compile("FROM keys"))
    editor.press("Control+Enter")
    rows = page.get_by_role("group", name="Rows")
    expect(rows).to_be_visible(timeout=60 * SECONDS)
    expect(rows.get_by_role("columnheader").first).to_contain_text("topic")
    assert "FROM" not in page.url
    page.get_by_text("live_state", exact=True).click()
    expect(page.get_by_text("valid_from_offset").first).to_be_visible()
    picture(page, scheme)
    assert serious_axe_issues(page) == []


def test_a_mistake_has_the_cursor_at_its_place(context: BrowserContext, seen: Seen, tab: str) -> None:
    page = context.new_page()
    page.goto(tab)
    type_query(page, "SELECT key\nFROM recrods")
    expect(page.get_by_role("alert")).to_contain_text("Line 2, column 6: The report has no table recrods.")
    editor = page.get_by_role("textbox", name="Query")
    expect(editor).to_be_focused()
    assert editor.evaluate("query => query.selectionStart") == len("SELECT key\nFROM ")
    picture(page, "mistake")
    assert serious_axe_issues(page) == []


def test_the_answer_is_downloaded(context: BrowserContext, seen: Seen, tab: str) -> None:
    page = context.new_page()
    page.goto(tab)
    type_query(page, "SELECT count(*) AS records FROM records")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV").click()
    assert downloading.value.path().read_text().splitlines()[0] == "records"
    assert downloading.value.suggested_filename.endswith("-sql.csv")
    page.get_by_role("button", name="JSON").click(trial=True)


def test_it_is_a_column_on_a_phone(context: BrowserContext, seen: Seen, tab: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(tab)
    type_query(page, "SELECT * FROM records")
    expect(page.get_by_role("group", name="Rows")).to_be_visible()
    picture(page, "phone")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    box = page.get_by_role("button", name="Run", exact=True).bounding_box()
    assert box is not None
    assert box["height"] >= 40


def test_without_a_script_it_is_a_form(browser: Browser, signed_in: Path, tab: str) -> None:
    window = browser.new_context(storage_state=signed_in, java_script_enabled=False)
    page = window.new_page()
    page.goto(tab)
    page.get_by_role("textbox", name="Query").fill("SELECT 41 + 1 AS sum")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("cell", name="42")).to_be_visible(timeout=60 * SECONDS)
    window.close()
