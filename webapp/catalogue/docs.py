"""docs/ as one site of pages with relative links and a search: served under /docs/, written as files by `manage.py docs`."""

from __future__ import annotations

import posixpath
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.safestring import SafeString

from spark.terms.installation import version
from webapp.catalogue.markdown import DocsSection, rendered, sections
from webapp.catalogue.pages import SHELVES, CataloguePage, page_of
from webapp.catalogue.places import FIRST_PAGE, address, below_docs, docs_folder

INDEX = "search.json"
LISTED = {**SHELVES, "decisions": "Decisions"}  # folders whose pages the first page lists


def docs_pages() -> list[CataloguePage]:
    """Every page below docs/."""
    return [page_of(name) for name in file_names() if name.endswith(".md")]


def file_names() -> list[str]:
    """Paths of all files below docs/."""
    folder = docs_folder()
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.as_posix() for path in paths if not any(part[0] in "._" for part in path.parts)]


def find(path: str) -> CataloguePage | Path | None:
    """The page of an address, or the file; what is not listed is not there."""
    name = f"{path.removesuffix('.html')}.md" if path.endswith(".html") else path
    if name not in file_names():
        return None
    return page_of(name) if path.endswith(".html") else docs_folder() / name


def context(page: CataloguePage) -> dict[str, Any]:
    """What templates/docs/page.html shows. `root`: the way to the first page."""
    root = "../" * page.path.count("/")
    is_first = page.address_in_docs == FIRST_PAGE
    listed = LISTED.items() if is_first else ()
    return {
        "page": page,
        "root": root,
        "index": f"{root}{INDEX}",
        "first_page": f"{root}{FIRST_PAGE}",
        "folder": LISTED.get(page.shelf, ""),
        "html": html(page),
        "sections": [section for section in sections_of(page) if section.id],
        "folders": [
            (name, title, [page for page in docs_pages() if page.shelf == name]) for name, title in listed
        ],
        "is_first": is_first,
        "version": version(),
    }


def html(page: CataloguePage) -> SafeString:
    """The body below the heading; its links are relative."""

    def locate(target: str) -> str | None:
        path = below_docs(page.shelf, target)
        if path is None or path == page.path:
            return path and address(path).rpartition("/")[2]
        return posixpath.relpath(address(path), page.shelf or ".")

    return rendered(page.markdown, locate)


@cache
def sections_of(page: CataloguePage) -> list[DocsSection]:
    return sections(page.markdown)


def search_index() -> list[dict[str, str]]:
    """One entry for each section, as static/js/docs.js reads it."""
    return [
        {
            "at": page.address_in_docs,
            "id": section.id,
            "page": page.title,
            "title": section.title,
            "text": section.text,
        }
        for page in docs_pages()
        for section in sections_of(page)
        if section.id or section.text
    ]
