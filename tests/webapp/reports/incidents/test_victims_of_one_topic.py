"""Partitions without a leader are one victim for each topic."""

from __future__ import annotations

from typing import Any

from spark.terms.wording import number_ranges, some
from webapp.reports.incidents.victim_words import name_of, of_one_topic


def victim(partition: str, finding: str = "f", whom: str = "groups") -> dict[str, Any]:
    return {
        "entity_type": "partition",
        "entity_id": partition,
        "finding": finding,
        "whom": whom,
        "kind": "stuck",
    }


def test_partitions_of_one_finding_without_records_are_one_row() -> None:
    rows = [victim(f"__consumer_offsets-{number}") for number in (0, 1, 3)]
    (row,) = of_one_topic(rows, {"f"})
    assert name_of(row, {}) == "groups whose offsets are in partitions 0-1 and 3 of __consumer_offsets"
    assert of_one_topic(rows, set()) == rows


def test_one_partition_keeps_its_name_and_other_victims_stay_apart() -> None:
    rows = [
        victim("orders-0", whom="clients"),
        victim("pay-0", whom="clients"),
        victim("orders-1", whom="consumers"),
    ]
    assert [name_of(row, {}) for row in of_one_topic(rows, {"f"})] == [
        "producers and consumers of orders-0",
        "producers and consumers of pay-0",
        "consumers of orders-1",
    ]


def test_ranges() -> None:
    assert some(number_ranges([7])) == "7"
    assert some(number_ranges([0, 1, 2, 3, 7])) == "0-3 and 7"
