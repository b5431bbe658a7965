"""Repair in a browser: a journal that lost a content, an older dump of it, and the records that recover it.

With E2E_PICTURES=folder a picture of each page is left there.
"""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path
from typing import Any, Literal

import orjson
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import HANGS, Seen, serious_axe_issues, upload
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House


def upload_stage(page: Page, whole_house: House, folder: Path, stage: Literal["lost", "at_risk"]) -> str:
    """Upload a dump of the incident; the address of its report."""
    return upload(page, whole_house, folder / f"repair-{stage}.json", kcat_base64(incident(5, stage)))


def is_sound(page: Page, name: str) -> None:
    """In both themes, wide and narrow: no sideways scroll, nothing that axe calls serious."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        for width in (1280, 768):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            if folder := os.environ.get("E2E_PICTURES"):
                page.screenshot(
                    path=Path(folder) / f"{name}-{theme}-{width}.png", full_page=True, caret="initial"
                )
        assert serious_axe_issues(page) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.fixture(scope="module")
def reports(
    browser: Any, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Addresses of the reports of the dump that lost a content and of the one before it did."""
    window = browser.new_context(storage_state=signed_in)
    page, folder = window.new_page(), tmp_path_factory.mktemp("dumps")
    found = {stage: upload_stage(page, whole_house, folder, stage) for stage in ("at_risk", "lost")}  # type: ignore[arg-type]
    window.close()
    return found


def open_repair(page: Page, report: str) -> None:
    """The trial that begins by itself soon after the inspection; the Overview has no link before."""
    link = page.get_by_role("link", name="Open the repair")
    for _ in range(HANGS // 1000):
        page.goto(report)
        if link.count():
            break
        page.wait_for_timeout(1000)
    link.first.click()


def test_the_text_of_another_dump_of_the_project_is_tried_by_itself_and_the_overview_says_so(
    context: BrowserContext, seen: Seen, reports: dict[str, str]
) -> None:
    page = context.new_page()
    open_repair(page, reports["lost"])
    expect(page.locator("#repair-sentence")).to_contain_text("The repair recovers", timeout=HANGS)
    page.goto(reports["lost"])
    plan = page.locator(".incident-plan").first
    expect(plan).to_contain_text(re.compile(r"Follow the \d+ steps of the repair\."))
    expect(page.locator(".victims").first).to_contain_text(re.compile(r", offset \d+"))
    is_sound(page, "repair-overview")
    page.locator(".victims .victim-proof a").last.click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text(re.compile(r"Its text is in:\s+\S+, offset \d+"), timeout=HANGS)


@pytest.mark.long
def test_an_older_dump_repairs_a_journal(
    context: BrowserContext, seen: Seen, reports: dict[str, str], tmp_path: Path
) -> None:
    page = context.new_page()
    open_repair(page, reports["lost"])
    page.get_by_role("link", name="Select other dumps or files").click(timeout=HANGS)
    expect(page.get_by_role("button", name="Build the repair records")).to_be_visible()
    page.locator("#repair-q").press_sequentially("repair-at")
    expect(page.locator("#older-choices")).to_contain_text("Showing 1 of 1")
    is_sound(page, "repair")
    page.get_by_label("repair-at_risk.json").check()
    page.locator("#repair-q").fill("nothing like it")
    expect(page.get_by_label("repair-at_risk.json")).to_be_checked()
    page.get_by_role("button", name="Build the repair records").click()
    page.wait_for_url(re.compile("/repair/[0-9a-f-]{36}/"))
    expect(page.locator("#repair-sentence")).to_contain_text("The repair recovers", timeout=HANGS)
    expect(page.locator(".way[open] > summary")).to_contain_text("Recommended")
    expect(page.locator(".way-trial")).to_contain_text("start, compaction, start")
    expect(page.locator(".way-trial td .severity")).to_contain_text(["Complete"])
    is_sound(page, "repair-result")

    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the repair (zip)").first.click()
    waiting.value.save_as(tmp_path / "repair.zip")
    assert waiting.value.suggested_filename == "kafkasql-journal-0.append.zip"
    with zipfile.ZipFile(tmp_path / "repair.zip") as packed:
        manifest = orjson.loads(packed.read("kafkasql-journal-0/repair.json"))
        assert "kafkasql-journal-0/ApplyRepair.java" in packed.namelist()
    assert manifest["topic"] == "kafkasql-journal"

    page.locator(".way[open]").get_by_text("Single files").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download append.topicdump").click()
    waiting.value.save_as(tmp_path / "append.topicdump")
    assert waiting.value.suggested_filename == "append.topicdump"
    lines = [orjson.loads(line) for line in (tmp_path / "append.topicdump").read_bytes().splitlines()]
    assert lines
    assert {line["topic"] for line in lines} == {"kafkasql-journal"}

    page.locator(".way[open]").get_by_text("and that the first start writes").click()
    page.locator(".way[open] table a", has_text=re.compile(r"\d")).first.click()
    expect(page.get_by_role("dialog").or_(page.locator(".records-table")).first).to_be_visible()


def test_without_help_the_page_says_what_to_look_for(
    context: BrowserContext, seen: Seen, reports: dict[str, str]
) -> None:
    page = context.new_page()
    page.goto(reports["lost"] + "repair/?q=")
    for ticked in page.locator("#older-choices input:checked").all():
        ticked.uncheck()
    page.get_by_role("button", name="Build the repair records").click()
    expect(page.get_by_role("heading", name="Still missing", exact=True)).to_be_visible(timeout=HANGS)
    expect(page.get_by_text("its exact bytes, whose SHA-256")).to_be_visible()
    is_sound(page, "repair-missing")
    page.get_by_role("link", name="Select other dumps or files").click()
    expect(page.get_by_role("heading", name="Repairs so far")).to_be_visible()


@pytest.mark.long
def test_what_is_not_lost_yet_is_kept_from_the_journal_itself(
    context: BrowserContext, seen: Seen, reports: dict[str, str]
) -> None:
    page = context.new_page()
    page.goto(reports["at_risk"] + "repair/?q=")
    page.get_by_role("button", name="Build the repair records").click()
    expect(page.locator("#repair-sentence")).to_contain_text("The repair keeps", timeout=HANGS)
    page.locator(".way:not([open]) > summary").click()
    is_sound(page, "repair-at-risk")
