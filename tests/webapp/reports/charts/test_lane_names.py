"""Names of lanes are cut in their middle, and none looks like another."""

from __future__ import annotations

import pytest

from webapp.reports.charts.lane_names import short_names


def test_names_with_room_are_whole() -> None:
    assert short_names(["Content 48", "Artifact"], 26) == {"Content 48": "Content 48", "Artifact": "Artifact"}


@pytest.mark.parametrize(
    "names",
    [
        ["Artifact default/ProtobufSerdeReferencesExample-value", "Artifact default/ProtobufSerdeBeanExample-value"],
        ["Artifact com.example.orders.first-value-of-all", "Artifact com.example.orders.other-value-of-all"],
        [f"{'a' * 40}{number}{'b' * 40}" for number in range(3)],
    ],
    ids=["differ near the end", "differ at a side of the cut", "differ in what is cut"],
)  # fmt: skip
def test_names_that_would_look_alike_are_told_apart(names: list[str]) -> None:
    short = list(short_names(names, 26).values())
    assert len(set(short)) == len(names)
    assert all(len(name) <= 26 and not name.startswith("…") and not name.endswith("…") for name in short)
