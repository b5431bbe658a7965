"""The glossary's words that code should not use as names: their number may only fall."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNTS = Path(__file__).with_name("vocabulary_counts.json")
SMALL_WORDS = (
    "told", "found", "said", "asked", "wanted", "given", "kept", "mine",
    "one", "what", "known", "part", "shown", "left", "held", "here", "there", "seen",
)  # fmt: skip
BOUNDS = re.compile(r"^_?(MOST|LONGEST|LEAST|LARGEST|DEEPEST)(_|$)")
ROOMS = ("spark", "workers", "webapp")


def banned() -> set[str]:
    """The last column of the glossary's tables, and the small words."""
    rows = [
        line.split("|")[3]
        for line in (ROOT / "docs/glossary.md").read_text().splitlines()
        if line.count("|") == 4
    ]
    words = {word.strip() for cell in rows for word in cell.split(",") if word.strip()}
    return words - {"not as a name", "---"} | set(SMALL_WORDS)


def names(tree: ast.AST) -> Iterator[str]:
    """Names that a module gives: of variables, arguments, functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def counted() -> dict[str, int]:
    """How often each banned word is given as a name; all names of bounds count as one word."""
    words, counts = banned(), Counter[str]()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for name in names(ast.parse(path.read_text())):
                if name in words:
                    counts[name] += 1
                elif BOUNDS.match(name):
                    counts["MOST_*"] += 1
    return dict(sorted(counts.items()))


def test_words_that_the_glossary_advises_against_become_fewer() -> None:
    allowed, now = json.loads(COUNTS.read_text()), counted()
    more = {
        word: (count, allowed.get(word, 0)) for word, count in now.items() if count > allowed.get(word, 0)
    }
    assert more == {}, f"{more}: see docs/glossary.md for the words to use instead"
    fewer = {word: count for word, count in allowed.items() if now.get(word, 0) < count}
    assert fewer == {}, f"write the lower counts into {COUNTS.name}: {now}"


def test_the_glossary_explains_each_term_once() -> None:
    rows = [
        line.split("|")[1].strip()
        for line in (ROOT / "docs/glossary.md").read_text().splitlines()
        if line.count("|") == 4
    ]
    terms = [term for term in rows if term not in ("term", "---")]
    assert 60 <= len(terms) <= 80, "one page"
    assert len(terms) == len(set(terms))
