"""Pages are plain: no template has a word that `tests/words_not_to_use.txt` lists."""

from __future__ import annotations

from pathlib import Path

from tests.plain_words import unwanted, words_of_template

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


def test_no_template_has_a_word_not_to_use() -> None:
    found = {
        str(path.relative_to(TEMPLATES)): words
        for path in sorted(TEMPLATES.rglob("*.html"))
        if (words := unwanted(words_of_template(path.read_text())))
    }
    assert found == {}


def test_what_a_template_shows_is_read_and_its_code_is_not() -> None:
    shown = words_of_template(
        '<p title="goes on">{% if told %}Once more{% endif %} <code>mend</code>{{ told }}</p>'
    )
    assert unwanted(shown) == ["Once more", "goes on"]
