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


def test_what_one_round_shows_clearly_has_no_second_and_the_faster_counts_of_the_others() -> None:
    clear, unclear = iter([1.0, 1.0, 2.0]), iter([1.0, 1.0, 1.0, 1.1, 1.2])
    found = list(
        figures(
            [
                Saving("clear", 1.5, lambda environment: next(clear), taken_away),
                Saving("unclear", 1.05, lambda environment: next(unclear), taken_away),
            ]
        )
    )
    assert [figure.measured for figure in found] == [2.0, 1.0]
    assert (list(clear), list(unclear)) == ([], [])


def test_a_name_stands_for_something_else_only_meanwhile() -> None:
    before = without.CLEAR
    with without.replaced("bench.without.CLEAR", 0):
        assert without.CLEAR == 0
    assert before == without.CLEAR


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
