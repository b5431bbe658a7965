"""The pages of operations in a browser: sound in both themes and on a narrow window; live; a hold that holds."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, Seen, serious_axe_issues
from tests.workers.whole_house import House

SECONDS = 1000
PAGES = {
    "audit": "/audit/",
    "storage": "/operations/storage/",
    "jobs": "/operations/jobs/",
    "retention": "/operations/projects/default/retention/",
}


@pytest.fixture
def page(context: BrowserContext, whole_house: House) -> Page:
    """With the samples inspected."""
    opened = context.new_page()
    opened.goto(f"{whole_house.address}/?q=Sample")  # other tests upload journals meanwhile
    for level in ("Healthy", "Critical"):
        expect(opened.locator("tbody tr").filter(has_text=level).first).to_be_visible(timeout=HANGS)
    return opened


@pytest.mark.wide
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_sound(page: Page, seen: Seen, whole_house: House, name: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(whole_house.address + PAGES[name])
        page.wait_for_timeout(400)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert serious_axe_issues(page) == []


def test_the_jobs_page_renews_itself(page: Page, seen: Seen, whole_house: House) -> None:
    page.goto(whole_house.address + PAGES["jobs"])
    expect(page.get_by_text("3 workers alive")).to_be_visible(timeout=30 * SECONDS)
    with page.expect_response(lambda answer: answer.url.endswith("/operations/jobs/"), timeout=10 * SECONDS):
        pass
    expect(page.get_by_text("3 workers alive")).to_be_visible()


def test_the_retention_page_previews_days_that_are_not_saved(
    page: Page, seen: Seen, whole_house: House
) -> None:
    page.goto(whole_house.address + PAGES["retention"])
    page.get_by_label("Delete journals after, days").fill("30")
    expect(page.get_by_text("no journal is older than 30 days")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Delete journals after, days")).to_have_value("")


def test_a_hold_keeps_a_journal_and_the_log_names_it(page: Page, seen: Seen, whole_house: House) -> None:
    page.locator("tbody tr").filter(has_text="Healthy").first.get_by_role(
        "link", name=re.compile("file")
    ).click()
    page.get_by_role("button", name="Put under legal hold").click()
    expect(page.get_by_text("is under legal hold, so nothing of it can be deleted")).to_be_visible()
    expect(page.get_by_role("button", name="Delete", exact=True)).to_have_count(0)
    page.get_by_role("button", name="End the legal hold").click()
    expect(page.get_by_role("button", name="Delete", exact=True).first).to_be_visible()
    page.goto(whole_house.address + PAGES["audit"] + "?action=journal.held")
    expect(page.get_by_role("cell", name=re.compile("put a journal under legal hold"))).to_be_visible()
