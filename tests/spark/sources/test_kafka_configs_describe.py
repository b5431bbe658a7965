"""Settings from the output of kafka-configs --describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.sources.prints_of_tools import CONFIGS, rows


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        ("0.9", {"cleanup.policy": "compact"}),
        ("1.0", {"cleanup.policy": "compact", "min.compaction.lag.ms": "60000"}),
        ("3.9", {"cleanup.policy": "compact,delete", "retention.ms": "-1"}),
        ("all", {"cleanup.policy": "compact", "preallocate": "false"}),
    ],
)
def test_settings_of_topics_are_read(age: str, expected: dict[str, str], tmp_path: Path) -> None:
    tables, note = rows("kafka-configs-describe", CONFIGS[age], tmp_path)
    assert {row["name"]: row["value"] for row in tables["properties"]} == expected
    assert {(row["topic"], row["file"]) for row in tables["properties"]} == {("orders", 3)}
    assert note.startswith(f"Settings of orders (cleanup.policy={expected['cleanup.policy']}")


@pytest.mark.parametrize("age", ["none", "broker"])
def test_a_print_without_settings_of_a_topic_gives_no_row_and_says_so(age: str, tmp_path: Path) -> None:
    tables, note = rows("kafka-configs-describe", CONFIGS[age], tmp_path)
    assert tables == {}
    assert note.startswith("It names no")
