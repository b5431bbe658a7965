"""Journals, files and rules named by an attacker, in a real browser: nothing of them becomes an element, runs or is loaded.

The names are in every group, artifact and key of a registry's journal, in its topic and in its file's name. The pages must show them as text.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pypdf import PdfReader

from tests.e2e.looking import HANGS, Seen, upload
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.whole_house import House

SECONDS = 1000
PLANT = "</script><img src=planted onerror=planted()><a href=javascript:planted()>"
SHOWN = "<img src=planted"
REPLACED = (b"orders", b"payments", b"shipping", b"money", b"parcel")
FILE = "<img src=planted onerror=planted()>%s.json"
ELEMENTS = """[...document.querySelectorAll(
    "img[src*=planted], a[href^='javascript:' i], [onerror], [onload], [style*=planted], iframe, object, embed")]
    .map(element => element.outerHTML.slice(0, 200)).concat(window.planted === undefined ? [] : ['it ran'])"""
ACTIVE_PDF = ("/JavaScript", "/JS", "/Launch", "/URI", "/EmbeddedFile", "/AcroForm")
PAGES = (
    "", "timeline/", "keys/", "records/", "records/6/", "state/", "files/", "repair/", "compare/", "log/", "profile/", "formats/",
)  # fmt: skip
LISTS = (
    "/", "/review/rules/", "/review/rules/of/default/planted/versions/1/", "/review/", "/review/?q=%3Cimg%20src%3Dplanted", "/operations/jobs/", "/operations/storage/",
    "/audit/", "/catalogue/",
)  # fmt: skip
WITHOUT_NAMES = ("/catalogue/", "/operations/jobs/", "/operations/storage/", "/audit/")
RULE = """\
name: planted
title: "{0}"
severity: low
over: records
when:
  all:
    - {{column: key, starts: "nothing starts so {0}"}}
text: "{0}"
remedy: "{0}"
"""


def hostile(stage: str) -> bytes:
    """The journal of an incident whose names are an attacker's."""
    journal = incident(5, stage)  # type: ignore[arg-type]
    stored = [
        replace(
            one,
            record=replace(one.record, key=planted_in(one.record.key), value=planted_in(one.record.value)),
        )
        for one in journal.stored
    ]
    rows = kcat_base64(replace(journal, stored=stored)).splitlines()
    return b"\n".join(orjson.dumps(orjson.loads(row) | {"topic": PLANT}) for row in rows) + b"\n"


def planted_in(content: bytes | None) -> bytes | None:
    """A content (type 2) says how long it is: it stays as it is."""
    for name in REPLACED if content and content[0] != 2 else ():
        content = content.replace(name, PLANT.encode() + name)  # type: ignore[union-attr]
    return content


@pytest.fixture(scope="module")
def reports(  # type: ignore[no-untyped-def]
    browser, signed_in: Path, whole_house: House, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """Addresses of the reports of two such journals: contents at risk, and lost."""
    folder = tmp_path_factory.mktemp("hostile")
    window = browser.new_context(storage_state=signed_in)
    page = window.new_page()
    addresses = [
        upload(page, whole_house, folder / (FILE % stage), hostile(stage)) for stage in ("at_risk", "lost")
    ]
    window.close()
    return addresses


def nothing_came_alive(page: Page, *, shows: bool = True) -> None:
    """No element of a name, nothing ran; the page does show names, as text."""
    assert page.evaluate(ELEMENTS) == []
    if shows:
        assert SHOWN in page.evaluate("document.documentElement.innerText"), page.url


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


def test_no_page_of_a_report_brings_a_name_to_life(
    context: BrowserContext, seen: Seen, reports: list[str]
) -> None:
    for path in PAGES:
        page = opened(context, reports[1] + path)
        nothing_came_alive(page)
        page.close()
    page = opened(context, reports[1] + "keys/")
    page.locator("tbody a").first.click()
    page.wait_for_load_state("networkidle")
    nothing_came_alive(page)
    page.goto(reports[1] + "records/")
    page.locator(".records-table tbody a.offset").nth(5).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    nothing_came_alive(page)


def test_lanes_and_hover_of_the_timeline_show_names_as_text(
    context: BrowserContext, seen: Seen, reports: list[str]
) -> None:
    page = opened(context, reports[1] + "timeline/")
    expect(page.locator("#timeline .main-svg").first).to_be_visible(timeout=20 * SECONDS)
    lanes = " ".join(page.locator("[data-timeline-names] [data-lane]").all_inner_texts())
    assert "<" in lanes
    assert any(SHOWN in text for text in hovered(page))
    nothing_came_alive(page)
    page.locator("[data-timeline-plot]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-timeline-spoken]")).not_to_be_empty()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible(timeout=10 * SECONDS)
    nothing_came_alive(page)


def hovered(page: Page) -> Iterator[str]:
    """What is shown over marks, one after the other."""
    for mark in page.locator("#timeline .scatterlayer .point").all()[:40]:
        box = mark.bounding_box()
        if box:
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.wait_for_timeout(100)
            label = page.locator("#timeline .hoverlayer")
            yield label.text_content() or ""
            assert label.locator("a, [style*=bold]").count() == 0


@pytest.mark.long
def test_comparisons_and_their_files_show_names_as_text(
    context: BrowserContext, seen: Seen, reports: list[str], tmp_path: Path
) -> None:
    other = re.search(r"inspections/([0-9a-f-]+)/", reports[1])
    assert other
    page = opened(context, f"{reports[0]}compare/{other[1]}/")
    page.get_by_role("button", name=re.compile("Compare")).first.click()
    expect(page.locator(".compare-strip").first).to_be_visible(timeout=HANGS)
    page.wait_for_load_state("networkidle")
    nothing_came_alive(page)
    for name in ("entities.csv", "records.csv", "comparison.json"):
        answer = context.request.get(f"{reports[0]}compare/{other[1]}/export/{name}")
        assert answer.ok, name
        assert "attachment" in answer.headers["content-disposition"]
        assert name != "comparison.json" or b"<" not in answer.body()


@pytest.mark.long
def test_rules_and_the_lists_show_names_as_text(
    context: BrowserContext, seen: Seen, whole_house: House, reports: list[str]
) -> None:
    page = opened(context, f"{whole_house.address}/review/rules/new/default/")
    page.locator("textarea[name=text]").fill(RULE.format(PLANT))
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile("/of/default/planted/"))
    nothing_came_alive(page)
    for path in LISTS:
        page.goto(whole_house.address + path)
        page.wait_for_load_state("networkidle")
        nothing_came_alive(page, shows=path not in WITHOUT_NAMES)
    page.goto(f"{whole_house.address}/review/rules/of/default/planted/")
    page.locator("form[action$='/active/'] button").click()  # no inspection of another test uses it
    page.wait_for_load_state("networkidle")


@pytest.mark.long
def test_evidence_shows_names_as_text_offline_and_in_print(
    context: BrowserContext, seen: Seen, reports: list[str], tmp_path: Path
) -> None:
    page = opened(context, reports[1].replace("/report/", "/evidence/"))
    for box in page.locator("form input[type=checkbox]").all():
        box.check()
    with page.expect_download(timeout=HANGS) as download:
        page.get_by_role("button", name="Download the bundle", exact=True).click()
    bundle = tmp_path / "bundle.zip"
    download.value.save_as(bundle)
    with zipfile.ZipFile(bundle) as opened_bundle:
        opened_bundle.extractall(tmp_path)
    offline = context.browser.new_page()  # type: ignore[union-attr]
    asked: list[str] = []
    offline.on("request", lambda request: asked.append(request.url))
    offline.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    offline.goto((tmp_path / "report.html").as_uri())
    nothing_came_alive(offline)
    assert asked == [(tmp_path / "report.html").as_uri()]
    offline.close()
    paper = PdfReader(tmp_path / "report.pdf")
    assert SHOWN in "".join("".join(page.extract_text().split("\n")) for page in paper.pages)
    objects = [str(paper.get_object(number)) for number in range(1, len(paper.xref[0]) + 1)]
    assert [word for word in ACTIVE_PDF for text in objects if f"'{word}'" in text] == []
