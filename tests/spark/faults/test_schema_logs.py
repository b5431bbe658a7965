"""Schema registries: legal histories are healthy, and one fault is the one alarm."""

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
    report,
    report_on_dump,
    titles,
)
from tests.spark.faults.schema_logs import (
    FAULTS,
    KINDS,
    TOPIC,
    broken,
    history,
    rolled_back,
    shifted,
    without_key,
)

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 8))]
FEW = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))]
STAYING = (
    "two schemas under one id",
    "reference to a missing version",
    "seq ahead of the offset",
    "unknown keytype",
)
CASES = [(name, kind) for name, fault in FAULTS.items() for kind in fault.kinds]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_legal_history_is_healthy_before_and_after_cleaning(tmp_path: Path, kind: str, seed: int) -> None:
    log = history(kind, seed)
    for left in (log, *cleanings(log, Random(seed))):
        assert_healthy(report(tmp_path, TOPIC, left))


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize(("fault", "kind"), CASES)
def test_one_fault_is_the_only_alarm(tmp_path: Path, fault: str, kind: str, seed: int) -> None:
    found = broken(fault, kind, seed)
    assert_only(report(tmp_path, TOPIC, found.log), found)


@pytest.mark.parametrize("seed", FEW)
@pytest.mark.parametrize(("fault", "kind"), [(name, kind) for name, kind in CASES if name in STAYING])
def test_it_stays_the_only_alarm_when_the_cleaner_came(
    tmp_path: Path, fault: str, kind: str, seed: int
) -> None:
    found = broken(fault, kind, seed)
    assert_only(report(tmp_path, TOPIC, cleaned(found.log, len(found.log))), found)


@pytest.mark.parametrize("seed", FEW)
def test_a_copied_journal_is_one_alarm(tmp_path: Path, seed: int) -> None:
    found = shifted("redpanda", seed)
    assert_only(report(tmp_path, TOPIC, found.log), found)


@pytest.mark.parametrize("seed", FEW)
def test_a_registration_taken_back_is_the_only_alarm(tmp_path: Path, seed: int) -> None:
    found = rolled_back(seed)
    assert_only(report(tmp_path, TOPIC, found.log), found)


@pytest.mark.parametrize("seed", FEW)
def test_a_record_without_key_is_the_only_alarm(tmp_path: Path, seed: int) -> None:
    found = without_key(seed)
    assert_only(report(tmp_path, TOPIC, found.log), found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_journal_cut_at_its_end_is_healthy(tmp_path: Path, kind: str, seed: int) -> None:
    log = history(kind, seed)
    assert_healthy(report(tmp_path, TOPIC, log[: Random(seed).randrange(5, len(log))]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_journal_without_its_head_misses_that_and_nothing_else(
    tmp_path: Path, kind: str, seed: int
) -> None:
    log = history(kind, seed)
    start = Random(seed).randrange(1, len(log) - 1)
    found = alarms(report(tmp_path, TOPIC, log[start:], base_offset=start))
    assert [one["detector"] for one in found] == ["missing-head"], titles(found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_dump_without_its_head_says_no_more_than_that(tmp_path: Path, kind: str, seed: int) -> None:
    """Nothing proves it where ids begin low or every subject begins with version 1."""
    log = history(kind, seed)
    start = Random(seed).randrange(1, len(log) - 1)
    found = alarms(report_on_dump(tmp_path, TOPIC, log[start:]))
    assert {one["detector"] for one in found} <= {"missing-head"}, titles(found)
