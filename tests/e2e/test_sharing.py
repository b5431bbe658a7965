"""A link in a browser: made from a report, opened signed out, looked at, taken back.

With E2E_PICTURES=folder a picture of each page is left there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import HANGS, Seen, serious_axe_issues, upload
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow
SECONDS = 1000


@pytest.fixture(scope="module")
def report(browser: Browser, signed_in: Path, whole_house: House, tmp_path_factory: Any) -> str:
    """Address of the report of a journal that lost a content."""
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    dump = tmp_path_factory.mktemp("dumps") / "shared.json"
    address = upload(page, whole_house, dump, kcat_base64(incident(5, "lost")))
    window.close()
    return address


@pytest.fixture
def guest(browser: Browser) -> Iterator[BrowserContext]:
    """A browser of somebody without an account."""
    window = browser.new_context(viewport={"width": 1280, "height": 900})
    yield window
    window.close()


def is_sound(page: Page, name: str) -> None:
    """In both themes, wide and narrow: no sideways scroll, nothing that axe calls serious."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        for width in (1280, 768):
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, (name, width)
            if folder := os.environ.get("E2E_PICTURES"):
                page.screenshot(
                    path=Path(folder) / f"{name}-{theme}-{width}.png", full_page=True, caret="initial"
                )
        page.wait_for_timeout(300)
        assert serious_axe_issues(page) == [], (name, theme)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


def make_link(page: Page) -> str:
    """From the dialogue to a link that can be opened."""
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("#share-state")).to_have_text("Ready: it can be opened.", timeout=HANGS)
    return page.get_by_label("Link", exact=True).input_value()


def test_a_link_is_made_opened_signed_out_and_taken_back(
    context: BrowserContext, guest: BrowserContext, seen: Seen, report: str
) -> None:
    page = context.new_page()
    page.goto(report)
    page.get_by_role("link", name="Share", exact=True).click()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("The records that prove it", timeout=30 * SECONDS)
    expect(preview).to_contain_text("[hidden, fingerprint")
    is_sound(page, "share-dialogue")
    page.get_by_label("Show payloads").check()
    expect(preview).to_contain_text("Payloads are shown", timeout=30 * SECONDS)
    page.get_by_label("Show payloads").uncheck()
    expect(preview).to_contain_text("Payloads are hidden", timeout=30 * SECONDS)
    link = make_link(page)
    is_sound(page, "share-made")

    reader = guest.new_page()
    complaints: list[str] = []
    reader.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    reader.goto(link)
    expect(reader.locator(".share-banner > summary")).to_contain_text(
        "payloads, raw keys and headers hidden, names shown"
    )
    expect(reader.locator("#verdict-sentence")).to_be_visible()
    is_sound(reader, "shared-overview")
    reader.get_by_role("link", name="Records", exact=True).click()
    is_sound(reader, "shared-records")
    reader.locator("tbody th a.offset").first.click()
    expect(reader.locator("#record-drawer-body")).to_contain_text("[hidden, fingerprint")
    reader.goto(f"{link}timeline/")
    expect(reader.locator(".report-figure .plot-container").first).to_be_visible(timeout=30 * SECONDS)
    reader.goto(f"{link}state/")
    expect(reader.locator(".state-sentence").first).to_be_visible()
    is_sound(reader, "shared-state")
    assert complaints == []

    page.get_by_role("link", name="Who opened it").click()
    expect(page.get_by_text("a visit begins")).to_be_visible()
    is_sound(page, "share-log")
    page.get_by_role("button", name="Revoke link").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_text("Revoked: nobody can open it.")).to_be_visible()
    gone = reader.goto(link)
    assert gone is not None
    assert gone.status == 410
    expect(reader.get_by_role("heading", name="This link was revoked")).to_be_visible()
    is_sound(reader, "share-closed")


def test_one_click_copies_eight_lines_with_a_link_that_one_click_revokes(
    context: BrowserContext, guest: BrowserContext, seen: Seen, report: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(report)
    page.get_by_role("button", name="Copy for ticket with link").click()
    panel = page.locator("#ticket-made")
    expect(panel).to_contain_text("Copied: ", timeout=HANGS)
    expect(panel).to_contain_text("payloads, raw keys and headers hidden, names shown")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("**Critical, proven:** ")
    assert len(text.splitlines()) <= 9
    is_sound(page, "ticket-made")
    panel.get_by_role("button", name="Jira", exact=True).click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('*Critical'))")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Copy for ticket with link").click()
    expect(panel).to_contain_text("Copied: ")
    jira = page.evaluate("navigator.clipboard.readText()")
    assert jira.startswith("*Critical, proven:* ")  # the markup chosen last, and the same link
    link = re.search(r"https?://\S+/s/\S+", text)
    assert link
    assert link[0] in jira

    reader = guest.new_page()
    reader.set_viewport_size({"width": 390, "height": 844})
    reader.goto(link[0])
    headline = reader.locator("#verdict-sentence").bounding_box()
    banner = reader.locator(".share-banner").bounding_box()
    assert headline
    assert banner
    assert headline["y"] + headline["height"] < 844 / 2
    assert banner["height"] == 34
    for path in ("", "timeline/", "records/", "state/", "keys/"):
        reader.goto(link[0] + path)
        wide = reader.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    reader.goto(link[0])
    low = reader.locator("main :is(button, summary, .nav-link)").evaluate_all(
        """controls => controls.filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.matches(".share-banner > summary")
            && each.getBoundingClientRect().height < 40).map(each => each.outerHTML.slice(0, 120))"""
    )
    assert low == []

    panel.get_by_role("button", name="Revoke link").click()
    expect(panel).to_contain_text("The link is revoked.")
    gone = reader.goto(link[0])
    assert gone is not None
    assert gone.status == 410


@pytest.mark.long
def test_a_tab_is_shared_with_the_filter_that_is_on_the_screen(
    context: BrowserContext, guest: BrowserContext, seen: Seen, report: str
) -> None:
    page = context.new_page()
    page.goto(f"{report}records/?first=0&last=4")
    page.get_by_role("link", name="Share", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("first 0, last 4"))).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("Payloads are hidden", timeout=30 * SECONDS)
    page.get_by_label("Password").fill("between us only")
    link = make_link(page)
    reader = guest.new_page()
    reader.goto(link)
    expect(reader).to_have_title("Shared report · Journalscope")
    is_sound(reader, "share-password")
    reader.get_by_label("Password of the link").fill("between us only")
    reader.get_by_role("button", name="Open").click()
    expect(reader).to_have_url(re.compile(r"/records/\?first=0&last=4"))
    offsets = reader.locator("tbody th a.offset").all_inner_texts()
    assert offsets
    assert all(int(offset) <= 4 for offset in offsets)
