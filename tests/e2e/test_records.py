"""The table of records in a browser: rows in view, columns remembered and in the link, an offset found, keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e import ledger
from tests.e2e.looking import HANGS, Seen, open_broken_sample
from tests.workers.whole_house import House

ROW, LEAST_ROWS = 25, 25
IN_VIEW = """rows => rows.filter(row => {
    const box = row.getBoundingClientRect();
    const height = row.classList.contains("is-behind-gap") ? 39 : 25; // a line says which offsets are missing before it
    return box.top >= 0 && box.bottom <= innerHeight && Math.round(box.height) === height;
}).length"""


@pytest.fixture(scope="module")
def records(
    browser: Browser, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Addresses of the Records page of the broken sample, and of a log with transactions."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    open_broken_sample(page, whole_house)
    found = {
        "sample": page.get_by_role("link", name="Records", exact=True).first.evaluate("link => link.href")
    }
    page.goto(whole_house.address)
    page.set_input_files(
        "#pick-files", [str(ledger.write(tmp_path_factory.mktemp("ledger") / "ledger.tar.gz"))]
    )
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    found["log"] = page.get_by_role("link", name="Records", exact=True).first.evaluate("link => link.href")
    window.close()
    return found


def opened(context: BrowserContext, address: str, **query: str) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    parts = "&".join(f"{name}={value}" for name, value in query.items())
    page.goto(f"{address}{'&' if '?' in address else '?'}{parts}" if parts else address)
    expect(page.locator(".records-table")).to_be_visible()
    return page


def heads(page: Page) -> list[str]:
    return page.locator(".records-table thead th").all_inner_texts()


def test_25_rows_are_in_view_and_each_is_one_line(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["sample"])
    assert page.locator(".record-row").evaluate_all(IN_VIEW) >= LEAST_ROWS
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_columns_are_chosen_moved_remembered_and_in_the_link(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["sample"])
    page.locator(".columns-menu summary").click()
    page.get_by_role("checkbox", name="Partition").check()
    page.get_by_role("checkbox", name="Key", exact=True).uncheck()
    expect(page.locator(".records-table thead")).to_contain_text("Partition")
    expect(page.locator(".records-table thead .c-key")).to_have_count(0)
    page.get_by_role("button", name="Move Value").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page).to_have_url(re.compile(r"columns=offset\.time\.what\.value\.entity"))
    expect(page.get_by_role("button", name="Move Value")).to_be_focused()
    page.locator("[data-column=size]").drag_to(
        page.locator("[data-column=time]"), target_position={"x": 20, "y": 4}
    )
    expect(page).to_have_url(re.compile(r"columns=offset\.size\.time"))
    expect(page.locator(".records-table thead th").nth(1)).to_have_text("Size")
    again = opened(context, records["sample"])
    assert heads(again) == heads(page)
    again.locator(".columns-menu summary").click()
    again.get_by_role("link", name="Reset").click()
    expect(again.locator(".records-table thead .c-key")).to_have_count(1)
    assert heads(opened(context, page.url)) == heads(page)


def test_an_offset_is_found_brought_into_view_and_marked(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["sample"])
    first, second = (page.locator(".record-row").nth(n).get_attribute("id") or "" for n in (120, 150))
    page.get_by_role("textbox", name="Go to").fill(first.removeprefix("offset-"))
    page.get_by_role("textbox", name="Go to").press("Enter")
    row = page.locator(f"#{first}")
    expect(row).to_be_in_viewport()
    expect(row).to_have_class(re.compile("is-sought"))
    expect(row.locator("th a[data-record]")).to_be_focused()
    linked = opened(context, f"{records['sample']}#{second}")
    expect(linked.locator(f"#{second}")).to_be_in_viewport()


def test_the_last_stable_offset_is_a_line_across_the_table(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["log"])
    line = page.locator(".read-limit").filter(has_text="read_committed stops here")
    expect(line).to_have_count(1)
    stable = re.search(r"last stable offset (\d+)", line.inner_text())
    assert stable
    below = line.locator("xpath=following-sibling::tr[1]").get_attribute("id")
    assert below == f"offset-{stable[1]}"


def test_the_arrow_keys_walk_and_escape_gives_the_focus_back(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["sample"])
    links = page.locator(".records-table tbody th a[data-record]")
    links.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(links.nth(2)).to_be_focused()
    page.keyboard.press("End")
    expect(links.last).to_be_focused()
    expect(links.last).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")  # while it is still opening
    expect(links.last).to_be_focused()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(links.last).to_be_focused()


def test_on_a_phone_each_record_is_a_card_of_two_lines(
    context: BrowserContext, seen: Seen, records: dict[str, str]
) -> None:
    page = opened(context, records["log"])
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(".record-row").first.bounding_box()
    assert box
    assert 48 <= box["height"] <= 56
