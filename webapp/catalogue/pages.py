"""Pages of docs/detectors, docs/dialects and docs/sources: found by listing, rendered without trusting HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from spark.units.pages import parsed

SHELVES = {
    "detectors": "Checks",
    "dialects": "Journal types",
    "sources": "File formats",
}
LIST_BEGINS = re.compile(r"(,? and|[:;,])$")
SENTENCE_END = re.compile(r"(?<=[.:])\s+(?=[A-Z`“\"])")


@dataclass(frozen=True)
class CataloguePage:
    """One page: where it is, its heading and its first sentence. Of a detector: its severities, and in which inputs it looks."""

    shelf: str
    name: str
    title: str
    lead: str
    markdown: str
    severities: tuple[str, ...] = ()
    found_in: str = ""

    @property
    def address(self) -> str:
        """Its path on this site."""
        return reverse("catalogue-page", args=[self.shelf, self.name])

    @property
    def names_itself(self) -> bool:
        """Whether the text begins with the id."""
        return self.markdown.lstrip().startswith(f"`{self.name}`")

    @property
    def html(self) -> SafeString:
        """The body below the heading. markdown-it escapes HTML that stands in the text."""
        return mark_safe(_markdown().render(self.markdown, {"shelf": self.shelf}))  # noqa: S308 our own text, and HTML in it is escaped


def pages(shelf: str) -> list[CataloguePage]:
    """All pages of a shelf, by title."""
    files = sorted((Path(settings.BASE_DIR) / "docs" / shelf).glob("*.md"))
    shown = (_page(shelf, file, file.stat().st_mtime_ns) for file in files)
    return sorted(shown, key=lambda page: page.title.lower())


def find(shelf: str, name: str) -> CataloguePage | None:
    """One page."""
    return next((page for page in pages(shelf) if page.name == name), None) if shelf in SHELVES else None


@cache
def _page(shelf: str, file: Path, _written_ns: int) -> CataloguePage:
    """Parsed once, and again when the file is another."""
    document = parsed(file.read_text(encoding="utf-8"))
    title, _, body = document.markdown.lstrip().partition("\n")
    severities = document.facts.get("severities", ())
    return CataloguePage(
        shelf,
        file.stem,
        title.lstrip("# ").strip() or file.stem,
        _lead(body, file.stem),
        body,
        (severities,) if isinstance(severities, str) else tuple(severities),
        document.facts.get("found_in", ""),
    )


def _lead(body: str, name: str) -> str:
    """The first sentence of the first paragraph that says something, without marks; a line of facts begins with the page's id."""
    tokens = _markdown().parse(body)
    paragraphs = (tokens[at + 1] for at, token in enumerate(tokens[:-1]) if token.type == "paragraph_open")
    texts = ("".join(_text(part) for part in paragraph.children or []) for paragraph in paragraphs)
    return _sentence(next((text for text in texts if not text.startswith(name)), ""))


def _sentence(text: str) -> str:
    """Whole: what introduces a list, or is the first of one, ends as a sentence does."""
    first = SENTENCE_END.split(text.strip(), maxsplit=1)[0]
    return LIST_BEGINS.sub(".", first)


def _text(part: Token) -> str:
    return " " if part.type == "softbreak" else part.content


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    markdown.add_render_rule("link_open", _link_open)
    for block in ("fence", "code_block"):
        markdown.add_render_rule(block, _code)
    for cell in ("th_open", "td_open"):
        markdown.add_render_rule(cell, _cell_open)
    return markdown


def _table_open(self: RendererHTML, *_: Any) -> str:
    # focusable, because a wide table scrolls inside itself
    return '<div class="table-responsive" tabindex="0" role="group" aria-label="Table"><table class="table table-sm">\n'


def _code(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    # focusable like a table, for the same reason
    return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'


def _cell_open(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Alignment as a class: an inline style would be against the content security policy."""
    style = str(tokens[index].attrs.pop("style", ""))
    if "right" in style:
        tokens[index].attrSet("class", "text-end")
    return self.renderToken(tokens, index, options, env)


def _link_open(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Links to other pages of docs/ lead to their place here."""
    target = str(tokens[index].attrs.get("href", ""))
    if target.endswith(".md") and "://" not in target:
        tokens[index].attrSet("href", _here(target, str(env.get("shelf", ""))))
    return self.renderToken(tokens, index, options, env)


def _here(target: str, shelf: str) -> str:
    parts = [part for part in target.removesuffix(".md").split("/") if part not in {".", ".."}]
    shelf = parts[-2] if len(parts) > 1 else shelf
    return reverse("catalogue-page", args=[shelf, parts[-1]]) if shelf in SHELVES else target
