"""The documentation in a browser: on the site, and published as files behind Python's own web server."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.looking import Seen, becomes_true, serious_axe_issues
from tests.workers.whole_house import House
from webapp.catalogue.published import publish

PHONE = {"width": 390, "height": 844}
SERVE = """
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the published pages, below a folder as on a forge."""
    out = tmp_path_factory.mktemp("www")
    publish(out / "journalscope")
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert server.stdout
    yield f"http://127.0.0.1:{server.stdout.readline().strip()}/journalscope/"
    server.kill()
    server.wait()


@pytest.fixture
def page(browser: Browser, published: str) -> Iterator[Page]:
    """A published page must load from its own server alone, without a complaint."""
    window = browser.new_context(viewport=PHONE)  # type: ignore[arg-type]
    page = window.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith(published) else complaints.append(request.url),
    )
    page.on("response", lambda response: None if response.status < 400 else complaints.append(response.url))
    page.goto(published)
    yield page
    window.close()
    assert complaints == []


def finds(page: Page) -> None:
    """A section of another page by words of its text, by keyboard."""
    page.get_by_role("searchbox", name="Search the documentation").fill("pyspark_python registered")
    expect(page.locator("#docs-results li").first).to_contain_text("Journals in Spark · Install")
    text = page.locator("#docs-results li .quiet").first
    assert (text.text_content() or "").endswith(" …")
    expect(text.locator("mark").first).to_have_text(re.compile("pyspark_python|registered", re.IGNORECASE))
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/spark.html#install")
    expect(page.get_by_role("heading", name="Install", exact=True)).to_be_in_viewport()


def test_the_published_search_finds_and_code_is_copied(page: Page, published: str) -> None:
    finds(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("spark.read.format(")
    page.goto(f"{published}?q=xyzzy#%")
    expect(page.get_by_role("status")).to_have_text("No section contains all words of “xyzzy”.")


def test_published_pages_open_from_the_first_in_both_themes(page: Page, published: str) -> None:
    links = page.eval_on_selector_all("article a", "links => links.map(link => link.href)")
    assert [link for link in links if urlopen(link.partition("#")[0]).status != 200] == []
    for name in ("index.html", "report.html", "detectors/crc-mismatch.html"):
        page.goto(published + name)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            assert becomes_true(page, f"document.documentElement.dataset.bsTheme === '{theme}'")
            assert serious_axe_issues(page) == []
        assert not page.evaluate(TOO_WIDE), name
    page.goto(f"{published}index.html#decisions")
    expect(page.get_by_role("link", name="0039: One package, made by a build step")).to_be_visible()


def test_the_site_has_the_same_pages_and_search(
    context: BrowserContext, seen: Seen, whole_house: House
) -> None:
    page = context.new_page()
    page.goto(f"{whole_house.address}/docs/")
    assert serious_axe_issues(page) == []
    finds(page)
    page.get_by_role("link", name="Documentation", exact=True).first.click()
    page.wait_for_url(f"{whole_house.address}/docs/index.html")
