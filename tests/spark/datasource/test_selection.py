"""Selections keep exactly the rows that their conditions say."""

from __future__ import annotations

import pytest

from spark.datasource.selection import MAX_OFFSET, MIN_OFFSET, ReadSelection
from tests.builders import batches_table, damage_table, records_table


def offsets(selection: ReadSelection) -> list[int]:
    rows = records_table(
        *({"offset": offset, "key": b"k"} for offset in (-1, 0, 5, 9, MAX_OFFSET)),
        timestamp_ms=0,
        batch_position=0,
    )
    return selection.rows("records", rows).column("offset").to_pylist()


def test_nothing_chosen_is_everything() -> None:
    assert offsets(ReadSelection()) == [-1, 0, 5, 9, MAX_OFFSET]
    assert ReadSelection().reads("orders", 3)


@pytest.mark.parametrize(
    ("first", "last", "left"),
    [
        (0, MAX_OFFSET, [0, 5, 9, MAX_OFFSET]),
        (5, 9, [5, 9]),
        (6, 8, []),
        (9, 5, []),
        (MIN_OFFSET, 0, [-1, 0]),
        (MAX_OFFSET, MAX_OFFSET, [MAX_OFFSET]),
    ],
)
def test_both_ends_of_a_range_are_included(first: int, last: int, left: list[int]) -> None:
    assert offsets(ReadSelection().within(first, last)) == left


def test_a_second_range_narrows_the_first() -> None:
    assert offsets(ReadSelection().within(0, 9).within(5, MAX_OFFSET)) == [5, 9]


def test_topics_and_partitions_are_met_together() -> None:
    selection = ReadSelection().of_topics(frozenset({"orders", "users"})).of_partitions(frozenset({1}))
    assert selection.of_topics(frozenset({"orders"})).reads("orders", 1)
    assert not selection.reads("orders", 0)
    assert not selection.of_topics(frozenset({"payments"})).reads("orders", 1)


def test_rows_of_other_partitions_are_left_out() -> None:
    rows = records_table({"partition": 0}, {"partition": 1}, {"topic": "users", "partition": 1})
    chosen = (
        ReadSelection().of_topics(frozenset({"journal"})).of_partitions(frozenset({1})).rows("records", rows)
    )
    assert chosen.select(["topic", "partition"]).to_pylist() == [{"topic": "journal", "partition": 1}]


def test_a_batch_counts_that_only_reaches_into_the_range() -> None:
    rows = batches_table(
        {"base_offset": 0, "last_offset": 9}, {"base_offset": 10, "last_offset": 19}, {"base_offset": 20}
    )
    chosen = ReadSelection().within(9, 10).rows("batches", rows)
    assert chosen.column("base_offset").to_pylist() == [0, 10]


def test_damage_of_unknown_offsets_is_in_every_range() -> None:
    rows = damage_table(
        {"position": 1, "first_offset": None, "last_offset": None},
        {"position": 2, "first_offset": 50, "last_offset": None},
        {"position": 3, "first_offset": 1, "last_offset": 3},
    )
    chosen = ReadSelection().within(4, 9).rows("damage", rows)
    assert chosen.column("position").to_pylist() == [1]
