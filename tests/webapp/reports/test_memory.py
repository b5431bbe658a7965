"""What is remembered of results: the last answers, up to a number of bytes."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.reports.memory import Memory, bytes_of_rows


def weight(answer: str, most_bytes: int) -> int:
    return len(answer)


def remembered(memory: Memory, question: str, size: int) -> bool:
    made = []
    memory.answer(question, lambda: made.append(1) or "x" * size)
    return not made


def test_an_answer_is_made_once() -> None:
    memory = Memory(100, 100, weight)
    assert not remembered(memory, "a", 10)
    assert remembered(memory, "a", 10)


def test_the_answer_not_asked_for_longest_goes_first() -> None:
    memory = Memory(100, 100, weight)
    for question in ("a", "b", "a", "c"):
        remembered(memory, question, 40)
    assert [remembered(memory, question, 40) for question in ("a", "c", "b")] == [True, True, False]


def test_an_answer_that_is_too_large_is_not_kept_and_drives_nothing_out() -> None:
    memory = Memory(100, 50, weight)
    remembered(memory, "small", 50)
    remembered(memory, "large", 51)
    assert not remembered(memory, "large", 51)
    assert remembered(memory, "small", 50)


def test_rows_weigh_what_their_cells_hold() -> None:
    assert bytes_of_rows([(1, [{"key": b"x" * 5_000}])], 10_000) > 5_000
    assert bytes_of_rows([], 10_000) == 0


def test_rows_are_weighed_no_further_than_to_what_is_too_much() -> None:
    class Watched(list[int]):
        def __iter__(self) -> Any:
            pytest.fail("nothing more need be known")

    assert bytes_of_rows([(Watched(), b"x" * 100)], 50) > 50
