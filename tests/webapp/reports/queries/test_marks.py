"""What a window of a chart holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.gaps import gaps_between
from webapp.reports.queries.marks import read_window, room, sparse_lanes
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import PLOT_PIXELS, AxisRange, whole_span
from webapp.reports.queries.timeline.lanes import OTHER_KEYS
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def window(folder: Path, by: Any = "type", span: AxisRange | None = None, pixels: int = 4000) -> Any:
    with open_results(folder) as results:
        found = survey(results)
        whole = whole_span(found.facts[JOURNAL], "offset")
        assert whole
        return read_window(PartitionTables(results, JOURNAL, found), span or whole, by, pixels=pixels)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {"key": b"k%d" % (n % 40), "entry_type": "Rare" if n % 50 == 0 else "Many"} for n in range(200)
    ]
    rows[120] |= {"value": None}
    return write_results(tmp_path, records=records_table(*rows))


def test_few_records_are_all_drawn_with_their_keys(mixed: Path) -> None:
    drawn = window(mixed)
    assert (drawn.total, drawn.drawn, drawn.binned) == (200, 200, [])
    assert sorted(drawn.marks["offset"].tolist()) == list(range(200))
    keys = dict(zip(drawn.marks["offset"].tolist(), drawn.marks["key"].tolist(), strict=True))
    assert keys == {n: f"k{n % 40}" for n in range(200)}


def test_a_dense_lane_is_counted_per_bin_and_a_sparse_one_keeps_its_marks(mixed: Path) -> None:
    drawn = window(mixed, pixels=800)
    assert drawn.binned == ["Many"]
    assert set(drawn.marks["lane"]) == {"Rare"}
    many = drawn.buckets["lane"] == "Many"
    assert drawn.buckets["records"][many].sum() == 196
    assert drawn.buckets["records"][many & (drawn.buckets["kind"] == "tombstone")].sum() == 1


def test_what_is_drawn_and_counted_is_every_record(mixed: Path) -> None:
    for pixels in (100, 400, 800, 4000):
        drawn = window(mixed, pixels=pixels)
        counted = np.isin(drawn.buckets["lane"], drawn.binned)
        assert drawn.drawn + drawn.buckets["records"][counted].sum() == drawn.total == 200
        assert drawn.drawn * 8 <= pixels * len(drawn.lanes)


def test_bins_stay_where_they_are_when_the_window_moves(mixed: Path) -> None:
    one = window(mixed, span=AxisRange("offset", 0, 99), pixels=100)
    two = window(mixed, span=AxisRange("offset", 50, 149), pixels=100)
    assert one.bin_width == two.bin_width == 8
    shared = set(one.buckets["bucket"].tolist()) & set(two.buckets["bucket"].tolist())
    assert shared == set(range(6, 13))


def test_a_window_holds_only_its_records(mixed: Path) -> None:
    drawn = window(mixed, span=AxisRange("offset", 50, 59))
    assert drawn.marks["offset"].tolist() == list(range(50, 60))
    assert drawn.offsets == (50, 59)


def test_keys_beyond_the_thirty_with_most_records_share_a_lane(mixed: Path) -> None:
    drawn = window(mixed, by="key")
    assert len(drawn.lanes) == 31
    assert drawn.lanes[0] == OTHER_KEYS
    assert drawn.records_by_lane[OTHER_KEYS] == 50


def test_keys_of_a_window_are_those_of_that_window(mixed: Path) -> None:
    drawn = window(mixed, by="key", span=AxisRange("offset", 0, 4))
    assert set(drawn.lanes) == {"k0", "k1", "k2", "k3", "k4"}


def test_small_lanes_come_first() -> None:
    assert sparse_lanes({"a": 10, "b": 1000, "c": 20}, 400) == {"a", "c"}
    assert sparse_lanes({"a": 10}, 79) == set()
    assert len(sparse_lanes({str(lane): 500 for lane in range(20)}, 4000)) == 8


def test_marks_of_times_need_no_more_room_on_a_phone() -> None:
    assert room(AxisRange("offset", 0, 9), 290) == 290
    assert room(AxisRange("time", 0, 9), 290) == PLOT_PIXELS
    assert room(AxisRange("time", 0, 9), 2 * PLOT_PIXELS) == 2 * PLOT_PIXELS


def test_records_without_a_time_are_counted_and_have_no_time_axis(tmp_path: Path) -> None:
    folder = write_results(tmp_path, records=records_table({}, {}, timestamp_ms=-1))
    with open_results(folder) as results:
        facts = survey(results).facts[JOURNAL]
    assert facts.without_time == 2
    assert whole_span(facts, "time") is None


def test_facts_of_several_partitions_are_kept_apart(tmp_path: Path) -> None:
    rows = [{"offset": n, "partition": n % 2, "replica": "a" if n > 7 else ""} for n in range(10)]
    with open_results(write_results(tmp_path, records=records_table(*rows))) as results:
        facts = survey(results).facts
    assert {place.name: found.records for place, found in facts.items()} == {
        "journal-0": 4,
        "journal-1": 4,
        "journal-0 (a)": 1,
        "journal-1 (a)": 1,
    }


def test_facts_by_statistics_and_by_counting_are_the_same(tmp_path: Path) -> None:
    one = write_results(
        tmp_path / "one", records=records_table({}, {"value": None}, {"control_type": "commit"})
    )
    two = write_results(
        tmp_path / "two",
        records=records_table({}, {"value": None}, {"control_type": "commit"}, {"offset": 0, "partition": 1}),
    )
    with open_results(one) as results:
        quick = survey(results)
    with open_results(two) as results:
        counted = survey(results)
    assert quick.facts[JOURNAL] == counted.facts[JOURNAL]
    assert quick.lanes[JOURNAL] == counted.lanes[JOURNAL]


def test_narrow_gaps_of_compaction_are_counted_and_not_drawn(tmp_path: Path) -> None:
    gaps = [{"first_offset": n * 10, "last_offset": n * 10, "cause": "compaction"} for n in range(1, 400)]
    gaps += [
        {"first_offset": 5, "last_offset": 5, "cause": "damage"},
        {"first_offset": 900_000, "last_offset": 999_999, "cause": "compaction"},
    ]
    table = other_table("gaps", *gaps, topic="journal", partition=0, replica="", proof="seen")
    with open_results(write_results(tmp_path, gaps=table)) as results:
        found = gaps_between(results.of(JOURNAL), 0, 1_000_000)
    assert [gap["first_offset"] for gap in found.drawn] == [5, 900_000]
    assert (found.gaps, found.offsets) == (401, 100_400)
