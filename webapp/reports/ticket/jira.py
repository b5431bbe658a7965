"""Jira's own markup: `{macro}`, `[link]`, `|cell|`, `*bold*`, `!image!`, smileys; a backslash takes a sign's meaning.

Source: Atlassian's "Text Formatting Notation Help".
"""

from __future__ import annotations

import re

from webapp.reports.ticket import plain

ALWAYS = r"[\\{}\[\]|*!^~]"
# these mark up only at the edge of a word, or two by two
AT_EDGES = r"(?<![^\W_])[_+-](?=\S)|(?<=\S)[_+-](?![^\W_])|\?(?=\?)|(?<=\?)\?|^[#]"
SMILEYS = r"\((?=(?:[xi!/?+*yn-]|on|off|\*[rgby])\))|[:;](?=[)(DP](?:\W|$))"
SIGNS = re.compile(f"{ALWAYS}|{AT_EDGES}|{SMILEYS}")


def text(words: str) -> str:
    """Signs as themselves."""
    return SIGNS.sub(r"\\\g<0>", plain.text(words))


def code(words: str) -> str:
    """Monospaced; signs keep their meaning in there, so they are escaped as well."""
    return "{{" + text(words) + "}}"


def strong(words: str) -> str:
    """Bold. `words` are ours."""
    return f"*{words}*"


def item(line: str) -> str:
    """One of a list; `line` is marked up already."""
    return f"* {line}"


def step(number: int, line: str) -> str:
    """One of a numbered list: Jira counts by itself."""
    return f"# {line}"
