"""Work without one piece of code that only saves time, against the same work with it.

Nothing in the product switches such a piece off. Here one name of a module stands for something else meanwhile: in this
process, or in processes of their own, which run a statement as they start.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from bench.figures import Figure
from bench.inspecting import ROOT

ROUNDS = 2
Environment = Mapping[str, str]
Work = Callable[[Environment], float]  # its seconds, with these variables for processes that it starts


@dataclass(frozen=True)
class Saving:
    """One such piece. `without` takes it away for a while; `bound`: how many times as long the work then takes, at least."""

    what: str
    bound: float
    work: Work
    without: Callable[[], AbstractContextManager[Environment]]


def figures(savings: Sequence[Saving]) -> Iterator[Figure]:
    """One for each; the rounds take turns, so that a busy moment meets all of them, and the fastest of each counts."""
    works = list(dict.fromkeys(saving.work for saving in savings))
    for work in works:
        work({})  # whatever is made once is there
    seconds: dict[object, list[float]] = {key: [] for key in (*works, *savings)}
    for _ in range(ROUNDS):
        for work in works:
            seconds[work].append(work({}))
        for saving in savings:
            with saving.without() as environment:
                seconds[saving].append(saving.work(environment))
    for saving in savings:
        without, whole = min(seconds[saving]), min(seconds[saving.work])
        detail = f"{1000 * without:,.0f} ms against {1000 * whole:,.0f} ms"
        yield Figure(
            f"without {saving.what} / with", without / whole, saving.bound, at_least=True, detail=detail
        )


@contextmanager
def replaced(name: str, value: object) -> Iterator[Environment]:
    """Patches a dotted name in this process."""
    with patch(name, value):
        yield {}


@contextmanager
def at_start(statement: str) -> Iterator[Environment]:
    """In processes of their own, what a statement says before they do anything."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text(statement + "\n")
        yield {"PYTHONPATH": os.pathsep.join((folder, str(ROOT)))}


@contextmanager
def empty_folder(variable: str, below: str = "") -> Iterator[Environment]:
    """A variable of the environment names a new folder, or one below it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, below)
        path.mkdir(exist_ok=True)
        yield {variable: str(path)}
