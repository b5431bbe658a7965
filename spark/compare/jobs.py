"""How a comparison's tasks are bundled: few rows come back, the records stay where they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def run_all(found: Iterable[T | None]) -> list[T]:
    """Those that are there."""
    return [one for one in found if one is not None]


def bundled(sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Numbers of the items, in order, so that each bundle weighs at most `most` (or is one item)."""
    bundle: list[int] = []
    weight = 0
    for number, size in enumerate(sizes):
        if bundle and weight + size > most:
            yield bundle
            bundle, weight = [], 0
        bundle.append(number)
        weight += size
    if bundle:
        yield bundle
