"""Plain text: nothing is a sign, so nothing is escaped but what a terminal would obey; line breaks in a name would break
a sentence."""

from __future__ import annotations

import re

from spark.terms.visible import one_line

BREAK = re.compile(r"[\t\r\n]+")


def text(words: str) -> str:
    """On one line."""
    return one_line(BREAK.sub(" ", words))


def code(words: str) -> str:
    """As it is."""
    return text(words)


def strong(words: str) -> str:
    """As it is."""
    return words


def item(line: str) -> str:
    """One of a list; `line` is marked up already."""
    return f"- {line}"


def step(number: int, line: str) -> str:
    """One of a numbered list."""
    return f"{number}. {line}"
