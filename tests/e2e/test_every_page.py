"""Every page, in both themes: no serious axe issue, no complaint, nothing loaded from elsewhere, no sideways scroll.

With E2E_PICTURES=folder a picture of each page is left there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e import ledger
from tests.e2e.looking import HANGS, Seen, becomes_true, open_broken_sample, serious_axe_issues
from tests.workers.whole_house import House

SECONDS = 1000


@pytest.fixture(scope="module")
def addresses(  # type: ignore[no-untyped-def]
    browser, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The pages of the site, of the broken sample's journal and report, and of a log's report, found by walking."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    found = {"journals": whole_house.address + "/", "overview": open_broken_sample(page, whole_house)}
    for name in ("Timeline", "Keys", "Records", "Files"):
        found[name.lower()] = page.get_by_role("link", name=name, exact=True).first.evaluate(
            "link => link.href"
        )
    page.goto(found["keys"])
    found["key"] = page.locator("tbody a").first.evaluate("link => link.href")
    page.goto(found["records"])
    page.locator(".records-table tbody a:not(.row-flag)").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    found["record"] = page.url
    page.goto(whole_house.address + "/catalogue/")
    found["catalogue"] = page.url
    found["catalogue-page"] = page.locator("a[href*='content-null-update']").first.evaluate(
        "link => link.href"
    )
    page.goto(found["overview"])
    found["journal"] = page.locator(".breadcrumb a").nth(1).evaluate("link => link.href")
    found |= pages_of_a_log(page, whole_house, tmp_path_factory.mktemp("ledger"))
    found["missing"] = whole_house.address + "/journals/00000000-0000-0000-0000-000000000000/"
    window.close()
    return found


def pages_of_a_log(page: Page, whole_house: House, folder: Path) -> dict[str, str]:
    """Upload two brokers' folders with transactions, old formats and compaction; walk their report, compare them."""
    page.goto(whole_house.address)
    page.set_input_files("#pick-files", [str(ledger.write(folder / "ledger.tar.gz"))])
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    report = re.search(r"http.*/report/", page.url)
    assert report
    found = {name: report[0] + path for name, path in LOG_PAGES.items()}
    page.goto(found["compare"])
    page.get_by_role("button", name="Compare the copies with each other").click()
    expect(page.locator(".compare-strip").first).to_be_visible(timeout=HANGS)
    found["comparison"] = page.url
    return found


READERS = "?isolation=read_committed&cleaned=1"
LOG_PAGES = {
    "log-overview": "",
    "transactions": "transactions/",
    "log": "log/",
    "profile": "profile/",
    "formats": "formats/?broker_version=2.8.1&message_format=old",
    "compare": "compare/",
    "log-files": "files/",
    "timeline-of-a-reader": "timeline/" + READERS,
    "keys-of-a-reader": "keys/" + READERS,
    "records-of-a-reader": "records/" + READERS,
}
PAGES = (*LOG_PAGES, "comparison", "journals", "journal", "overview", "timeline", "keys", "key", "records", "record", "files", "catalogue",
         "catalogue-page", "missing")  # fmt: skip


@pytest.mark.wide
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_sound_in_both_themes_and_on_a_narrow_window(
    context: BrowserContext, seen: Seen, addresses: dict[str, str], name: str
) -> None:
    page = context.new_page()
    page.goto(addresses[name])
    settle(page)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        assert becomes_true(page, "document.getAnimations().every(one => one.playState != 'running')")
        picture(page, f"{name}-{theme}")
        assert serious_axe_issues(page) == [], theme
    fits(page)
    page.set_viewport_size({"width": 768, "height": 1000})
    picture(page, f"{name}-narrow")
    fits(page)
    if name == "missing":
        seen.complaints.clear()  # the browser itself notes the 404


def fits(page: Page) -> None:
    """Fails when the page stays wider than its window; figures follow a new width a moment later."""
    assert becomes_true(page, "document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_report_of_a_log_shows_what_the_switches_and_the_form_are_for(
    context: BrowserContext, seen: Seen, addresses: dict[str, str]
) -> None:
    page = context.new_page()
    page.goto(addresses["transactions"])
    expect(page.get_by_text("3 transactions: 1 committed, 1 aborted, 1 open.")).to_be_visible()
    page.goto(addresses["records-of-a-reader"])
    for chosen in ("read_committed", "after the next compaction"):
        expect(page.locator(".switch [aria-current]").filter(has_text=chosen)).to_be_visible()
    page.goto(addresses["log"])
    page.get_by_text("Producers", exact=True).click()
    expect(page.get_by_text("Headers, idempotence and transactions work")).to_be_visible()
    page.goto(addresses["formats"])
    expect(page.get_by_label("message.format.version")).to_have_accessible_description(
        re.compile("'old' is not a Kafka version")
    )
    page.goto(addresses["comparison"])
    expect(page.locator("#comparison")).to_contain_text("3 different")


def test_somebody_who_is_not_signed_in_sees_only_the_door(
    browser, whole_house: House, addresses: dict[str, str]
) -> None:  # type: ignore[no-untyped-def]
    window = browser.new_context()
    page = window.new_page()
    for name in PAGES:
        page.goto(addresses[name])
        expect(page).to_have_url(re.compile("/accounts/login/"))
    settle(page)
    picture(page, "door")
    assert serious_axe_issues(page) == []
    window.close()


def settle(page: Page) -> None:
    """Wait for figures and fonts."""
    page.wait_for_load_state("networkidle")
    if page.locator(".report-figure").count():
        expect(page.locator(".report-figure .main-svg").first).to_be_visible(timeout=20 * SECONDS)


def picture(page: Page, name: str) -> None:
    """Leave a picture where E2E_PICTURES says."""
    folder = os.environ.get("E2E_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
