"""The dirty part of a log and when it is cleaned."""

from __future__ import annotations

import pytest

from spark.cleaner import bounds_of
from tests.spark.cleaner.stories import Story


def log():
    """Segments 0-1, 2-3, 4-5 and the active one from 6 on, an hour apart."""
    story = Story().data(0, 1)
    for hour in (1, 2, 3):
        story.roll(hour * 3_600_000).data(0, 1)
    return story.log()


def test_nothing_is_clean_without_a_checkpoint() -> None:
    bounds = bounds_of(log())
    assert (bounds.first_dirty_offset, bounds.first_uncleanable_offset, bounds.dirty_ratio) == (0, 6, 1.0)


@pytest.mark.parametrize("checkpoint", [-1, 9])
def test_a_checkpoint_outside_the_log_counts_as_none(checkpoint: int) -> None:
    assert bounds_of(log(), checkpoint=checkpoint).first_dirty_offset == 0


@pytest.mark.parametrize(
    "limit",
    [{"last_stable_offset": 5}, {"high_watermark": 4}, {"now_ms": 7_200_001, "min_lag_ms": 3_600_000}],
)
def test_the_end_is_rounded_down_to_a_segment(limit: dict[str, int]) -> None:
    assert bounds_of(log(), **limit).first_uncleanable_offset in {2, 4}


@pytest.mark.parametrize(("checkpoint", "is_due"), [(2, True), (4, False)], ids=["2 of 3 dirty", "1 of 3"])
def test_more_than_half_must_be_dirty(checkpoint: int, is_due: bool) -> None:
    assert bounds_of(log(), checkpoint=checkpoint).is_due(0) == is_due


def test_a_dirty_part_that_waits_for_too_long_is_due() -> None:
    bounds = bounds_of(log(), checkpoint=4)
    assert bounds.is_due(7_200_000 + 1001, max_lag_ms=1000)
    assert not bounds.is_due(7_200_000 + 1000, max_lag_ms=1000)
