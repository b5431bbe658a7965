"""Running a comparison's tasks in Spark: few rows come back, the records stay where they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from spark.runtime.session import settled

if TYPE_CHECKING:
    from pyspark import SparkContext

T = TypeVar("T")
R = TypeVar("R")


def run(context: SparkContext, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    """One Spark task per item, results in order."""
    if not tasks:
        return []
    return context.parallelize(tasks, len(tasks)).map(settled(function)).collect()


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
