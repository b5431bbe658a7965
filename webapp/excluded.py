"""A list without hits says which of its filters excludes everything: what it has without each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class WithoutFilter:
    """The list without one filter. `words`: the filter (`verdict critical`); `address`: of the list without it."""

    words: str
    address: str
    count: int


def without_each(
    filters: Iterable[tuple[str, str, Callable[[], int]]],
) -> list[WithoutFilter]:
    """Of a list without hits: for each filter its words, the address without it and a count; those that alone exclude all."""
    rows = [WithoutFilter(words, address, count()) for words, address, count in filters]
    return sorted((row for row in rows if row.count), key=lambda row: -row.count)
