"""What a web process remembers of results, which never change: shared by its threads, bounded in bytes."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import chain
from typing import Any


class Memory:
    """Answers by question; when they take more than `most_bytes`, the one not asked for longest goes.

    An answer of more than `largest_bytes` is given and not kept. `weigh`: about how many bytes an answer takes, or that it
    takes more than so many.
    """

    def __init__(self, most_bytes: int, largest_bytes: int, weigh: Callable[[Any, int], int]) -> None:
        self._most, self._largest, self._weigh = most_bytes, largest_bytes, weigh
        self._answers: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def answer(self, question: Hashable, make: Callable[[], Any]) -> Any:
        """What is known, or what `make` gives; two threads that ask at once may both make it."""
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
                return self._answers[question][0]
        made = make()
        weight = self._weigh(made, self._largest)
        if weight <= self._largest:
            with self._lock:
                self._keep(question, made, weight)
        return made

    def _keep(self, question: Hashable, made: Any, weight: int) -> None:
        self._bytes += weight - self._answers.pop(question, (None, 0))[1]
        self._answers[question] = made, weight
        while self._bytes > self._most:
            self._bytes -= self._answers.popitem(last=False)[1][1]


def bytes_of_rows(rows: list[tuple[Any, ...]], most_bytes: int) -> int:
    """About what rows of DuckDB take: their cells are plain values, lists and dicts of them. Above `most_bytes` any more."""
    weight, left = 0, list(chain.from_iterable(rows))
    while left and weight <= most_bytes:
        value = left.pop()
        weight += sys.getsizeof(value)
        if isinstance(value, (dict, list, tuple)):
            left.extend(value.values() if isinstance(value, dict) else value)
    return weight
