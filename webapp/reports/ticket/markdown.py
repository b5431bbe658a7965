"""Markdown as GitHub, GitLab and most ticket systems read it (CommonMark): signs get a backslash, code a fence
longer than any run of backticks in it."""

from __future__ import annotations

import re

from webapp.reports.ticket import plain

# an underscore within a word is no sign; a `#` or a bullet is one only where a line begins, and text never begins one
SIGNS = re.compile(r"[\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|^[#+-](?=\s)|(?<=^\d)[.)]")
BACKTICKS = re.compile("`+")


def text(words: str) -> str:
    """Signs as themselves."""
    return SIGNS.sub(r"\\\g<0>", plain.text(words))


def code(words: str) -> str:
    """A span of code; a bar would end a table's cell even there."""
    words = plain.text(words)
    fence = "`" * (max(map(len, BACKTICKS.findall(words)), default=0) + 1)
    edge = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{edge}{words}{edge}{fence}"


def strong(words: str) -> str:
    """Bold. `words` are ours."""
    return f"**{words}**"


def item(line: str) -> str:
    """One of a list; `line` is marked up already."""
    return f"- {line}"


def step(number: int, line: str) -> str:
    """One of a numbered list."""
    return f"{number}. {line}"
