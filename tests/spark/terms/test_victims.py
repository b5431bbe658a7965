"""Whom a headline names."""

from __future__ import annotations

import pytest

from spark.terms.findings import Finding
from spark.terms.marked import plain
from spark.terms.victims import partitions_of, stuck


def about(topic: str, partition: int | None) -> Finding:
    return Finding("x", "high", "", "", topic, partition, 0, 0, "")


@pytest.mark.parametrize(
    ("places", "partitions"),
    [
        ([("moves", 0), ("moves", 0)], "moves-0"),
        ([("moves", 0), ("moves", 1)], "2 partitions"),
        ([("moves", None)], "moves"),
        ([("?", 0)], "the partition"),
        ([("moves", 0), ("gone", 0)], "2 partitions"),
    ],
    ids=["one", "two partitions", "a whole topic", "no name", "two topics"],
)
def test_one_victim_is_named_and_several_are_counted(
    places: list[tuple[str, int | None]], partitions: str
) -> None:
    findings = [about(*place) for place in places]
    assert plain(partitions_of(findings)) == partitions


def test_who_is_stuck_is_told_with_place_and_day() -> None:
    first = Finding("x", "high", "", "", "moves", 0, 60, 61, "", since_ms=1_770_940_800_000)
    later = Finding("x", "high", "", "", "moves", 0, 99, 99, "")
    assert (
        plain(stuck([later, first]))
        == "read_committed consumers are stuck at offset 60 of moves-0 since 2026-02-13"
    )
    assert plain(stuck([later])) == "read_committed consumers are stuck at offset 99 of moves-0"
    elsewhere = Finding("x", "high", "", "", "moves", 1, 7, 7, "")
    assert plain(stuck([first, elsewhere])) == "read_committed consumers are stuck in 2 partitions"
