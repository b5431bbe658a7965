"""Group coordinators: legal histories are healthy, and one fault is the one alarm."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.spark.faults.coordinators import FAULTS, TOPIC, broken, legal
from tests.spark.faults.logs import assert_healthy, assert_only, cleanings, report

SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 10))]
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_legal_history_is_healthy_before_and_after_cleaning(tmp_path: Path, seed: int) -> None:
    log = legal(seed)
    for left in (log, *cleanings(log, Random(seed))):
        assert_healthy(report(tmp_path, TOPIC, left))


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_the_only_alarm(tmp_path: Path, fault: str, seed: int) -> None:
    found = broken(fault, seed)
    assert_only(report(tmp_path, TOPIC, found.log), found)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_log_cut_at_either_end_is_healthy(tmp_path: Path, seed: int) -> None:
    """Nobody needs the whole of it: what a group committed long ago has expired."""
    log = legal(seed)
    start, end = sorted(Random(seed).sample(range(1, len(log)), 2))
    assert_healthy(report(tmp_path, TOPIC, log[: end + 1]))
    assert_healthy(report(tmp_path, TOPIC, log[start:], base_offset=start))
