"""From a report to the form of a ticket system in one click, in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.e2e.looking import serious_axe_issues, upload
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House

pytestmark = pytest.mark.slow
TICKETS = "https://tickets.example.org/"


@pytest.fixture
def report(browser: Browser, signed_in: Path, whole_house: House, tmp_path: Path) -> str:
    """Address of the report of a journal that lost a content."""
    window = browser.new_context(storage_state=signed_in)
    address = upload(
        window.new_page(), whole_house, tmp_path / "tickets.json", kcat_base64(incident(5, "lost"))
    )
    window.close()
    return address


def save(page: Page, whole_house: House, template: str, answer: str) -> None:
    """On the project's page."""
    page.goto(f"{whole_house.address}/accounts/projects/default/")
    page.locator("#id_ticket_template").fill(template)
    page.locator("#id_ticket_template").press("Enter")
    expect(page.get_by_text(answer)).to_be_visible()


def test_a_project_names_its_ticket_system_and_a_click_opens_it_with_the_text(
    context: BrowserContext, whole_house: House, report: str
) -> None:
    asked: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        asked.append(route.request.headers | {"url": route.request.url})
        route.fulfill(content_type="text/html", body="<title>New ticket</title>")

    context.route(f"{TICKETS}**", answer)
    settings, page = context.new_page(), context.new_page()
    save(settings, whole_house, f"{TICKETS}new?title={{titel}}", "{titel} is not a placeholder.")
    assert serious_axe_issues(settings) == []
    complaints: list[str] = []
    context.on(
        "console", lambda message: complaints.append(message.text) if message.type == "error" else None
    )
    save(settings, whole_house, f"{TICKETS}new?title={{summary}}&body={{description}}", "Saved.")
    try:
        page.goto(report)
    finally:  # other testers look at reports of this project
        save(settings, whole_house, "", "Saved.")
    with context.expect_page() as opening:
        page.get_by_role("link", name="Create ticket").click()
    form = opening.value
    form.wait_for_load_state()
    expect(form).to_have_title("New ticket")
    assert form.evaluate("window.opener") is None
    (request,) = asked
    assert "referer" not in request
    assert "cookie" not in request
    sent = parse_qs(urlsplit(request["url"]).query)
    assert sent["body"] == [page.locator("#ticket-markdown").input_value().strip()]
    assert re.match("Critical, (proven|likely): ", sent["title"][0])
    assert page.url == report
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, width
    assert serious_axe_issues(page) == []
    assert complaints == []
