"""Why a service drops an entry, in words: the dialect's page has them, in the rows of its table of reasons.

| `reason` [, `reason` ...] | meaning |
"""

from __future__ import annotations

import re
from functools import cache

from webapp.catalogue.pages import find

ROW = re.compile(r"^\|\s*((?:`[a-z0-9-]+`(?:,\s*)?)+)\s*\|\s*(.+?)\s*\|\s*$", re.MULTILINE)
NAME = re.compile(r"`([a-z0-9-]+)`")


def refusal_words(dialect: str, reason: str) -> str:
    """A sentence's rest, without a full stop: "no record of the journal holds the content"."""
    return _reasons(dialect).get(reason, reason.replace("-", " "))


@cache
def _reasons(dialect: str) -> dict[str, str]:
    page = find("dialects", dialect)
    rows = ROW.findall(page.markdown) if page else []
    return {
        name: meaning.replace("`", "").rstrip(".") for names, meaning in rows for name in NAME.findall(names)
    }
