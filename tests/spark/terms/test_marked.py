"""Marks: what a value is travels with it through sentences, and no data can forge one."""

from __future__ import annotations

import pytest

from spark.terms import marked
from spark.terms.marked import CLOSE, CODES, OPEN, Piece, pieces, plain


def test_a_marked_text_reads_as_the_sentence_that_it_is() -> None:
    text = f"Offset {marked.offset(279)} of {marked.partition('moves', 0)} replaces content {marked.entity('48', 'content')}."
    assert plain(text) == "Offset 279 of moves-0 replaces content 48."


def test_its_values_say_what_they_are() -> None:
    text = f"key {marked.key('a`b')} at {marked.offset(7)}"
    assert list(pieces(text)) == [
        Piece("", "key "),
        Piece("key", "a`b"),
        Piece("", " at "),
        Piece("offset", "7"),
    ]


def test_a_value_that_the_text_does_not_say_comes_along() -> None:
    (piece,) = pieces(marked.hash_of("b5f2", "b5f2c0de"))
    assert piece == Piece("hash", "b5f2", "b5f2c0de")
    (piece,) = pieces(marked.number(1204, "1,204"))
    assert piece.value == 1204


@pytest.mark.parametrize(
    "data",
    [
        f"{OPEN}{CODES['number']}7{CLOSE}",
        f"x{CLOSE} is fine{OPEN}{CODES['offset']}",
        f"{OPEN}{OPEN}{CODES['step']}1. {CLOSE}{CLOSE}",
        "\ue0ff\ue000",
    ],
)
def test_data_cannot_forge_a_mark_or_end_its_own(data: str) -> None:
    (piece,) = pieces(marked.name(data))
    assert piece.kind == "name"
    assert not set(piece.text) & {OPEN, CLOSE}


def test_what_is_no_whole_mark_is_a_literal() -> None:
    for text in (OPEN, f"{OPEN}{CODES['key']}cut", f"{OPEN}zz{CLOSE}"):
        assert list(pieces(text)) == [Piece("", text)]
        assert plain(text) == text


def test_a_value_that_is_marked_twice_is_what_it_was_marked_as_last() -> None:
    assert list(pieces(marked.name(marked.topic("orders")))) == [Piece("name", "orders")]


def test_a_rules_text_has_its_steps_and_items() -> None:
    text = marked.written(f"Look:\n1. Stop.\n- one\n{OPEN}{CODES['offset']}7{CLOSE}")
    assert [piece.kind for piece in pieces(text)] == ["", "step", "", "item", ""]
    assert plain(text).startswith("Look:\n1. Stop.\n- one\n")


def test_a_topic_without_a_name_is_never_a_question_mark() -> None:
    assert plain(marked.topic("?")) == "the topic"
    assert plain(marked.topic("?", "The journal")) == "The journal"
    assert plain(marked.partition("?", 3)) == "partition 3"
    assert next(iter(pieces(marked.partition("?", 3)))).value == ["?", 3]
