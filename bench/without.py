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

CLEAR = 1.2  # times its bound: what one round shows so clearly needs no second
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
    """One for each. A second round for those that the first did not show clearly: work with the piece and without it takes turns,
    so that a busy moment meets both, and the faster of each counts."""
    for work in dict.fromkeys(saving.work for saving in savings):
        work({})  # whatever is made once is there
    seconds = {saving: [both] for saving, both in a_round(savings)}
    unclear = [
        saving for saving, ((without, whole),) in seconds.items() if without < CLEAR * saving.bound * whole
    ]
    for saving, both in a_round(unclear):
        seconds[saving].append(both)
    for saving, rounds in seconds.items():
        without, whole = map(min, zip(*rounds, strict=True))
        detail = f"{1000 * without:,.0f} ms against {1000 * whole:,.0f} ms"
        yield Figure(
            f"without {saving.what} / with", without / whole, saving.bound, at_least=True, detail=detail
        )


def a_round(savings: Sequence[Saving]) -> Iterator[tuple[Saving, tuple[float, float]]]:
    """Of each the seconds of its work without it and with it."""
    whole = {work: work({}) for work in dict.fromkeys(saving.work for saving in savings)}
    for saving in savings:
        with saving.without() as environment:
            yield saving, (saving.work(environment), whole[saving.work])


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
