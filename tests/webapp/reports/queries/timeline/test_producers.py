"""Lanes by producer and by transaction; marks of transactions that nobody ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand
from webapp.reports.queries.timeline.producers import NO_PRODUCER, NO_TRANSACTION
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


def transaction(
    producer: int, first: int | None, last: int | None, outcome: str, **more: Any
) -> dict[str, Any]:
    return {
        "producer_id": producer, "producer_epoch": 0, "first_offset": first, "last_offset": last, "outcome": outcome,
        "records": 0 if first is None or last is None else last - first + 1, **more,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Offsets 0 and 1 without producer, 2 to 4 of producer 7 with its COMMIT, 5 and 6 of producer 9, which ends nothing."""
    marker = {"control_type": "commit", "key": b"\0\0\0\1"}
    producers = [-1, -1, 7, 7, 7, 9, 9]
    rows = [{"producer_id": producer} | (marker if n == 4 else {}) for n, producer in enumerate(producers)]
    transactions = other_table(
        "transactions",
        transaction(7, 2, 3, "committed", marker_offset=4),
        transaction(9, 5, 6, "open"),
        topic="journal",
        partition=0,
        replica="",
    )
    return write_results(tmp_path, records=records_table(*rows), transactions=transactions)


def window(folder: Path, by: Any, axis: Any = "offset", **by_hand: tuple[str, ...]) -> Any:
    with open_results(folder) as results:
        found = survey(results)
        whole = whole_span(found.facts[JOURNAL], axis)
        assert whole
        return read_window(
            PartitionTables(results, JOURNAL, found), whole, by, pixels=4000, by_hand=LanesByHand(**by_hand)
        )


@pytest.mark.parametrize("axis", ["offset", "time"])
def test_each_producer_has_a_lane_with_its_markers(folder: Path, axis: Any) -> None:
    shown = window(folder, "producer", axis)
    assert shown.records_by_lane == {NO_PRODUCER: 2, "Producer 9": 2, "Producer 7": 3}
    assert shown.rest_heading == "Producers"


@pytest.mark.parametrize("axis", ["offset", "time"])
def test_each_transaction_has_a_lane_from_its_first_record_to_its_marker(folder: Path, axis: Any) -> None:
    committed, still_open = "7: 2, committed", "9: 5, open"
    shown = window(folder, "transaction", axis)
    assert shown.records_by_lane == {NO_TRANSACTION: 2, committed: 3, still_open: 2}
    assert shown.lanes == [NO_TRANSACTION, committed, still_open]  # the open one is above


def test_a_pinned_transaction_stays_where_it_has_no_record(folder: Path) -> None:
    with open_results(folder) as results:
        found = survey(results)
        whole = whole_span(found.facts[JOURNAL], "offset")
        assert whole
        span = type(whole)("offset", 5, 6)
        chosen = LanesByHand(pinned=("transaction:7:2", "transaction:x", "transaction:1:2:3"))
        shown = read_window(PartitionTables(results, JOURNAL, found), span, "transaction", by_hand=chosen)
    assert shown.pinned_by_hand == ("7: 2, committed",)
    assert shown.records_by_lane["7: 2, committed"] == 0


def test_marks_of_open_transactions_say_so(folder: Path) -> None:
    shown = window(folder, "type")
    assert shown.marks["outcome"].tolist() == ["", "", "", "", "", "open", "open"]
