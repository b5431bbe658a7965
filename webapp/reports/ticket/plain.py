"""Plain text: nothing is a sign, so nothing is escaped; line breaks in a name would break a sentence."""

from __future__ import annotations

import re

# control characters, line breaks of every script, and marks that turn the direction of what follows
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def text(words: str) -> str:
    """On one line."""
    return UNSEEN.sub(" ", words)


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
