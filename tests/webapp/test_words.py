"""Pages are plain: no template, module or script has a word that `tests/words_not_to_use.txt` lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.plain_words import unwanted, unwanted_in_code, words_of_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
SCRIPTS = sorted((ROOT / "static/js").glob("*.js"))
TEXT = re.compile(r'"([^"\n]*)"|`([^`]*)`')


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


def test_no_sentence_of_the_web_has_a_word_not_to_use() -> None:
    assert unwanted_in_code(sorted((ROOT / "webapp").rglob("*.py")), ROOT) == []


def texts_of_script(script: str) -> Iterator[str]:
    """The texts of a script that may be words: no comment, nothing that it fills in."""
    code = re.sub(r"/\*.*?\*/|(?<![:\"])//[^\n]*", " ", script, flags=re.DOTALL)
    for quoted, template in TEXT.findall(code):
        yield re.sub(r"\$\{[^{}]*\}", " ", quoted or template)


def test_no_script_has_a_word_not_to_use() -> None:
    found = {
        path.name: words
        for path in SCRIPTS
        if (words := [word for text in texts_of_script(path.read_text()) for word in unwanted(text)])
    }
    assert SCRIPTS
    assert found == {}


def test_what_a_script_says_is_read_and_what_it_fills_in_is_not() -> None:
    script = 'say("Go on"); // told\nsay(`${told.rows} rows once more`); /* mend */'
    assert [word for text in texts_of_script(script) for word in unwanted(text)] == ["Go on", "once more"]
