"""Documentation is plain: no page has a word that `tests/words_not_to_use.txt` lists, and one command makes a dump.

Not held against it: decisions, which keep the words in which they were made, the glossary and the comparison of reports,
which quote the earlier words.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spark.terms.marked import plain
from spark.terms.topic_commands import FILL_IN, take_dump
from tests.plain_words import prose_of, unwanted

ROOT = Path(__file__).resolve().parent.parent
QUOTING = {"glossary.md", "reports-compared.md"}
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PLAIN = [page for page in PAGES if page.parent.name != "decisions" and page.name not in QUOTING]
DUMP = re.compile(r"kcat [^`\n]*-t TOPIC\b[^`\n]*")


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_has_a_word_not_to_use(page: Path) -> None:
    assert unwanted(prose_of(page.read_text())) == []


def test_prose_is_read_across_lines_and_code_is_not() -> None:
    page = "# Whoever\n\nIt goes\non. `told` [a hole](somebody.md)\n\n```\nmend\n```\n\n| anew |\n|---|\n| `mended` |\n"
    assert unwanted(prose_of(page)) == ["Whoever", "goes on", "hole", "anew"]


def test_every_page_takes_a_dump_with_the_same_command() -> None:
    advised = {command for page in PAGES for command in DUMP.findall(page.read_text())}
    assert advised == {plain(take_dump(FILL_IN)).strip("`")}
