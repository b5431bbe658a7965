"""Tasks in this process, one after another: what is small is done before a JVM has started.

It has what the stages ask of a Spark context, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALL_BYTES = 2 << 20  # less than this is read sooner than a JVM or a second Python worker is started


@dataclass(frozen=True)
class Tasks:
    """What the stages ask of an RDD."""

    items: Sequence[Any]

    def map(self, function: Callable[[Any], Any]) -> Tasks:
        """Done at once."""
        return Tasks([function(item) for item in self.items])

    def collect(self) -> list[Any]:
        """The items."""
        return list(self.items)


class InProcess:
    """What the stages ask of a Spark context."""

    defaultParallelism = 1  # noqa: N815 - the name that Spark gives it

    def parallelize(self, items: Sequence[Any], slices: int) -> Tasks:
        """The items; there are no slices."""
        return Tasks(items)


def in_process() -> SparkContext:
    """For whoever asks for a Spark context."""
    return cast("SparkContext", InProcess())
