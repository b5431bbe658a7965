"""Lanes that somebody pins or folds: nothing is left out, and the address says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import entries_table, key_hash, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.keys import key_id
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.by_hand import FOLDED, GROUPS, MAX_BY_HAND, LanesByHand
from webapp.reports.queries.timeline.pins import Pin
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
REST = GROUPS["group:rest"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"key": b"k%d" % (n % 40), "entry_type": "abc"[n % 3]} for n in range(90)]
    return write_results(tmp_path, records=records_table(*rows))


def window(folder: Path, by: Any = "type", **by_hand: tuple[str, ...]) -> Any:
    with open_results(folder) as results:
        found = survey(results)
        whole = whole_span(found.facts[JOURNAL], "offset")
        assert whole
        chosen = LanesByHand(**by_hand)
        return read_window(PartitionTables(results, JOURNAL, found), whole, by, pixels=4000, by_hand=chosen)


def test_folded_lanes_are_counted_in_one_lane(folder: Path) -> None:
    shown = window(folder, folded=("type:a", "type:c"))
    assert shown.lanes == [FOLDED, "b"]
    assert shown.records_by_lane == {FOLDED: 60, "b": 30}
    assert shown.binned == [FOLDED]
    assert set(shown.marks["lane"]) == {"b"}
    assert shown.total == 90


def test_a_folded_group_is_one_lane_and_pinned_lanes_stay(folder: Path) -> None:
    shown = window(folder, folded=("group:rest",), pinned=("type:b",))
    assert shown.lanes == [REST, "b"]
    assert shown.pinned_by_hand == ("b",)
    assert shown.records_by_lane[REST] == 60


def test_pinned_lanes_keep_the_order_of_the_address(folder: Path) -> None:
    assert window(folder, pinned=("type:c", "type:a", "type:unknown")).pinned_by_hand == ("c", "a")


def test_pins_of_other_kinds_of_lanes_wait_for_their_turn(folder: Path) -> None:
    shown = window(folder, pinned=("key:00", "producer:7"))
    assert (shown.lanes, shown.pinned_by_hand) == (["c", "b", "a"], ())


def test_a_pinned_key_has_its_lane_even_where_others_have_more_records(folder: Path) -> None:
    key = next(
        key for key in (b"k%d" % n for n in range(40)) if key.decode() not in window(folder, "key").lanes
    )
    shown = window(folder, "key", pinned=(f"key:{key_id(*key_hash(key))}",))
    assert shown.pinned_by_hand == (key.decode(),)
    assert shown.records_by_lane[key.decode()] == 2
    assert shown.total == 90


def test_an_address_gives_no_more_than_it_may() -> None:
    chosen = LanesByHand.of([f"type:{n}" for n in range(99)] + ["", "x" * 999], ["type:a", "type:a"])
    assert len(chosen.pinned) == MAX_BY_HAND
    assert chosen.folded == ("type:a",)


def test_entities_are_pinned_by_type_and_id() -> None:
    chosen = LanesByHand.of(["entity:content:48", "entity:artifact:a:b/c", "entity:", "type:x"], [])
    assert chosen.entities == (Pin("content", "48"), Pin("artifact", "a:b/c"))


def test_an_opened_type_has_a_lane_for_each_of_its_entities_with_most_records(tmp_path: Path) -> None:
    names = ["10", "2", "2", "pay/x", None]
    records = records_table(*({"entry_type": "Content"} for _ in names), {"entry_type": "Group"})
    entries = entries_table(
        *({"offset": offset, "entry_type": "Content", "entity_id": name} for offset, name in enumerate(names))
    )
    folder = write_results(tmp_path, records=records, entries=entries)
    shown = window(folder, opened=("type:Content", "type:unknown"))
    assert shown.lanes == ["Group", "Content pay/x", "Content 10", "Content 2", "Content"]
    assert shown.inside == ("Content pay/x", "Content 10", "Content 2")
    assert shown.records_by_lane["Content 2"] == 2
    assert shown.records_by_lane["Content"] == 1, "what is about no entity stays in the lane of the type"
    assert shown.total == 6
    assert window(folder).inside == ()
