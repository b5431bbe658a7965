"""The house's own words: all that stands in the string constants of the code that writes a report's sentences.

A word that is not among them came out of the data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WRITERS = (
    "advice", "cleaner", "detectors", "dialects", "log", "repair", "report", "sources", "stages", "terms/findings.py",
    "terms/topic_commands.py", "terms/wording.py", "codecs/proto_file",
)  # fmt: skip
# What may stand between words; a name with / or : in it is one word, else it could be put together from known ones.
BETWEEN = r"([=,;()\[\]`\"“”–—…]+)"
EDGES = "\"'`“”‘’‹›«»()[]{}<>,.;:!?…–—-+*#|=/\\~^&_$@%"


@dataclass(frozen=True)
class Vocabulary:
    """`words` one by one, in small letters; `phrases` as they stand in the code."""

    words: frozenset[str]
    phrases: frozenset[str]


@lru_cache(maxsize=2)
def vocabulary_of(package: Path) -> Vocabulary:
    """Read the code below the `spark` package once per process; nothing of it is run."""
    phrases: set[str] = set()
    for name in WRITERS:
        place = package / name
        if not place.exists():
            raise FileNotFoundError(place)
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            phrases.update(_constants(ast.parse(file.read_bytes())))
    words = {word for phrase in phrases for word in words_of(phrase)}
    return Vocabulary(frozenset(words), frozenset(phrases))


def words_of(text: str) -> Iterator[str]:
    """Words in small letters, without what surrounds them."""
    for piece in re.split(rf"\s+|{BETWEEN}", text):
        word = (piece or "").strip(EDGES).casefold()
        if word:
            yield word


def _constants(tree: ast.AST) -> Iterator[str]:
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value
