"""A piece of code that saves time is taken away for a while, here or in a process of its own, and comes back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench import without
from bench.without import Environment, Saving, figures


@contextmanager
def taken_away() -> Iterator[Environment]:
    yield {"WITHOUT": "1"}


def test_the_figure_is_the_work_without_it_against_the_work_with_it() -> None:
    def work(environment: Environment) -> float:
        return 4.0 if environment else 2.0

    (figure,) = figures([Saving("it", 1.5, work, taken_away)])
    assert (figure.what, figure.measured, figure.holds) == ("without it / with", 2.0, True)
    assert figure.detail == "4,000 ms against 2,000 ms"


def test_a_piece_that_saves_nothing_misses_its_bound() -> None:
    (figure,) = figures([Saving("it", 1.05, lambda environment: 2.0, taken_away)])
    assert not figure.holds


def test_a_name_stands_for_something_else_only_meanwhile() -> None:
    before = without.ROUNDS
    with without.replaced("bench.without.ROUNDS", 0):
        assert without.ROUNDS == 0
    assert before == without.ROUNDS


def test_a_process_of_its_own_runs_the_statement_first() -> None:
    with without.at_start("import gc; gc.freeze = 'replaced'") as environment:
        done = subprocess.run(
            [sys.executable, "-c", "import gc, bench; print(gc.freeze)"],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout == "replaced\n"
