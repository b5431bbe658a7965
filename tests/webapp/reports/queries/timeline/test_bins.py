"""Bins are round and some 6 to 12 pixels wide."""

from __future__ import annotations

import pytest

from webapp.reports.queries.timeline.axis import ROUND_TIMES, bin_name, bin_width


@pytest.mark.parametrize("extent", [1, 10, 265, 4_412, 1_000_000, 10_000_000, 2**62])
def test_bins_of_offsets_are_powers_of_two_of_six_pixels_at_least(extent: int) -> None:
    width = bin_width("offset", extent, 1000)
    assert width & (width - 1) == 0
    assert width * 1000 / extent >= 6
    assert width == 1 or width * 1000 / extent <= 12 + 12 / width


@pytest.mark.parametrize("extent", [1, 90_000, 86_400_000, 86_400_000 * 365 * 3])
def test_bins_of_time_are_round(extent: int) -> None:
    width = bin_width("time", extent, 1000)
    assert width in ROUND_TIMES
    assert width * 1000 / extent >= 6


def test_a_bin_of_more_time_than_any_round_one_is_whole_days() -> None:
    assert bin_width("time", 2**60) % 86_400_000 == 0


def test_bins_have_names() -> None:
    assert bin_name("offset", 1) == "offset"
    assert bin_name("offset", 8) == "8 offsets"
    assert [bin_name("time", one) for one in (200, 5_000, 60_000, 7_200_000)] == [
        "200 ms",
        "5 s",
        "1 min",
        "2 h",
    ]
