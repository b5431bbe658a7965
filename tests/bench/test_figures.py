"""The bench's table says what holds and what does not, and its inputs hold what they say."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.figures import Figure, table
from bench.inspecting import StageTimes, cpu_seconds, memory


@pytest.mark.parametrize(
    ("measured", "at_least", "holds"),
    [(0.9, False, True), (1.0, False, True), (1.1, False, False), (1.1, True, True), (0.9, True, False)],
)
def test_a_figure_holds_on_its_side_of_the_target(measured, at_least, holds):
    assert Figure("speed", measured, 1.0, at_least=at_least).holds is holds


def test_the_table_is_aligned_and_marks_a_miss():
    lines = table(
        [Figure("short", 0.5, 1.0), Figure("rather long", 3.0, 2.0, unit="s", detail="3 s")]
    ).splitlines()
    assert lines[1].split() == ["short", "≤", "1", "x", "0.50", "x", "pass"]
    assert lines[2].split() == ["rather", "long", "≤", "2", "s", "3.00", "s", "MISS", "3", "s"]
    assert lines[1].index("≤") == lines[2].index("≤")


def test_a_figure_without_a_target_holds_and_says_neither():
    figure = Figure("memory", 9.5, unit="GB/s")
    assert figure.holds
    assert figure.cells == ("memory", "", "9.50 GB/s", "", "")


def test_stage_times_end_where_the_next_stage_begins():
    times = StageTimes([("plan", 1.0, 7.0), ("decode", 1.5, 7.25)])
    assert times.seconds(4.0) == {"plan": 0.5, "decode": 2.5}
    assert times.cpu_seconds(9.25) == {"plan": 0.25, "decode": 2.0}


def test_processor_time_counts_children_that_have_ended():
    before = cpu_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert cpu_seconds(os.getpid()) > before


def test_memory_counts_this_process_and_not_one_that_is_gone():
    resident, anonymous = memory(os.getpid())
    assert resident > anonymous > 1_000_000
    assert memory(2**22 + 1) == (0, 0)
