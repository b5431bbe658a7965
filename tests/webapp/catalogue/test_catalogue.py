"""The pages of docs/, as the app shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from webapp.catalogue.groups import EVERY_TOPIC, SEVERITIES, groups
from webapp.catalogue.pages import SHELVES, pages

PAGE = """# Lost tail

`lost-tail` · high

The *last* bytes
are `missing`.

## Example
| a | b |
|---|--:|
| 1 | <img src=x onerror=alert(1)> |

See [another](other-page.md), [a layout](../sources/kcat-json.md), [outside](https://example.org/x.md), [more](../spark.md#paths).
[bad](javascript:alert(1))
"""


WHOLE_SENTENCE = re.compile(r"[A-Z].*[^\s.:;,…]\.", re.DOTALL)


@pytest.fixture
def shelf(settings: Any, tmp_path: Path) -> Path:
    settings.BASE_DIR = tmp_path
    folder = tmp_path / "docs" / "detectors"
    folder.mkdir(parents=True)
    (folder / "lost-tail.md").write_text(PAGE)
    return folder


def test_the_list_shows_heading_and_first_sentence(shelf: Path, viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get("/catalogue/").content.decode()
    assert "Lost tail" in page
    assert "The last bytes are missing." in page
    assert "/catalogue/detectors/lost-tail/" in page
    assert "· high" not in page


def test_summaries_are_whole_sentences(settings: Any) -> None:
    leads = {page.path: page.lead for shelf in SHELVES for page in pages(shelf)}
    broken = {
        path: lead
        for path, lead in leads.items()
        if not WHOLE_SENTENCE.fullmatch(lead) or lead.count("(") != lead.count(")")
    }
    assert broken == {}


def test_checks_are_grouped_by_journal_with_the_worst_first() -> None:
    by_title = {group.title: [page.name for page in group.pages] for group in groups()}
    assert "content-null-update" in by_title["Apicurio Registry"]
    assert "several-key-forms" in by_title["Schema registries"]
    assert "group-stuck" in by_title["Consumer groups and share groups"]
    assert "crc-mismatch" in by_title[EVERY_TOPIC]
    checks = [group for group in groups() if group.shelf == "detectors"]
    for group in checks:
        worst = [min(SEVERITIES.index(level) for level in page.severities) for page in group.pages]
        assert worst == sorted(worst), group.title
    assert sum(len(group.pages) for group in checks) == len(pages("detectors"))


def test_the_catalogue_is_searched_by_words_and_severity(viewer: Any, sign_in: Any) -> None:
    client = sign_in(viewer)
    page = client.get("/catalogue/?q=Hanging+TRANSACTION&severity=high").content.decode()
    assert "/catalogue/detectors/hanging-transaction/" in page
    assert "/catalogue/detectors/crc-mismatch/" not in page
    assert "<details" in page
    nothing = client.get("/catalogue/?q=xyzzy").content.decode()
    assert "Nothing contains all words of “xyzzy”" in nothing
    assert page.count(" open>") >= 1
    assert client.get("/catalogue/").content.decode().count(" open>") == 0
    assert client.get("/catalogue/?open=sources").content.decode().count(" open>") == 1


def test_a_page_is_rendered_with_tables_and_without_foreign_markup(
    shelf: Path, viewer: Any, sign_in: Any
) -> None:
    page = sign_in(viewer).get("/catalogue/detectors/lost-tail/").content.decode()
    assert "<h1" in page
    assert re.search('<td[^>]* class="text-end">', page)
    assert "<img" not in page
    assert "style=" not in page
    assert 'href="javascript:' not in page


def test_links_between_pages_lead_to_their_place_here(shelf: Path, viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get("/catalogue/detectors/lost-tail/").content.decode()
    assert 'href="/catalogue/detectors/other-page/"' in page
    assert 'href="/catalogue/sources/kcat-json/"' in page
    assert 'href="https://example.org/x.md"' in page
    assert 'href="/docs/spark.html#paths"' in page


@pytest.mark.parametrize(
    "path", ["detectors/nothing", "secrets/settings", "detectors/..", "decisions/0001-x"]
)
def test_what_is_not_on_a_shelf_is_404(shelf: Path, viewer: Any, sign_in: Any, path: str) -> None:
    assert sign_in(viewer).get(f"/catalogue/{path}/").status_code == 404


@pytest.mark.heavy
def test_every_page_of_this_project_renders(viewer: Any, sign_in: Any, settings: Any) -> None:
    client = sign_in(viewer)
    files = [
        file
        for shelf in ("detectors", "dialects", "sources")
        for file in (settings.BASE_DIR / "docs" / shelf).glob("*.md")
    ]
    for file in files:
        response = client.get(f"/catalogue/{file.parent.name}/{file.stem}/")
        assert response.status_code == 200, file
        assert "style=" not in response.content.decode(), file


def test_a_remedy_has_words_in_place_of_values(shelf: Path, viewer: Any, sign_in: Any) -> None:
    (shelf / "lost-head.md").write_text(WITH_REMEDY)
    page = " ".join(sign_in(viewer).get("/catalogue/detectors/lost-head/").content.decode().split())
    assert (
        "<code>lost-head</code> · <strong>high</strong> for journals, <strong>low</strong> for other topics · dumps"
        in page
    )
    assert (
        "<em>If it hangs:</em> Abort from offset <em>&lt;first&gt;</em>: <code>abort --topic TOPIC</code>"
        in page
    )
    assert "Take a full dump of the topic: <code>kcat -C -b BROKER:9092 -t TOPIC" in page
    assert page.index('<a href="https://example.org/kip">KIP</a>') < page.index("A class of Kafka")
    assert "severities" not in page


WITH_REMEDY = """---
id: lost-head
severities:
  high: for journals
  low: for other topics
found_in: dumps
references:
- "[KIP](https://example.org/kip)"
---
# Lost head

## What to do
1. {step:dump}
2. *If it hangs:* Abort from offset {offset:first}: `abort --topic {topic}`

## References
- A class of Kafka
"""


def test_a_stranger_gets_404(stranger: Any, sign_in: Any) -> None:
    for path in ("/catalogue/", "/catalogue/detectors/crc-mismatch/"):
        assert sign_in(stranger).get(path).status_code == 404
