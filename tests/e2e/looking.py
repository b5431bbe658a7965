"""What the browser tests look at: the running whole_house, what the browser noted, what axe finds."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.workers.whole_house import House

START_SECONDS = 180
HANGS = 300_000  # milliseconds; what takes so long on the busiest machine never comes
AXE = Path(__file__).resolve().parents[1] / "vendor" / "axe.min.js"


def upload(page: Page, whole_house: House, dump: Path, content: bytes) -> str:
    """Upload a dump; the address of its report."""
    dump.write_bytes(content)
    page.goto(whole_house.address)
    page.set_input_files("#pick-files", [str(dump)])
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    address = re.search(r"http.*/report/", page.url)
    assert address
    return address[0]


def open_broken_sample(page: Page, whole_house: House) -> str:
    """Open the report of the sample that lost a content; its address. Other tests upload journals meanwhile."""
    page.goto(f"{whole_house.address}/?q=that lost a content")
    row = page.locator(".journals-table tbody tr").filter(has_text="Critical").first
    expect(row).to_be_visible(timeout=HANGS)
    row.get_by_role("link").first.click()
    page.wait_for_url(re.compile("/report/"))
    return page.url.split("?")[0]


@dataclass
class Seen:
    """What a browser complained about, and where it went."""

    complaints: list[str]
    addresses: set[str]


def becomes_true(page: Page, expression: str) -> bool:
    """Within ten seconds; `wait_for_function` would need eval, which the pages' content policy forbids."""
    for _ in range(100):
        if page.evaluate(expression):
            return True
        page.wait_for_timeout(100)
    return False


def serious_axe_issues(page: Page) -> list[dict[str, Any]]:
    """What axe finds on the page as it stands, from serious up."""
    return axe_issues(page, {"serious", "critical"})


def axe_issues(
    page: Page, impacts: Collection[str] = ("moderate", "serious", "critical")
) -> list[dict[str, Any]]:
    """What axe finds on the page as it stands. Run past the page's own content policy."""
    page.evaluate(AXE.read_text() + "; 0")
    results = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {
            "id": issue["id"],
            "help": issue["help"],
            "nodes": [node["html"][:200] for node in issue["nodes"][:5]],
        }
        for issue in results["violations"]
        if issue["impact"] in impacts
    ]
