"""How long an answer may be: rows by pages, texts by pieces, and a last cut of what is still too long.

Whatever is cut is said: a page or a piece has the start of the next one, a cut text ends with what it lacks, and the member
`cut` of a document names lists and objects of which only the first members are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from spark.terms.visible import visible_json

Document = dict[str, Any]
SIZES = (
    (4_000, 200),
    (1_000, 50),
    (300, 20),
    (80, 10),
)  # characters of a text, members of a list or an object
PAGE, PIECE = 2, 8  # a page of rows is a half of an answer at most, a piece of a text an eighth
PATH_CHARACTERS = 80


@dataclass(frozen=True)
class AnswerBounds:
    """`characters` of an answer as JSON, `rows` of a page at most."""

    characters: int
    rows: int

    def page(
        self, rows: Iterable[Document], start: int, limit: int | None = None
    ) -> tuple[list[Document], int | None]:
        """Rows from `start` on, at least one, and the start of the next page."""
        page: list[Document] = []
        room = self.characters // PAGE
        for row in islice(rows, start, None):
            short = self.within(row, PAGE)
            room -= length(short)
            if page and (room < 0 or len(page) >= min(limit or self.rows, self.rows)):
                return page, start + len(page)
            page.append(short)
        return page, None

    def within(self, document: Document, share: int) -> Document:
        """A document that takes a part of the answer."""
        return bounded(document, self.characters // share)

    def piece(self, text: str, start: int, share: int = PIECE) -> tuple[str, int | None]:
        """A text from `start` on, and the start of the next piece."""
        end = start + self.characters // share
        while length(text[start:end]) > self.characters // share and end > start + 1:
            end = start + (end - start) // 2
        return text[start:end], end if end < len(text) else None

    def whole(self, document: Document, always: Document) -> Document:
        """The answer; `always` is never cut."""
        return {**always, **bounded(document, self.characters - length(always))}


def length(value: Any) -> int:
    """Characters as JSON, where what a terminal would obey is an escape."""
    return len(visible_json(json.dumps(value, ensure_ascii=False)))


def bounded(document: Document, characters: int) -> Document:
    """The document with the mildest cut that is enough."""
    if length(document) <= characters:
        return document
    for max_characters, max_members in SIZES:
        cut: list[str] = []
        shorter = shortened(document, max_characters, max_members, "", cut.append)
        result = {**shorter, **({"cut": sorted(set(cut))} if cut else {})}
        if length(result) <= characters:
            return result
    return {"cut": ["everything: this is too large to show"]}


def shortened(value: Any, characters: int, members: int, path: str, note: Callable[[str], None]) -> Any:
    """The same with short texts and few members; `note` gets the path of what lacks some."""
    if isinstance(value, str):
        return cut_text(value, characters)
    if not isinstance(value, dict | list):
        return value
    if len(value) > members:
        note(f"{path or 'this object'}: {len(value) - members} more")
    if isinstance(value, list):
        return [shortened(item, characters, members, path, note) for item in value[:members]]
    return {
        cut_text(name, characters): shortened(
            item, characters, members, f"{path}.{name}".lstrip(".")[:PATH_CHARACTERS], note
        )
        for name, item in islice(value.items(), members)
    }


def cut_text(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]} [cut: {len(text) - characters} more characters]"
