"""Markdown of docs/ as HTML, without trusting HTML in it; headings get the anchors that forges give them.

A link that leads to nothing of this site, such as one to a module of the repository, becomes its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


class DocsSection(NamedTuple):
    """A heading with what follows it, as plain text. `id`: its anchor, "" for what comes before the first heading."""

    id: str
    title: str
    text: str


def rendered(text: str, locate: Callable[[str], str | None]) -> SafeString:
    """HTML. `locate`: where a path relative to the page is on this site; None where it is nowhere."""
    tokens = _parsed(text)
    for token in tokens:
        _located(token.children or [], locate)
    return mark_safe(_markdown().renderer.render(tokens, _markdown().options, {}))  # noqa: S308 our own text, and HTML in it is escaped


def sections(text: str) -> list[DocsSection]:
    """What a search looks through."""
    entries = [DocsSection("", "", "")]
    tokens = _parsed(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before and before.type == "heading_open":
            entries.append(DocsSection(str(before.attrs["id"]), plain(token), ""))
        elif token.type in {"inline", "fence", "code_block"}:
            entries[-1] = entries[-1]._replace(text=f"{entries[-1].text} {plain(token)}".strip())
    return entries


def paragraphs(text: str) -> list[str]:
    """Their plain text."""
    tokens = _parsed(text)
    return [plain(tokens[at + 1]) for at, token in enumerate(tokens[:-1]) if token.type == "paragraph_open"]


def plain(token: Token) -> str:
    """Without marks."""
    return "".join(map(_text, token.children)) if token.children else token.content


def _text(part: Token) -> str:
    return " " if part.type == "softbreak" else part.content


def _parsed(text: str) -> list[Token]:
    tokens = _markdown().parse(text)
    taken: set[str] = set()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(plain(inline), taken))
    _label_cells(tokens)
    return tokens


def _label_cells(tokens: Sequence[Token]) -> None:
    """Each cell gets the title of its column, which stands before it where a phone has no room for columns."""
    titles: list[str] = []
    column = 0
    for token, inline in pairwise(tokens):
        if token.type == "table_open":
            titles = []
        elif token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            titles.append(plain(inline))
        elif token.type == "td_open":
            token.attrSet("data-label", titles[column])
            column += 1


def _anchor(title: str, taken: set[str]) -> str:
    """As forges make it, so that links of the repository work here, too."""
    name = NOT_IN_ANCHORS.sub("", title.lower()).replace(" ", "-")
    anchor = next(anchor for anchor in (name, *(f"{name}-{n}" for n in range(1, 99))) if anchor not in taken)
    taken.add(anchor)
    return anchor


def _located(tokens: Iterable[Token], locate: Callable[[str], str | None]) -> None:
    is_text = False
    for token in tokens:
        if token.type == "link_open":
            target = urlsplit(str(token.attrs["href"]))
            if not target.scheme and target.path:
                address = locate(target.path)
                is_text = address is None
                token.attrSet("href", f"{address}#{target.fragment}" if target.fragment else address or "")
        elif token.type == "image":
            token.attrSet("src", locate(str(token.attrs["src"])) or "")
        if is_text and token.type in {"link_open", "link_close"}:
            token.hidden = True
            is_text = token.type == "link_open"


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    for block in ("fence", "code_block"):
        markdown.add_render_rule(block, _code)
    for cell in ("th_open", "td_open"):
        markdown.add_render_rule(cell, _cell_open)
    for link in ("link_open", "link_close"):
        markdown.add_render_rule(link, _link)
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


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return "" if tokens[index].hidden else self.renderToken(tokens, index, options, env)
