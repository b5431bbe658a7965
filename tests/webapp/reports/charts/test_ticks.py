"""Ticks are offsets that exist."""

from __future__ import annotations

import pytest

from webapp.reports.charts.axes import offset_ticks, ticks_below_name


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 270), (3700, 4412), (0, 9_999_999), (17, 19)])
def test_the_first_and_the_last_offset_have_ticks_and_none_lies_outside(first: int, last: int) -> None:
    ticks = offset_ticks(first, last, 1000)
    assert (ticks[0], ticks[-1]) == (first, last)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 12


def test_ticks_between_are_round() -> None:
    assert offset_ticks(3700, 4412, 800) == [3700, 3800, 3900, 4000, 4100, 4200, 4300, 4412]


def test_a_phone_has_more_than_the_two_ends() -> None:
    assert offset_ticks(1, 295, 250) == [1, 100, 200, 295]
    assert offset_ticks(0, 12_345_678, 250) == [0, 5_000_000, 12_345_678]


@pytest.mark.parametrize("highest", [1, 2, 9, 20, 83, 85, 97, 100, 1_900_000])
def test_a_name_on_the_edge_of_a_histogram_is_clear_of_its_ticks(highest: int) -> None:
    ticks = ticks_below_name(highest)
    end, step = ticks["range"][1], ticks["dtick"]
    assert highest < end
    assert step == int(step)
    assert end // step * step <= end * 0.85
    assert 1 <= end // step <= 3
