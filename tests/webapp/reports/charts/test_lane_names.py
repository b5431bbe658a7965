"""Names of lanes are cut in their middle, and none looks like another."""

from __future__ import annotations

import pytest

from webapp.reports.charts.lane_names import lane_names, short_names
from webapp.reports.charts.rings import LINE_PIXELS, RING_PIXELS
from webapp.reports.charts.rows import NAME_PIXELS, NAMED_LANE_PIXELS, FigureFrame


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


def test_cut_names_differ_in_more_than_a_letter_where_their_middles_allow_it() -> None:
    bean, references = "default/ProtobufBeanExample-value", "default/ProtobufSerdeReferencesExample-value"
    assert list(short_names([bean, references], 26).values()) == [
        "default/P…eanExample-value", "default/P…cesExample-value",
    ]  # fmt: skip
    numbered = ["server-7-data-default-abc-0001", "server-7-data-default-abc-0002"]
    assert [name[-4:] for name in short_names(numbered, 26).values()] == ["0001", "0002"]


def test_a_name_ends_above_the_ring_of_its_lane() -> None:
    frame = FigureFrame([("lane", "pay/money")], NAMED_LANE_PIXELS, 0, True, False, True)
    (name,) = lane_names(frame, "light")
    ring_top = NAMED_LANE_PIXELS / 2 - (RING_PIXELS + LINE_PIXELS) / 2
    assert NAME_PIXELS - name["yshift"] <= ring_top
