"""What a web process remembers of results, which never change: shared by its threads, bounded in bytes."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
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
        `largest_bytes` (a quarter of all if absent) is given and not remembered.
        """
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
                return self._answers[question][0]
        made = make()
        weight = bytes_of(made)
        if weight <= (largest_bytes or self._max_bytes // 4):
            with self._lock:
                self._remember(question, made, weight)
        return made

    def _remember(self, question: Hashable, made: Any, weight: int) -> None:
        self._bytes += weight - self._answers.pop(question, (None, 0))[1]
        self._answers[question] = made, weight
        while self._bytes > self._max_bytes:
            self._bytes -= self._answers.popitem(last=False)[1][1]


def bytes_of(value: Any) -> int:
    """About what a value takes with all that it holds: plain values, collections, arrays, objects of ours."""
    if isinstance(value, dict):
        return sys.getsizeof(value) + sum(bytes_of(name) + bytes_of(inner) for name, inner in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return sys.getsizeof(value) + sum(map(bytes_of, value))
    members = getattr(value, "__dict__", None)
    own = max(sys.getsizeof(value), getattr(value, "nbytes", 0))
    return own + (bytes_of(members) if isinstance(members, dict) and not isinstance(value, type) else 0)
