"""Pages of docs/: those of the folders that are shelves of the catalogue, and any by its path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from django.urls import reverse
from django.utils.safestring import SafeString

from spark.units.pages import parsed
from webapp.catalogue.markdown import paragraphs, rendered
from webapp.catalogue.places import address, below_docs, docs_folder

SHELVES = {
    "detectors": "Checks",
    "dialects": "Journal types",
    "sources": "File formats",
}
LIST_BEGINS = re.compile(r"(,? and|[:;,])$")
SENTENCE_END = re.compile(r"((?<=[^.]\.)|(?<=:))\s+(?=[A-Z`“\"])")


@dataclass(frozen=True)
class CataloguePage:
    """One page: where it is, its heading and its first sentence. Of a detector: its severities, and in which inputs it looks.

    `shelf`: its folder below docs/, "" for docs/ itself.
    """

    shelf: str
    name: str
    title: str
    markdown: str
    severities: tuple[str, ...] = ()
    found_in: str = ""

    @cached_property
    def lead(self) -> str:
        """Its first sentence that says something."""
        return _lead(self.markdown, self.name)

    @property
    def path(self) -> str:
        """Below docs/."""
        return f"{self.shelf}/{self.name}.md".lstrip("/")

    @property
    def address_in_docs(self) -> str:
        return address(self.path)

    @property
    def docs_address(self) -> str:
        """Its path in the documentation of this site."""
        return reverse("docs-file", args=[self.address_in_docs])

    @property
    def address(self) -> str:
        """Its path in the catalogue."""
        return reverse("catalogue-page", args=[self.shelf, self.name])

    @property
    def names_itself(self) -> bool:
        """Whether the text begins with the id."""
        return self.markdown.lstrip().startswith(f"`{self.name}`")

    @property
    def html(self) -> SafeString:
        """The body below the heading."""
        return rendered(self.markdown, self._locate)

    def _locate(self, target: str) -> str | None:
        """Pages of a shelf have their place in the catalogue, others in the documentation."""
        path = below_docs(self.shelf, target)
        shelf, _, name = (path or "").removesuffix(".md").rpartition("/")
        if shelf in SHELVES and name:
            return reverse("catalogue-page", args=[shelf, name])
        return None if path is None else reverse("docs-file", args=[address(path)])


def pages(shelf: str) -> list[CataloguePage]:
    """All pages of a shelf, by title."""
    names = (f"{shelf}/{file.name}" for file in (docs_folder() / shelf).glob("*.md"))
    return sorted(map(page_of, names), key=lambda page: page.title.lower())


def find(shelf: str, name: str) -> CataloguePage | None:
    """One page."""
    return next((page for page in pages(shelf) if page.name == name), None) if shelf in SHELVES else None


def page_of(path: str) -> CataloguePage:
    """The page of a file below docs/."""
    file = docs_folder() / path
    return _page(path.rpartition("/")[0], file, file.stat().st_mtime_ns)


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
        body,
        (severities,) if isinstance(severities, str) else tuple(severities),
        document.facts.get("found_in", ""),
    )


def _lead(body: str, name: str) -> str:
    """The first sentence of the first paragraph that says something, without marks; a line of facts begins with the page's id."""
    return _sentence(next((text for text in paragraphs(body) if not text.startswith(name)), ""))


def _sentence(text: str) -> str:
    """Whole: no bracket stays open, and what introduces a list, or is the first of one, ends as a sentence does."""
    text = text.strip()
    ends = (text[: end.start()] for end in SENTENCE_END.finditer(text))
    first = next((begun for begun in ends if begun.count("(") == begun.count(")")), text)
    return LIST_BEGINS.sub(".", first)
