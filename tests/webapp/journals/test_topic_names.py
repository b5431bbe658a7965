"""Which names Kafka allows for a topic."""

from __future__ import annotations

import pytest

from webapp.journals import topic_names


@pytest.mark.parametrize("name", ["kafkasql-journal", "a", "A.b_c-1", "x" * 249])
def test_letters_digits_dots_underscores_and_hyphens_make_a_name(name: str) -> None:
    assert topic_names.is_legal(name)


@pytest.mark.parametrize("name", ["", "?", ".", "..", "two words", "a/b", "name\n", "x" * 250, "größe"])
def test_anything_else_is_no_name(name: str) -> None:
    assert not topic_names.is_legal(name)
