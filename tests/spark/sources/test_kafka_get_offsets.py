"""Starts and ends of logs from the output of kafka-get-offsets."""

from __future__ import annotations

from pathlib import Path

from tests.spark.sources.prints_of_tools import EARLIEST, LATEST, recognised, rows


def offsets(text: str, folder: Path) -> list[tuple[str, int, str, int]]:
    tables, _ = rows("kafka-get-offsets", text, folder)
    return [(row["topic"], row["partition"], row["kind"], row["offset"]) for row in tables.get("printed", [])]


def test_the_command_tells_whether_they_are_ends_or_starts(tmp_path: Path) -> None:
    assert offsets(LATEST, tmp_path) == [("orders", 0, "log_end", 130), ("orders", 1, "log_end", 7)]
    assert offsets(EARLIEST, tmp_path) == [("orders", 0, "log_start", 42)]
    assert offsets(LATEST.replace(" --time -1", ""), tmp_path)[0][2] == "log_end"


def test_without_a_command_or_at_a_time_they_are_used_for_nothing(tmp_path: Path) -> None:
    assert offsets("orders:0:130\n", tmp_path) == []
    assert "command" in rows("kafka-get-offsets", "orders:0:130\n", tmp_path)[1]
    assert offsets(LATEST.replace("--time -1", "--time 1710155643772"), tmp_path) == []


def test_lines_that_only_look_a_little_like_it_are_no_print(tmp_path: Path) -> None:
    assert recognised("a:0:1\nb\nc\nd\ne\nf\n", tmp_path) == []
    assert recognised("12:30:45\n", tmp_path) == []
