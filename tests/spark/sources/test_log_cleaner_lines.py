"""Cleanings from the lines of the log cleaner."""

from __future__ import annotations

from pathlib import Path

from spark.sources.log_cleaner_lines import source
from tests.spark.sources.prints_of_tools import CLEANER, recognised, rows, written


def test_a_cleaning_that_ended_is_a_row_with_its_time(tmp_path: Path) -> None:
    tables, note = rows("log-cleaner-lines", CLEANER, tmp_path)
    (row,) = tables["printed"]
    assert (row["topic"], row["partition"], row["kind"], row["offset"]) == ("orders", 0, "cleaned", 42)
    assert row["timestamp_ms"] == 1710155643974
    assert "orders-0 to before offset 42 (2024-03-11 11:14:03 UTC, by the log's own clock)" in note


def test_a_cleaning_that_only_began_is_no_row(tmp_path: Path) -> None:
    tables, note = rows("log-cleaner-lines", CLEANER.splitlines()[0] + "\n", tmp_path)
    assert tables == {}
    assert note == "It contains no completed compaction."


def test_a_log_without_the_cleaner_is_another_thing(tmp_path: Path) -> None:
    assert recognised("[2024-03-11 11:14:03,772] INFO started (kafka.server.KafkaServer)\n", tmp_path) == []


def test_what_has_none_of_its_lines_says_so_once(tmp_path: Path) -> None:
    found = source.recognise(*written("hello\n", tmp_path))
    assert found.why == "no lines of the log cleaner in it, or more lines of something else"
