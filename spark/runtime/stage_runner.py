"""How a stage works: it says that it begins, and has its tasks run. Before that it asks whether the user has cancelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from spark.runtime.tasks import run_tasks

if TYPE_CHECKING:
    from pyspark import SparkContext

T = TypeVar("T")
R = TypeVar("R")


class ProgressListener(Protocol):
    """`name`: the stage that begins; `note`: what it works on."""

    def stage(self, name: str, note: str = "") -> None: ...

    def raise_if_cancelled(self) -> None: ...


class NoProgress:
    """For commands, which show no progress."""

    def stage(self, name: str, note: str = "") -> None: ...

    def raise_if_cancelled(self) -> None: ...


@dataclass(frozen=True)
class StageRunner:
    """Runs stages in a Spark context for a listener."""

    context: SparkContext
    watch: ProgressListener

    @property
    def cores(self) -> int:
        """Tasks that run at the same time."""
        return self.context.defaultParallelism

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """One Spark task per item, results in order. Raises what `raise_if_cancelled` and `run_tasks` raise."""
        self.watch.raise_if_cancelled()
        return run_tasks(self.context, function, tasks)
