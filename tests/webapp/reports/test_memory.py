"""What is remembered of results: the last answers, up to a number of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from webapp.reports.memory import Memory, bytes_of


def remembered(memory: Memory, question: str, size: int, largest: int | None = None) -> bool:
    made = []
    memory.answer(question, lambda: made.append(1) or "x" * size, largest)
    return not made


def test_an_answer_is_made_once() -> None:
    memory = Memory(100_000)
    assert not remembered(memory, "a", 10)
    assert remembered(memory, "a", 10)


def test_the_answer_not_asked_for_longest_goes_first() -> None:
    memory = Memory(100_000)
    for question in ("a", "b", "c", "d", "a", "e"):
        remembered(memory, question, 20_000)
    assert [remembered(memory, question, 20_000) for question in ("a", "e", "b")] == [True, True, False]


@pytest.mark.parametrize("largest", [None, 25_000])
def test_an_answer_that_is_too_large_is_not_remembered_and_drives_nothing_out(largest: int | None) -> None:
    memory = Memory(100_000)
    remembered(memory, "small", 20_000, largest)
    remembered(memory, "large", 25_001, largest)
    assert not remembered(memory, "large", 25_001, largest)
    assert remembered(memory, "small", 20_000, largest)


@dataclass
class Window:
    offsets: np.ndarray
    names: list[str]


def test_an_answer_weighs_what_it_holds() -> None:
    assert bytes_of([(1, [{"key": b"x" * 5_000}])], 10_000) > 5_000
    assert bytes_of(Window(np.arange(1000)[10:], ["x" * 5_000]), 100_000) > 12_920
    assert bytes_of([], 10_000) < 100


def test_an_answer_is_weighed_no_further_than_to_what_is_too_much() -> None:
    class Watched(list[int]):
        def __iter__(self) -> Any:
            pytest.fail("nothing more need be known")

    assert bytes_of([Watched(), b"x" * 200], 150) > 150


def test_a_question_weighs_too() -> None:
    memory = Memory(100_000)
    assert not remembered(memory, "q" * 30_000, 10)
    assert not remembered(memory, "q" * 30_000, 10)
