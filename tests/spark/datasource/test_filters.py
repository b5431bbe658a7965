"""Spark's filters become selections where a selection says exactly the same, and stay with Spark where not."""

from __future__ import annotations

from typing import Any

import pytest

from spark.datasource.filters import narrowed
from spark.datasource.journal import CAN_PUSH_FILTERS
from spark.datasource.selection import MAX_OFFSET, MIN_OFFSET, ReadSelection

if not CAN_PUSH_FILTERS:
    pytest.skip("Spark has filters from 4.1", allow_module_level=True)

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)

TOPIC, PARTITION, OFFSET = ("topic",), ("partition",), ("offset",)


@pytest.mark.parametrize(
    ("condition", "selection"),
    [
        (EqualTo(TOPIC, "orders"), ReadSelection(topics=frozenset({"orders"}))),
        (In(TOPIC, ("orders", "users")), ReadSelection(topics=frozenset({"orders", "users"}))),
        (EqualTo(PARTITION, 0), ReadSelection(partitions=frozenset({0}))),
        (In(PARTITION, (1, 2)), ReadSelection(partitions=frozenset({1, 2}))),
        (EqualTo(OFFSET, 7), ReadSelection(first_offset=7, last_offset=7)),
        (GreaterThan(OFFSET, 7), ReadSelection(first_offset=8)),
        (GreaterThanOrEqual(OFFSET, 7), ReadSelection(first_offset=7)),
        (LessThan(OFFSET, 7), ReadSelection(last_offset=6)),
        (LessThanOrEqual(OFFSET, 7), ReadSelection(last_offset=7)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_topic_partition_and_offset_are_taken(condition: Any, selection: ReadSelection) -> None:
    assert narrowed(ReadSelection(), "records", [condition]) == (selection, [])


@pytest.mark.parametrize(
    "condition",
    [
        IsNotNull(TOPIC),
        Not(EqualTo(TOPIC, "orders")),
        StringStartsWith(TOPIC, "ord"),
        EqualNullSafe(PARTITION, 0),
        EqualTo(("key_size_bytes",), 7),
        EqualTo(("headers", "topic"), "orders"),
        In(OFFSET, (1, 9)),
        In(TOPIC, ("orders", None)),
        EqualTo(TOPIC, None),
        GreaterThan(OFFSET, MAX_OFFSET),
        LessThan(OFFSET, MIN_OFFSET),
        GreaterThan(OFFSET, 2.5),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_a_selection_cannot_say_stays_with_spark(condition: Any) -> None:
    assert narrowed(ReadSelection(), "records", [condition]) == (ReadSelection(), [condition])


def test_all_filters_hold_together_with_what_was_selected_before() -> None:
    before = ReadSelection(partitions=frozenset({0, 1}), last_offset=99)
    left_to_spark = IsNotNull(OFFSET)
    filters = [left_to_spark, EqualTo(PARTITION, 1), GreaterThan(OFFSET, 9)]
    after = ReadSelection(partitions=frozenset({1}), first_offset=10, last_offset=99)
    assert narrowed(before, "entries", filters) == (after, [left_to_spark])


def test_a_filter_of_a_batch_offset_stays_with_spark() -> None:
    condition = GreaterThan(("base_offset",), 9)
    assert narrowed(ReadSelection(), "batches", [condition]) == (ReadSelection(), [condition])


def test_an_offset_in_a_companion_is_no_offset_of_a_record() -> None:
    condition = GreaterThan(OFFSET, 9)
    assert narrowed(ReadSelection(), "checkpoints", [condition]) == (ReadSelection(), [condition])
