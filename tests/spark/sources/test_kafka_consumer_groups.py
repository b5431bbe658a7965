"""Where groups stand, from the output of kafka-consumer-groups --describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.sources.prints_of_tools import GROUPS, GROUPS_1, rows


@pytest.mark.parametrize(("text", "group"), [(GROUPS, "billing"), (GROUPS_1, "")])
def test_committed_offsets_and_ends_of_logs_are_rows(text: str, group: str, tmp_path: Path) -> None:
    tables, note = rows("kafka-consumer-groups", text, tmp_path)
    found = [(row["partition"], row["kind"], row["name"], row["offset"]) for row in tables["printed"]]
    assert found[:2] == [(0, "group", group, 120), (0, "log_end", None, 130)]
    assert "at 120 of orders-0" in note


def test_a_group_that_has_committed_nothing_tells_the_end_only(tmp_path: Path) -> None:
    tables, _ = rows("kafka-consumer-groups", GROUPS, tmp_path)
    assert [(row["kind"], row["offset"]) for row in tables["printed"] if row["partition"] == 1] == [
        ("log_end", 7)
    ]
