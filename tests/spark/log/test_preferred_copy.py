"""Which copy speaks for a partition: the furthest, the first by name, a log before its snapshots."""

from __future__ import annotations

from spark.log.preferred_copy import speaking
from spark.tables.replica import PartitionReplica
from tests.builders import given_tables, lifelines_table

LOG = "__cluster_metadata"


def said(*ends: tuple[str, str, int]) -> list[PartitionReplica]:
    """Of copies by topic, replica and last offset."""
    rows = [{"topic": topic, "replica": replica, "offset": end} for topic, replica, end in ends]
    return speaking(given_tables({"lifelines": lifelines_table(*rows)}))


def test_the_copy_that_reaches_furthest_speaks() -> None:
    assert said(("t", "a", 5), ("t", "b", 6), ("u", "c", 1)) == [("t", 0, "b"), ("u", 0, "c")]


def test_of_copies_that_reach_equally_far_the_first_by_name_speaks() -> None:
    assert said(("t", "b", 5), ("t", "a", 5)) == [("t", 0, "a")]


def test_a_snapshot_speaks_where_its_log_is_not_there() -> None:
    old, new = f"{LOG} snapshot 9-1", f"{LOG} snapshot 10-1"
    assert said((old, "a", 900), (new, "a", 10)) == [(new, 0, "a")]
    assert said((old, "a", 900), (LOG, "b", 12), (new, "a", 10)) == [(LOG, 0, "b")]


def test_without_records_nobody_speaks() -> None:
    assert said() == []
