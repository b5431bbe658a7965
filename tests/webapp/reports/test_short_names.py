"""Long names of copies are cut in their middle, and whole in a tooltip."""

from __future__ import annotations

import re

import pytest
from django.utils.html import escape

from webapp.journals.templatetags.journalscope import first_sentence, fitted, short
from webapp.reports.incidents.short_folders import consequence_first
from webapp.reports.templatetags.report_words import typed_blocks
from webapp.reports.typed_text import unbroken

FOLDER = "server-7-data-default-abc/moves-0"


def test_a_name_that_has_room_is_shown_whole() -> None:
    assert short("moves-0 (broker-1)", 36) == "moves-0 (broker-1)"


def test_a_longer_name_is_whole_in_its_tooltip_and_no_markup() -> None:
    assert short("<b>server-7-data-default-abc", 16) == (
        '<span title="&lt;b&gt;server-7-data-default-abc">&lt;b&gt;serve…ult-abc</span>'
    )


def test_a_title_has_its_consequence_first_and_names_the_folder_of_its_copy_in_short() -> None:
    title = f"Consumers of moves-0 (replica {FOLDER}) stop at offset 4 & wait"
    assert consequence_first(title) == (
        'Consumers of <span class="unbroken">moves-0</span> stop at offset 4 &amp; wait '
        f'<span class="of-replica">(<span title="{FOLDER}">…/moves-0</span>)</span>'
    )
    assert consequence_first("Consumers of moves stop") == "Consumers of moves stop"


def test_only_a_name_or_date_that_fits_on_a_phones_line_is_kept_whole() -> None:
    assert unbroken("at 2026-11-21: <b>") == 'at <span class="unbroken">2026-11-21:</span> &lt;b&gt;'
    assert "span" not in unbroken("a-" * 20)


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("kafkasql-journal-0, pasted 29 Nov 12:34", "29 Nov 12:34"),
        ("ledger-0 and __transaction_state-0", "_state-0"),
        ("<b>.zip", "&lt;b&gt;.zip"),
        ("", ""),
    ],
)
def test_a_name_is_cut_before_its_last_words(name: str, last: str) -> None:
    html = fitted(name)
    assert html.endswith(f"<span>{last}</span></span>")
    assert re.sub(r"<[^>]+>", "", html) == escape(name), "nothing is lost"


def test_the_first_sentence_of_an_error_ends_before_its_command() -> None:
    error = (
        "a.txt contains no records; send a dump of the topic test: `kcat -C -t test > test.json`. Then go."
    )
    assert first_sentence(error) == "a.txt contains no records; send a dump of the topic test."
    assert first_sentence("Set `a.b=1` first. Then retry.") == "Set `a.b=1` first."


def test_a_line_of_typed_text_names_the_folder_of_its_copy_in_short() -> None:
    names = [{"text": "Brokers reject "}, {"kind": "replica", "text": FOLDER}]
    line = typed_blocks({}, [{"kind": "paragraph", "segments": names}])
    assert "…/moves-0</" in line
    assert f'title="{FOLDER}"' in line


def test_an_output_that_a_title_names_follows_the_consequence_like_a_replica() -> None:
    title = consequence_first("consumers of orders-0 (output all.txt (lines 2-10)) read 2 records twice")
    assert ">all.txt (lines 2-10)</span>" in title
    assert title.startswith('consumers of <span class="unbroken">orders-0</span> read 2 records twice')
