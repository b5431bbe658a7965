"""Reasons of rejections in words: those of the table on the dialect's page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spark.terms.rejections import REJECTIONS, rejection_words

DIALECTS = Path(__file__).resolve().parents[3] / "docs/dialects"
ROW = re.compile(r"^\|\s*((?:`[a-z0-9-]+`(?:,\s*)?)+)\s*\|\s*(.+?)\s*\|\s*$", re.MULTILINE)
NAME = re.compile(r"`([a-z0-9-]+)`")


def reasons_of(page: str) -> dict[str, str]:
    """The table under `| reason |`."""
    table = re.split(r"^\| reason of a ", (DIALECTS / f"{page}.md").read_text(), flags=re.MULTILINE)[
        -1
    ].split("\n\n")[0]
    return {
        name: meaning.replace("`", "").rstrip(".")
        for names, meaning in ROW.findall(table)
        for name in NAME.findall(names)
    }


@pytest.mark.parametrize("dialect", REJECTIONS)
def test_the_page_of_the_dialect_says_the_same(dialect: str) -> None:
    assert reasons_of(dialect) == REJECTIONS[dialect]


def test_a_reason_or_dialect_without_words_is_said_as_it_is_written() -> None:
    assert rejection_words("apicurio-v2", "no-such-reason") == "no such reason"
    assert rejection_words("no-such-dialect", "content-missing") == "content missing"
