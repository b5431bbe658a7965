"""Apicurio Registry 2.x: legal histories are healthy, and one fault is the one alarm."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.spark.faults.logs import (
    alarms,
    assert_healthy,
    assert_only,
    cleaned,
    cleanings,
    renumbered,
    report,
    report_on_dump,
    titles,
)
from tests.spark.faults.registries import FAULTS, TOPIC, History

SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 10))]
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 5))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_legal_history_is_healthy_before_and_after_cleaning(tmp_path: Path, seed: int) -> None:
    log = History(seed).log
    for left in (log, *cleanings(log, Random(seed))):
        assert_healthy(report(tmp_path, TOPIC, left))


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_the_only_alarm(tmp_path: Path, fault: str, seed: int) -> None:
    broken = FAULTS[fault](History(seed + 100), Random(seed))
    assert_only(report(tmp_path, TOPIC, broken.log), broken)


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("fault", ["empty update", "content removed", "foreign record", "one globalId twice"])
def test_it_stays_the_only_alarm_when_the_cleaner_came(tmp_path: Path, fault: str, seed: int) -> None:
    broken = FAULTS[fault](History(seed + 200), Random(seed))
    assert_only(report(tmp_path, TOPIC, cleaned(broken.log, len(broken.log))), broken)


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize("is_moved", [False, True], ids=["copied", "moved"])
def test_a_record_in_another_partition_is_the_only_alarm(tmp_path: Path, is_moved: bool, seed: int) -> None:
    log = History(seed).log
    strayed = Random(seed).choice([record for _, record in log])
    left = renumbered(record for _, record in log if record is not strayed) if is_moved else log
    found = alarms(report(tmp_path, TOPIC, left, p1=[(0, strayed)]))
    assert [(one["detector"], one["partition"]) for one in found] == [("several-partitions", 1)], titles(
        found
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_journal_cut_at_its_end_is_healthy(tmp_path: Path, seed: int) -> None:
    log = History(seed).log
    end = Random(seed).randrange(5, len(log))
    assert_healthy(report(tmp_path, TOPIC, log[:end]))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_journal_without_its_head_misses_that_and_nothing_else(tmp_path: Path, seed: int) -> None:
    log = History(seed).log
    start = Random(seed).randrange(1, len(log) - 1)
    said = report(tmp_path, TOPIC, log[start:], base_offset=start)
    assert [one["detector"] for one in alarms(said)] == ["missing-head"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dump_without_its_head_says_no_more_than_that(tmp_path: Path, seed: int) -> None:
    """Nothing proves it where no version is left; then nothing is lacking either."""
    log = History(seed).log
    start = Random(seed).randrange(1, len(log) - 1)
    found = alarms(report_on_dump(tmp_path, TOPIC, log[start:]))
    assert {one["detector"] for one in found} <= {"missing-head"}, titles(found)
