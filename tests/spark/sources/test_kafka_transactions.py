"""Transactions from the tables of kafka-transactions."""

from __future__ import annotations

from pathlib import Path

from tests.spark.sources.prints_of_tools import DESCRIBE, HANGING, LIST, rows


def test_what_the_tool_says_hangs_is_a_row(tmp_path: Path) -> None:
    tables, note = rows("kafka-transactions", HANGING, tmp_path)
    (row,) = tables["printed"]
    assert (row["topic"], row["partition"], row["kind"], row["offset"]) == ("orders", 0, "hanging", 77)
    assert (row["producer_id"], row["producer_epoch"], row["timestamp_ms"]) == (1000, 2, 1710155643772)
    assert note == "Transactions that hang: producer 1000 in orders-0 from offset 77."


def test_the_table_of_a_build_without_coordinator_epochs_is_read_too(tmp_path: Path) -> None:
    old = HANGING.replace("CoordinatorEpoch", "").replace("5                 77", "77").replace("min", "s")
    assert rows("kafka-transactions", old, tmp_path)[0]["printed"][0]["offset"] == 77


def test_states_of_transactional_ids_are_rows(tmp_path: Path) -> None:
    tables, note = rows("kafka-transactions", LIST, tmp_path)
    assert [(row["name"], row["producer_id"], row["value"]) for row in tables["printed"]] == [
        ("mover-1", 1000, "Ongoing"),
        ("mover-2", 1001, "Empty"),
    ]
    assert note == "States of 2 transactional ids."
    assert rows("kafka-transactions", DESCRIBE, tmp_path)[0]["printed"][0]["value"] == "Ongoing"
