"""What leaves the browser: ticket texts on the clipboard, pictures, exported records, a bundle that verifies."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import HANGS, serious_axe_issues
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_raw
from tests.workers.whole_house import House
from webapp.sharing.evidence.verify import verify


@pytest.fixture
def report(page: Page, tmp_path: Path) -> str:
    """Address of the report of a journal that lost a content."""
    dump = tmp_path / "leaving.ndjson"
    dump.write_bytes(kcat_raw(incident(5, "lost")))
    page.set_input_files("#pick-files", [str(dump)])
    page.wait_for_url(re.compile("/report/"), timeout=HANGS)
    return page.url.partition("?")[0]


def saved(page: Page, role: str, name: str, folder: Path) -> Path:
    """What a click downloads, under the name that it comes with."""
    with page.expect_download(timeout=HANGS) as download:
        page.get_by_role(role, name=name, exact=True).click()  # type: ignore[arg-type]
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def is_sound(page: Page) -> None:
    """In both themes and narrow: no sideways scroll, nothing that axe calls serious."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size({"width": 768, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert serious_axe_issues(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.long
def test_everything_that_leaves_a_report(page: Page, whole_house: House, report: str, tmp_path: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Text for a ticket without a link").click()
    is_sound(page)
    page.get_by_role("button", name="Copy as Jira").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("*Critical.* Artifact ")
    assert f"(sign-in needed): {report}" in copied
    page.keyboard.press("Escape")
    expect(page.locator("#ticket-jira")).to_be_hidden()

    picture = saved(page, "button", "Picture", tmp_path)
    assert picture.name == "leaving-ndjson-overview.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in saved(page, "button", "Picture as SVG", tmp_path).read_bytes()

    page.goto(f"{report}records/")
    page.get_by_text("Export", exact=True).click()
    is_sound(page)
    records = saved(page, "link", "NDJSON (kcat)", tmp_path)
    with zipfile.ZipFile(records) as bundle:
        assert set(bundle.namelist()) == {"records.ndjson", "README.txt"}

    page.goto(report)
    page.get_by_role("link", name="Evidence", exact=True).click()
    is_sound(page)
    evidence = saved(page, "button", "Download the bundle", tmp_path)
    assert verify(evidence).problems == []
    page.goto(f"{whole_house.address}/evidence/key/")
    is_sound(page)
