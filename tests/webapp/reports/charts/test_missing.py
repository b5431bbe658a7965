"""No gap is left out, however narrow: what is drawn adds up to what is missing."""

from __future__ import annotations

import numpy as np

from webapp.reports.charts.missing import (
    Band,
    gap_labels,
    gap_shades,
    missing_bars,
    missing_in_time,
    missing_per_bin,
)


def one_of_each(firsts: list[int], lasts: list[int]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {"compaction": (np.array(firsts), np.array(lasts))}


def test_thousands_of_narrow_gaps_are_all_counted() -> None:
    firsts = list(range(5, 120_000, 50))
    missing = missing_per_bin(one_of_each(firsts, [first + 1 for first in firsts]), 0, 119_999, 1024)
    assert missing.total == 2 * len(firsts)


def test_a_wide_gap_is_shared_out_among_its_bins() -> None:
    missing = missing_per_bin(one_of_each([3], [20]), 0, 31, 8)
    assert missing.offsets_by_cause["compaction"].tolist() == [5, 8, 5, 0]


def test_a_bin_with_two_causes_has_both_on_top_of_each_other() -> None:
    gaps = one_of_each([0], [1]) | {"damage": (np.array([4]), np.array([5]))}
    bars = missing_bars(missing_per_bin(gaps, 0, 7, 8), "light")
    assert [bar["customdata"][0].tolist() for bar in bars] == [[2, 0], [2, 0]]
    assert bars[0]["marker"]["color"] != bars[1]["marker"]["color"]


def test_on_the_time_axis_missing_offsets_count_where_the_next_record_is() -> None:
    bands = [Band(100, 950, "compaction", 3, ""), Band(100, 990, "compaction", 2, "")]
    missing = missing_in_time(bands, 100)
    assert (missing.starts.tolist(), missing.total) == ([900], 5)


def test_a_gap_of_twelve_pixels_is_shaded_and_named_where_its_name_fits() -> None:
    bands = [Band(0, 5, "compaction", 5, ""), Band(10, 210, "compaction", 200, "")]
    (shade,) = gap_shades(bands, 1.0, {"": (-0.5, 3.5)}, "light")
    assert list(shade["x"][:3]) == [10, 10, 210]
    assert [label["text"] for label in gap_labels(bands, 1.0, "light")] == ["200 compacted away"]


def test_a_cause_without_a_look_is_shaded_as_absent() -> None:
    (shade,) = gap_shades([Band(0, 50, "who-knows", 1, "")], 1.0, {"": (0, 1)}, "light")
    assert shade["name"] == "unexplained"


def test_a_gap_of_one_partition_is_shaded_in_its_lane_only() -> None:
    band = Band(0, 50, "compaction", 50, "", "journal-1")
    (shade,) = gap_shades([band], 1.0, {"": (-0.5, 3.5), "journal-1": (0.5, 1.5)}, "light")
    assert set(shade["y"]) == {0.5, 1.5}
    assert gap_labels([band], 10.0, "light") == []
