"""Where groups of old consumers stand, from the output of ConsumerOffsetChecker."""

from __future__ import annotations

from pathlib import Path

from tests.spark.sources.prints_of_tools import CHECKED, GROUPS, recognised, rows

LAYOUT = "kafka-consumer-offset-checker"


def test_committed_offsets_and_ends_of_logs_are_rows(tmp_path: Path) -> None:
    tables, note = rows(LAYOUT, CHECKED, tmp_path)
    found = [(row["partition"], row["kind"], row["name"], row["offset"]) for row in tables["printed"]]
    assert found == [(0, "group", "billing", 120), (0, "log_end", None, 130)]
    assert "at 120 of orders-0" in note


def test_an_unknown_offset_is_none(tmp_path: Path) -> None:
    tables, _ = rows(LAYOUT, CHECKED.replace("120  ", "unknown"), tmp_path)
    assert [row["kind"] for row in tables["printed"]] == ["log_end"]


def test_the_two_tools_are_told_apart(tmp_path: Path) -> None:
    assert recognised(CHECKED, tmp_path) == [LAYOUT]
    assert recognised(GROUPS, tmp_path) == ["kafka-consumer-groups"]
