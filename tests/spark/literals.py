"""Literals of typed texts held against the code: a word that no string constant of spark/, and no remedy of a page, has came out of the data.

The net below redaction by values: whoever forgets to mark a name makes a literal of it, and a share would show it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from spark.units.pages import DOCS, page

SPARK = Path(__file__).resolve().parents[2] / "spark"
BETWEEN = r"([=,;()\[\]`\"“”–—…]+)"
EDGES = "\"'`“”‘’‹›«»()[]{}<>,.;:!?…–—-+*#|=/\\~^&_$@%"
INNER = re.compile(r"[/.:-]")
NUMBER = re.compile(r"[\d,._-]+")


@cache
def house() -> frozenset[str]:
    """The words of all string constants of spark/ without docstrings, and of all remedies, in small letters; the parts of paths in them."""
    texts = [text for path in SPARK.rglob("*.py") for text in constants(ast.parse(path.read_bytes()))]
    words = {word for text in (*texts, *of_remedies()) for word in words_of(text)}
    return frozenset(words | {part for word in words for part in INNER.split(word)})


def constants(tree: ast.AST) -> Iterator[str]:
    """String constants of a module but its documentation."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def of_remedies() -> Iterator[str]:
    """The steps on the pages of detectors."""
    for path in (DOCS / "detectors").glob("*.md"):
        for remedy in page("detectors", path.stem).remedies.values():
            yield from (step.text for step in remedy.steps)


def words_of(text: str) -> Iterator[str]:
    """Words in small letters, without what surrounds them."""
    for piece in re.split(rf"\s+|{BETWEEN}", text):
        word = (piece or "").strip(EDGES).casefold()
        if word:
            yield word


def literals(document: Any) -> Iterator[str]:
    """Every literal of a report's typed texts."""
    if isinstance(document, dict):
        if "segments" in document:
            yield from of_segments(document["segments"])
        else:
            for part in document.values():
                yield from literals(part)
    elif isinstance(document, list):
        for part in document:
            yield from literals(part)


def of_segments(segments: list[dict[str, Any]]) -> Iterator[str]:
    """Those of a line and of the code in it."""
    for segment in segments:
        if "kind" not in segment:
            yield segment["text"]
        elif segment["kind"] == "code":
            yield from of_segments(segment["segments"])


def values(document: Any) -> Iterator[tuple[str, str]]:
    """Kind and text of every value of a report's typed texts."""
    if isinstance(document, dict):
        if "kind" in document and "text" in document and document["kind"] != "code":
            yield document["kind"], document["text"]
        for part in document.values():
            yield from values(part)
    elif isinstance(document, list):
        for part in document:
            yield from values(part)


def foreign_words(report: dict[str, Any]) -> set[str]:
    """Words of literals that no constant has; numbers are none."""
    found = {word for literal in literals(report) for word in words_of(literal)}
    return {word for word in found if not is_ours(word)}


def is_ours(word: str) -> bool:
    """A word of the code, or its plural; a number; several of them in a path or a file's name."""
    parts = [word] if word in house() else [part for part in INNER.split(word) if part]
    return all(
        part in house() or part.removesuffix("s") in house() or NUMBER.fullmatch(part) for part in parts
    )
