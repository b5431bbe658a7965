"""From the sign-in link to the bytes of the record that proves the incident, with the keyboard alone, in few keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.looking import HANGS
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow
MOST_KEYS = 15
LINK = """
import django
django.setup()
from django.contrib.auth.models import User
from webapp.accounts.one_time import create_link
print(create_link(User.objects.filter(is_superuser=True).first()))
"""


class Keyboard:
    """Counts the keys that are pressed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.pressed += 1

    def tab_to(self, target: Locator) -> None:
        for _ in range(MOST_KEYS):
            self.press("Tab")
            if target.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"{target} is more than {MOST_KEYS} keys away")

    def skip(self) -> None:
        """To the content, as the first link of each page offers."""
        self.press("Tab")
        expect(self.page.locator(".skip-link")).to_be_focused()
        self.press("Enter")


def test_few_keys_lead_from_the_sign_in_link_to_the_bytes_of_the_proof(
    browser: Browser, signed_in: object, whole_house: House
) -> None:
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    page = window.new_page()
    keys = Keyboard(page)
    page.goto(whole_house.address + whole_house.python(LINK)[0])
    expect(page.get_by_role("button", name="Sign in")).to_be_focused()
    keys.press("Enter")
    page.wait_for_url(f"{whole_house.address}/")
    page.goto(f"{whole_house.address}/?q=that lost a content")  # other tests upload journals meanwhile
    row = page.locator(".journals-table tbody tr").filter(has_text="Critical").first
    expect(row).to_be_visible(timeout=HANGS)
    keys.skip()
    keys.tab_to(row.get_by_role("link").first)
    keys.press("Enter")
    page.wait_for_url(re.compile("/report/"))
    if page.locator(".tour").count():
        keys.press("Escape")
    keys.skip()
    keys.tab_to(page.locator(".victims [data-record]").first)
    keys.press("Enter")
    expect(page.locator("#record-drawer .btn-close")).to_be_focused()
    expect(page.locator("[data-record-bytes]")).to_be_visible(
        timeout=HANGS
    )  # the record comes after its drawer
    keys.tab_to(page.locator("[data-record-bytes]"))
    keys.press("Enter")
    expect(page.locator("pre.hex").last).to_be_focused()
    print(f"{keys.pressed} keys from the sign-in link to the bytes.")
    assert keys.pressed <= MOST_KEYS
    window.close()
