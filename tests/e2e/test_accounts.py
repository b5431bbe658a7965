"""Invited, an account made, a second factor turned on and used, a session ended: in a browser, from end to end.

Each page on the way is looked at in both themes and on a narrow window. E2E_PICTURES=folder keeps pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import serious_axe_issues
from tests.e2e.test_every_page import picture
from tests.webapp.accounts.totp import code_of
from tests.workers.whole_house import House

PASSWORD = "a long pass phrase"


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody whom nobody knows yet."""
    window = browser.new_context(viewport={"width": 1280, "height": 900})
    yield window
    window.close()


def look(page: Page, name: str) -> None:
    """Sound in both themes and on a narrow window."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.wait_for_timeout(400)  # colours fade from one theme to the other
        picture(page, f"{name}-{theme}")
        issues = serious_axe_issues(page)
        assert issues == [], f"{name}: {issues}"
    page.set_viewport_size({"width": 768, "height": 900})
    picture(page, f"{name}-narrow")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.long
def test_from_an_invitation_to_a_second_factor(
    page: Page, whole_house: House, newcomer: BrowserContext
) -> None:
    link = invited(page, whole_house)
    theirs = newcomer.new_page()
    complaints: list[str] = []
    theirs.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    theirs.goto(link)
    look(theirs, "invitation")
    theirs.get_by_label("User name").fill("newcomer")
    theirs.get_by_label("Password").fill(PASSWORD)
    theirs.get_by_role("button", name="Create the account").click()
    theirs.wait_for_url(f"{whole_house.address}/")
    secret = second_factor(theirs, whole_house)
    signed_in_again(theirs, whole_house, secret)
    theirs.goto(f"{whole_house.address}/accounts/projects/")
    expect(theirs.get_by_text("support", exact=True)).to_be_visible()
    look(theirs, "projects")
    theirs.goto(f"{whole_house.address}/accounts/sessions/")
    expect(theirs.get_by_text("this one")).to_be_visible()
    look(theirs, "sessions")
    theirs.get_by_role("button", name="Sign out", exact=True).last.click()
    theirs.wait_for_url(re.compile("/accounts/login/"))
    theirs.goto(link)
    expect(theirs.get_by_text("This invitation is no longer valid")).to_be_visible()
    assert [one for one in complaints if "410" not in one] == []


def invited(page: Page, whole_house: House, address: str = "new@example.org") -> str:
    """By the first superuser, on the project's page; the link."""
    page.goto(f"{whole_house.address}/accounts/projects/default/")
    look(page, "project")
    page.get_by_label("E-mail (optional)").fill(address)
    page.locator("#invitation-role").select_option("support")
    page.get_by_role("button", name="Invite").click()
    shown = page.get_by_role("textbox", name="Link of the invitation")
    expect(shown).to_be_focused(timeout=30_000)
    look(page, "invited")
    return shown.input_value()


def second_factor(page: Page, whole_house: House) -> str:
    """Turned on by keyboard and code; the secret."""
    page.get_by_role("button", name="newcomer").click()
    page.get_by_role("link", name="Security").click()
    look(page, "security")
    page.get_by_role("link", name="Turn on").click()
    look(page, "reauthenticate")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("img", name=re.compile("Picture of the secret"))).to_be_visible()
    assert page.locator("img").first.evaluate("picture => picture.naturalWidth") > 0
    look(page, "totp")
    secret = page.get_by_label("Secret").input_value()
    page.locator("input[name=code]").fill(code_of(secret))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    look(page, "recovery-codes")
    return secret


def signed_in_again(page: Page, whole_house: House, secret: str) -> None:
    """Password, then the code of the next half minute: one that was used does not work again."""
    page.get_by_role("button", name="newcomer").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{whole_house.address}/accounts/login/")
    look(page, "login")
    page.get_by_label("User name or e-mail").fill("new@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/security/authenticate/"))
    look(page, "second-factor")
    page.locator("input[name=code]").fill(code_of(secret, 1))
    page.keyboard.press("Enter")
    page.wait_for_url(f"{whole_house.address}/")


@pytest.mark.long
def test_a_security_key_is_added_and_signs_in(
    page: Page, whole_house: House, newcomer: BrowserContext
) -> None:
    """The browser's own virtual key, over HTTP at localhost: keys work at no IP address, and the page says so."""
    at_localhost = whole_house.address.replace("127.0.0.1", "localhost")
    theirs = newcomer.new_page()
    complaints: list[str] = []
    theirs.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    theirs.goto(invited(page, whole_house, "key@example.org").replace(whole_house.address, at_localhost))
    theirs.get_by_label("User name").fill("keyholder")
    theirs.get_by_label("Password").fill(PASSWORD)
    theirs.get_by_role("button", name="Create the account").click()
    theirs.wait_for_url(f"{at_localhost}/")
    plug_in(newcomer, theirs)
    theirs.goto(f"{at_localhost}/accounts/security/webauthn/add/")
    theirs.get_by_label("Password").fill(PASSWORD)
    theirs.keyboard.press("Enter")
    expect(theirs.get_by_label("Name")).to_be_visible()
    look(theirs, "key-add")
    theirs.get_by_label("Name").fill("blue key")
    theirs.keyboard.press("Enter")
    expect(theirs.get_by_role("heading", name="Recovery codes")).to_be_visible()
    theirs.goto(f"{at_localhost}/accounts/security/")
    look(theirs, "keys")
    theirs.get_by_role("link", name="Add a security key").click()
    theirs.get_by_role("button", name="Add the key").click()
    expect(theirs.get_by_role("alert")).to_have_text(
        "This security key is registered for your account already."
    )
    for address in (whole_house.address, at_localhost):
        newcomer.clear_cookies()
        theirs.goto(f"{address}/accounts/login/")
        theirs.get_by_label("User name or e-mail").fill("keyholder")
        theirs.get_by_label("Password").fill(PASSWORD)
        theirs.get_by_role("button", name="Sign in").click()
        theirs.wait_for_url(re.compile("/security/authenticate/"))
        theirs.get_by_role("button", name="Use a security key").click()
        if address == whole_house.address:
            expect(theirs.get_by_role("alert")).to_contain_text(
                "work only at localhost, and this page is at 127.0.0.1"
            )
            look(theirs, "key-sign-in")
    theirs.wait_for_url(f"{at_localhost}/")
    assert complaints == []


def plug_in(window: BrowserContext, page: Page) -> None:
    """A virtual key that its owner touches at once."""
    devtools = window.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    key = {"protocol": "ctap2", "transport": "usb", "automaticPresenceSimulation": True}
    key |= {"hasUserVerification": True, "isUserVerified": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": key})
