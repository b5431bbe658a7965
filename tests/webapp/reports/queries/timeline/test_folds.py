"""Which spans without records a time axis folds, and where the rest of it is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.queries.timeline.folds import BAND_PIXELS, FOLD_PIXELS, PLAIN_PIXELS, Fold, Scale, longest

DAY_MS = 86_400_000


def folds(times: list[int], first: int | None = None, pixels: int = 1000) -> list[tuple[int, int]]:
    at = np.array(times)
    span = AxisRange("time", times[0] if first is None else first, times[-1])
    return [(fold.first, fold.last) for fold in longest(at, at, span, pixels)]


def test_a_span_of_more_than_a_fifth_of_the_window_folds() -> None:
    assert folds([0, 100, 200, 300, DAY_MS, DAY_MS + 100]) == [(300, DAY_MS)]


def test_a_span_of_a_fifth_is_drawn() -> None:
    assert folds([*range(0, 401, 10), 500]) == []


def test_what_is_left_is_looked_at_in_the_same_way() -> None:
    burst = list(range(0, 1000, 10))
    assert folds([*burst, 60_000, 60_010, DAY_MS]) == [(990, 60_000), (60_010, DAY_MS)]


def test_more_than_four_fold_only_if_each_takes_a_fifth_of_the_window() -> None:
    minutes = (0, 1, 10, 100, 1_000, 10_000)
    assert len(folds([day * DAY_MS + n * 1000 for day in range(5) for n in range(10)])) == 4
    assert len(folds([minute * 60_000 + n * 100 for minute in minutes for n in range(10)])) == 4


def test_bursts_with_seconds_between_them_fold_beside_a_longer_span() -> None:
    bursts = [1032, 1102, 3118, 4637, 4642, 4643, 8188, 8230, 8232, 16545]
    assert folds([at + n for at in bursts for n in range(3)]) == [
        (1104, 3118),
        (3120, 4637),
        (4645, 8188),
        (8234, 16545),
    ]


def test_a_millisecond_at_least_is_plain_beside_a_band() -> None:
    (fold,) = folds([33, 159, 165, 169])
    scale = Scale(33, 169, 1000, (Fold(*fold),))
    low, high = scale.band(Fold(*fold))
    assert (low, high) == (34, 158)
    unit = 1000 / scale.extent  # pixels of a millisecond
    assert unit > PLAIN_PIXELS
    drawn = scale.position(high) - scale.position(low)
    assert drawn * unit == pytest.approx(BAND_PIXELS)


@pytest.mark.parametrize("pixels", [100, 300, 1084, 2000])
def test_what_is_left_out_lies_between_the_records_of_a_fold(pixels: int) -> None:
    bursts = [1032, 1102, 3118, 4637, 4642, 4643, 8188, 8230, 8232, 16545]
    found = longest(np.array(bursts), np.array(bursts), AxisRange("time", 1032, 16545), pixels)
    scale = Scale(1032, 16545, pixels, found)
    assert all(
        fold.first < low < high < fold.last for fold, (low, high) in zip(found, scale.breaks, strict=True)
    )
    widths = [scale.position(fold.last) - scale.position(fold.first) for fold in found]
    unit = pixels / scale.extent
    plain = max(PLAIN_PIXELS, unit)  # beside a band, a millisecond at least
    assert [width * unit for width in widths] == pytest.approx([BAND_PIXELS + 2 * plain] * len(found))


def test_few_records_far_apart_have_no_empty_span() -> None:
    assert folds([0, DAY_MS]) == []
    assert folds([day * DAY_MS for day in (0, 1, 2, 3)]) == []


def test_a_window_that_begins_long_before_its_records_folds_its_beginning() -> None:
    assert folds([DAY_MS, DAY_MS + 100, DAY_MS + 200], first=0) == [(0, DAY_MS)]


def test_a_narrow_plot_has_fewer_folds() -> None:
    times = [0, 100, DAY_MS, DAY_MS + 100, 2 * DAY_MS, 2 * DAY_MS + 100]
    assert len(folds(times)) == 2
    assert len(folds(times, pixels=199)) == 1


def test_nothing_folds_without_records() -> None:
    empty = np.zeros(0, dtype=np.int64)
    assert longest(empty, empty, AxisRange("time", 0, DAY_MS), 1000) == ()


def test_a_fold_is_drawn_24_pixels_wide_and_all_else_to_scale() -> None:
    scale = Scale(0, DAY_MS + 1000, 1000, (Fold(1000, DAY_MS),))
    pixel = scale.extent / scale.pixels
    assert scale.position(DAY_MS) - scale.position(1000) == pytest.approx(FOLD_PIXELS * pixel)
    assert scale.position(500) == 500
    assert scale.value(scale.position(DAY_MS + 700)) == pytest.approx(DAY_MS + 700)
    assert scale.value(scale.position(500)) == 500


def test_without_folds_everything_stays_where_it_is() -> None:
    scale = Scale(10, 20)
    assert (scale.position(15), scale.value(5), scale.extent, scale.breaks) == (5, 15, 10, [])
