"""Connect's topics: legal histories are healthy, and one fault is the one alarm, also after the cleaner came."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.spark.faults.logs import alarms, assert_healthy, assert_only, cleaned, cleanings, report, titles
from tests.spark.faults.workers import CONFIGS, FAULTS, HISTORIES, broken, legal

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 8))]
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", HISTORIES)
def test_a_legal_history_is_healthy_before_and_after_cleaning(tmp_path: Path, topic: str, seed: int) -> None:
    log = legal(topic, seed)
    for left in (log, *cleanings(log, Random(seed))):
        assert_healthy(report(tmp_path, topic, left))


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_the_only_alarm(tmp_path: Path, fault: str, seed: int) -> None:
    topic, found = broken(fault, seed)
    assert_only(report(tmp_path, topic, found.log), found)


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("fault", ["killed before its commit", "commit of more tasks"])
def test_an_incomplete_set_stays_the_only_alarm_when_the_cleaner_came(
    tmp_path: Path, fault: str, seed: int
) -> None:
    topic, found = broken(fault, seed)
    assert_only(report(tmp_path, topic, cleaned(found.log, len(found.log))), found)


@pytest.mark.parametrize("seed", SEEDS)
def test_configs_without_their_head_miss_that_and_nothing_else(tmp_path: Path, seed: int) -> None:
    log = legal(CONFIGS, seed)
    start = Random(seed).randrange(1, len(log) - 1)
    found = alarms(report(tmp_path, CONFIGS, log[start:], base_offset=start))
    assert [one["detector"] for one in found] == ["missing-head"], titles(found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", HISTORIES)
def test_a_topic_cut_at_its_end_shows_at_most_what_had_just_been_written(
    tmp_path: Path, topic: str, seed: int
) -> None:
    """A cut between task configs and their commit is what a killed worker leaves; one behind FAILED is a failed task."""
    log = legal(topic, seed)
    end = Random(seed).randrange(5, len(log))
    said = report(tmp_path, topic, log[:end])
    assert_healthy(said, "connector-incomplete", "task-failed")
    for one in alarms(said):
        assert one["last_offset"] >= end - 5, titles([one])
