"""KAFKA-13727 pass by pass: a map of three keys over one segment with two aborted transactions, rightly and wrongly."""

from __future__ import annotations

import pytest

from spark.cleaner.clean import Behaviour, Settings, clean
from spark.cleaner.log import NO_HORIZON, Log
from tests.spark.cleaner.stories import Story, bases, behaviour_of, offsets

RETENTION_MS = 50_000
ALL_BATCHES = [0, 2, 4, 6, 7, 8, 10, 11, 13, 15, 16, 17, 19]


def story() -> Log:
    told = Story().txn(1, 1, 2).txn(2, 2, 3).txn(1, 3, 4).commit(1).commit(2)
    told.txn(1, 2, 3).abort(1).txn(2, 4, 5).txn(1, 5, 6).commit(1).abort(2).txn(2, 6, 7).commit(2)
    return told.roll().log()


def passes(behaviour: Behaviour, *times_ms: int) -> list[tuple[int, Log]]:
    """First dirty offset and log after each pass."""
    settings = Settings(behaviour, delete_retention_ms=RETENTION_MS, usable_slots=3)
    log, dirty, found = story(), 0, []
    for now_ms in times_ms:
        cleaned = clean(log, settings, now_ms, dirty, 20)
        log, dirty = cleaned.log, cleaned.first_dirty_offset
        found.append((dirty, log))
    return found


def indexed(log: Log) -> list[int]:
    return [entry.first_offset for entry in log.aborted]


def marked(log: Log) -> list[int]:
    return log.batches.base_offset[log.batches.horizon_ms != NO_HORIZON].tolist()


def test_the_index_of_the_story_is_the_brokers() -> None:
    assert [tuple(entry) for entry in story().aborted] == [(1, 8, 10, 11), (2, 11, 16, 17)]


def test_three_passes_of_a_fixed_broker() -> None:
    (first, one), (second, two), (third, three) = passes(Behaviour(), 1000, 1000, 1000 + RETENTION_MS)
    assert (first, second, third) == (4, 14, 20)
    assert offsets(one) == [0, 2, 3, 4, 5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 19]
    assert bases(one) == [0, 2, 4, 6, 7, 10, 13, 15, 16, 17, 19]
    assert indexed(one) == [8, 11]
    assert offsets(two) == [0, 2, 4, 5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 19]
    assert (indexed(two), marked(two)) == ([], [10, 16])
    assert offsets(three) == [0, 2, 4, 5, 6, 7, 13, 15, 17, 18, 19]
    assert bases(three) == [0, 2, 4, 6, 7, 13, 15, 17, 19]


def test_four_passes_of_an_affected_broker_lose_the_markers_and_keep_the_data() -> None:
    times = (1000, 1000, 1000 + RETENTION_MS, 1000 + 2 * RETENTION_MS)
    found = passes(Behaviour(loses_aborted=True), *times)
    assert [dirty for dirty, _ in found] == [4, 9, 13, 20]
    one, two, three, four = (log for _, log in found)
    assert offsets(one) == [0, *range(2, 20)]
    assert (indexed(one), marked(one)) == ([], [10, 16])
    assert offsets(two) == [0, *range(4, 20)]
    assert bases(three) == [0, 6, 7, 8, 11, 13, 15, 17, 19]
    assert {8, 9, 11, 12} <= set(offsets(three))
    assert offsets(four) == [0, 6, 8, 9, 11, 13, 15, 17, 18, 19]


@pytest.mark.parametrize(
    ("version", "is_affected"),
    [("0.10.2.2", False), ("0.11.0", True), ("2.8.1", True), ("2.8.2", False), ("3.0.1", True), ("3.0.2", False),
     ("3.1.0", True), ("3.1.1", False), ("3.2.0", False), ("3.9.1", False), ("4.1.1", False)],
)  # fmt: skip
def test_the_versions_that_are_affected(version: str, is_affected: bool) -> None:
    assert behaviour_of(version).loses_aborted == is_affected


@pytest.mark.parametrize(
    ("version", "has_horizon", "keeps_last"),
    [
        ("2.8.2", False, False),
        ("3.0.2", False, False),
        ("3.1.0", True, False),
        ("3.9.1", True, False),
        ("4.0.0", True, True),
    ],
)
def test_the_families(version: str, has_horizon: bool, keeps_last: bool) -> None:
    behaviour = behaviour_of(version)
    assert (behaviour.has_delete_horizon, behaviour.keeps_last_batch) == (has_horizon, keeps_last)
