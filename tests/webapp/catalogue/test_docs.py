"""docs/ as a site: what is served, where links lead, and the same pages as files."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command

from webapp.catalogue.docs import LISTED, docs_pages
from webapp.catalogue.markdown import rendered, sections
from webapp.catalogue.published import publish
from webapp.catalogue.templatetags.docs_links import with_docs_links


class LinkedPage(HTMLParser):
    """The ids and addresses of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.styled = False
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        by_name = {name: text or "" for name, text in attributes}
        self.styled |= "style" in by_name or tag == "style"
        self.ids += [by_name["id"]] if "id" in by_name else []
        self.addresses += [by_name[name] for name in ("href", "src", "action") if name in by_name]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published")
    publish(out)
    return out


@pytest.fixture(scope="module")
def linked(published: Path) -> dict[Path, LinkedPage]:
    return {path: LinkedPage(path) for path in published.rglob("*.html")}


def test_every_link_and_anchor_leads_somewhere(linked: dict[Path, LinkedPage], published: Path) -> None:
    lost = []
    for path, page in linked.items():
        for address in page.addresses:
            parts = urlsplit(address)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            inside = target.is_file() and published in target.parents
            if not parts.scheme and not (
                inside and (not parts.fragment or unquote(parts.fragment) in linked[target].ids)
            ):
                lost.append((path.name, address))
    assert lost == []


def test_no_page_has_an_id_twice_or_a_style(linked: dict[Path, LinkedPage]) -> None:
    assert [path for path, page in linked.items() if max(Counter(page.ids).values()) > 1 or page.styled] == []


def test_a_published_page_loads_from_its_own_folder_alone(published: Path) -> None:
    page = (published / "decisions" / "0039-one-package-by-a-build-step.html").read_text()
    assert "default-src 'self'" in page
    assert 'src="../assets/docs.js"' in page
    assert 'data-docs-index="../search.json"' in page


def test_published_files_are_for_everybody(published: Path) -> None:
    assert {path.stat().st_mode & 0o777 for path in published.rglob("*") if path.is_file()} == {0o644}


def test_the_index_of_the_search_has_the_sections_of_all_pages(published: Path) -> None:
    index = json.loads((published / "search.json").read_text())
    assert {entry["at"] for entry in index} == {page.address_in_docs for page in docs_pages()}
    entry = next(entry for entry in index if (entry["at"], entry["id"]) == ("spark.html", "install"))
    assert (entry["page"], entry["title"]) == ("Journals in Spark", "Install")
    assert "virtual environment" in entry["text"]


def test_the_first_page_leads_to_every_page(linked: dict[Path, LinkedPage], published: Path) -> None:
    addresses = {address.partition("#")[0] for address in linked[published / "index.html"].addresses}
    assert {page.address_in_docs for page in docs_pages() if page.name != "index"} - addresses == set()
    assert {page.shelf for page in docs_pages()} == {"", "contributing", *LISTED}


def test_anchors_are_those_of_forges() -> None:
    found = sections("# A `b.c`, d\n\ntext\n\n## The same\n\n## The same\n\n`more`")
    assert [section.id for section in found] == ["", "a-bc-d", "the-same", "the-same-1"]
    assert [section.text for section in found] == ["", "text", "", "more"]


def test_a_link_that_leads_nowhere_here_is_text() -> None:
    html = rendered(
        "[a](../spark/x.py) [b](b.md#c) [d](#e)", lambda path: "b.html" if path == "b.md" else None
    )
    assert html == '<p>a <a href="b.html#c">b</a> <a href="#e">d</a></p>\n'


@pytest.mark.heavy
def test_the_site_serves_pages_files_and_the_index(viewer: Any, sign_in: Any) -> None:
    client = sign_in(viewer)
    front = client.get("/docs/").content.decode()
    assert '<h2 id="decisions">Decisions</h2>' in front
    page = client.get("/docs/spark.html").content.decode()
    assert '<h2 id="install">Install</h2>' in page
    assert 'href="#install"' in page
    assert client.get("/docs/search.json").json()[0]["at"]
    script = client.get("/docs/pipelines/nightly.sh")
    assert script.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert b"".join(script.streaming_content).startswith(b"#!")
    assert client.get("/docs/report.png").headers["Content-Type"] == "image/png"


@pytest.mark.parametrize(
    "path",
    ["nothing.html", "spark.md.html", "../README.md", "..%2FREADME.md", "%2e%2e/manage.py", "/etc/passwd", "detectors", "decisions/../../manage.py", "__pycache__/x"],
)  # fmt: skip
def test_what_is_not_below_docs_is_404(viewer: Any, sign_in: Any, path: str) -> None:
    assert sign_in(viewer).get(f"/docs/{path}").status_code == 404


def test_a_stranger_gets_404_and_a_guest_the_sign_in_page(stranger: Any, sign_in: Any, client: Any) -> None:
    for path in ("/docs/", "/docs/spark.html", "/docs/search.json"):
        assert client.get(path).status_code == 302
    assert sign_in(stranger).get("/docs/spark.html").status_code == 404


def test_the_catalogue_leads_to_the_documentation(viewer: Any, sign_in: Any) -> None:
    assert 'href="/docs/"' in sign_in(viewer).get("/catalogue/").content.decode()


def test_a_path_in_a_text_is_a_link_and_markup_is_not() -> None:
    assert with_docs_links("see docs/sources/other-csv.md, <b>") == (
        'see <a href="/docs/sources/other-csv.html">docs/sources/other-csv.md</a>, &lt;b&gt;'
    )


def test_the_page_of_the_api_leads_to_the_documentation(viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get("/api/").content.decode()
    assert '<a href="/docs/report.html">docs/report.md</a>' in page


def test_the_command_writes_into_a_new_folder_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("docs", out=tmp_path / "site")
    assert "index.html" in capsys.readouterr().out
    with pytest.raises(CommandError, match="is not empty"):
        call_command("docs", out=tmp_path / "site")


def test_a_cell_says_its_column() -> None:
    html = rendered(
        "| choice | **default** |\n|---|---|\n| keys | hidden |\n\n| a |\n|---|\n| b |\n", lambda _: None
    )
    assert '<td data-label="choice">keys</td>' in html
    assert '<td data-label="default">hidden</td>' in html
    assert '<td data-label="a">b</td>' in html
