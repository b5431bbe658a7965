"""Sentences keep the house's words and known numbers; whatever else stands in them came out of the data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import spark
from spark.redaction.texts import HIDDEN, Texts
from spark.redaction.vocabulary import Vocabulary, vocabulary_of


@cache
def house() -> Vocabulary:
    return vocabulary_of(Path(spark.__file__).parent)


@cache
def texts() -> Texts:
    return Texts(house(), b"salt", {"journal": "journal", "journal-0": "journal-0", "billing": "topic-1"})


def told(text: str, *numbers: int, hidden: frozenset[str] = frozenset()) -> str:
    return texts().hide(text, numbers, hidden) or ""


@pytest.mark.parametrize(
    "sentence",
    [
        "1 content is lost and 2 artifacts cannot be read.",
        "The dump is incomplete: 2 of 5 segments are unreadable.",
        "1. Stop the registry.\n2. Look for offset 6 in an older dump.",
        "No record could be read; the input holds none.",
    ],
)
def test_the_houses_sentences_stay_as_they_are(sentence: str) -> None:
    assert told(sentence) == sentence


def test_a_range_of_known_offsets_stays_and_one_of_others_does_not() -> None:
    assert told("Retention deleted offsets 1204-1300.", 1204, 1300) == "Retention deleted offsets 1204-1300."
    assert "1300" not in told("Retention deleted offsets 1204-1300.", 1204)


def test_a_name_becomes_a_mark_the_same_every_time() -> None:
    first, second = told("Content b5f2c lost; content b5f2c read").split(" lost; content ")
    name = first.removeprefix("Content ")
    assert second.startswith(name)
    assert "b5f2c" not in first + second


def test_marks_differ_between_salts() -> None:
    other = Texts(house(), b"pepper", {})
    assert other.hide("content b5f2c") != told("content b5f2c")


@pytest.mark.parametrize(
    "name", ["Jane", "orders/value", "c.acme.Order", "acme_key", "x@example.org", "é", "0xdeadbeef", "4711.5"]
)
@pytest.mark.parametrize(
    "frame", ["content {} is lost", "`{}`", "({}),", "offset={};", "“{}”", "content\t{}"]
)
def test_no_frame_lets_a_name_through(name: str, frame: str) -> None:
    assert name not in told(frame.format(name))


def test_many_hidden_words_in_a_row_are_one_mark() -> None:
    assert told("needs Jacob Bernd Quentin Xaver now") == f"needs {HIDDEN} now"


def test_large_numbers_stay_only_where_they_are_known() -> None:
    assert told("offset 4711 replaces offset 12", 4711) == "offset 4711 replaces offset 12"
    assert "4711" not in told("offset 4711 replaces offset 12")
    assert "4,711" in told("4,711 records", 4711)


def test_a_findings_own_key_is_hidden_even_where_the_house_uses_the_word() -> None:
    assert told("Content lost is lost", hidden=frozenset({"lost"})).count("lost") == 0


def test_topics_are_told_as_the_share_calls_them() -> None:
    assert told("journal-0 beside billing") == "journal-0 beside topic-1"


def test_times_stay() -> None:
    assert told("written at 2024-06-01 12:00:03 UTC") == "written at 2024-06-01 12:00:03 UTC"


def test_the_vocabulary_is_read_from_the_code_and_leaves_the_sample_data_out() -> None:
    assert {"offset", "content", "tombstone"} <= house().words
    assert "account-0" not in house().words
    assert isinstance(house(), Vocabulary)


def test_a_name_in_a_sentence_is_the_name_in_the_tables() -> None:
    from spark.redaction import Names, Options
    from spark.redaction.columns import Kind
    from spark.redaction.rewriting import Rewriting
    from spark.tables.store import ResultTables

    rewriting = Rewriting(Options(b"salt"), Names({}, {}), texts())
    tables = ResultTables.of({})
    rewriting.prepare(tables)
    named = rewriting.column("entity_id", Kind.NAME)
    rows = tables.rows(f"SELECT {named} AS name FROM (SELECT 'acme/Jane' AS entity_id) AS t")
    assert rows == [{"name": f"{texts().name('acme')}/{texts().name('Jane')}"}]
