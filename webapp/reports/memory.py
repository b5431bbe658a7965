"""What a web process remembers of results, which never change: shared by its threads, bounded in bytes."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any

MAX_BYTES = 48 << 20  # of all answers, per process


class Memory:
    """Answers by question; when they take more than `max_bytes`, the one not asked for longest goes."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._answers: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def answer(self, question: Hashable, make: Callable[[], Any], largest_bytes: int | None = None) -> Any:
        """What is known, or what `make` gives; two threads that ask at once may both make it. An answer of more than
        `largest_bytes` (a quarter of all if absent), its question included, is given and not remembered.
        """
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
                return self._answers[question][0]
        made = make()
        limit_bytes = largest_bytes or self._max_bytes // 4
        weight = bytes_of((question, made), limit_bytes)
        if weight <= limit_bytes:
            with self._lock:
                self._remember(question, made, weight)
        return made

    def _remember(self, question: Hashable, made: Any, weight: int) -> None:
        self._bytes += weight - self._answers.pop(question, (None, 0))[1]
        self._answers[question] = made, weight
        while self._bytes > self._max_bytes:
            self._bytes -= self._answers.popitem(last=False)[1][1]


def bytes_of(value: Any, max_bytes: int) -> int:
    """About what a value takes with all that it holds: plain values, collections, arrays, objects of ours.

    Weighed no further than to what is above `max_bytes`.
    """
    weight, remaining = 0, [value]
    while remaining and weight <= max_bytes:
        value = remaining.pop()
        weight += max(sys.getsizeof(value), getattr(value, "nbytes", 0))
        remaining.extend(_held_by(value))
    return weight


def _held_by(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return chain(value, value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    members = getattr(value, "__dict__", None)
    return members.values() if isinstance(members, dict) and not isinstance(value, type) else ()
