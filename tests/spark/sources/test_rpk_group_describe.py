"""Where groups stand, from the output of rpk group describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.sources.prints_of_tools import RPK_GROUPS, rows

LAYOUT = "rpk-group-describe"


def test_every_group_has_its_own_rows(tmp_path: Path) -> None:
    tables, note = rows(LAYOUT, RPK_GROUPS, tmp_path)
    groups = [
        (row["name"], row["partition"], row["offset"], row["end_offset"], row["is_active"])
        for row in tables["printed"]
        if row["kind"] == "group"
    ]
    assert groups == [("mover", 0, 144424, 136204, False), ("late", 0, 12, 136204, True)]
    assert {(row["kind"], row["partition"], row["offset"]) for row in tables["printed"]} >= {
        ("log_start", 0, 7),
        ("log_end", 0, 136204),
        ("log_end", 1, 2),
    }
    assert "cannot be read" not in note


@pytest.mark.parametrize(
    "header",
    [
        "TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  MEMBER-ID  CLIENT-ID  HOST",
        "TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  MEMBER-ID  INSTANCE-ID  CLIENT-ID  HOST",
        "TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  MEMBER-ID  CLIENT-ID  HOST  ERROR",
    ],
)
def test_older_columns_and_further_ones_are_read(header: str, tmp_path: Path) -> None:
    tables, _ = rows(LAYOUT, f"{header}\norders  0  120  100  -20\n", tmp_path)
    (group,) = [row for row in tables["printed"] if row["kind"] == "group"]
    assert (group["name"], group["offset"], group["end_offset"]) == ("", 120, 100)
