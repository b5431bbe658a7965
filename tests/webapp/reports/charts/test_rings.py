"""Rings that would cover each other are one with their number; none takes in a record that proves nothing."""

from __future__ import annotations

from dataclasses import replace

from webapp.reports.charts.background import Flag
from webapp.reports.charts.rings import finding_rings, joined_rings, ring_counts, ring_groups


def flag(x: float, severity: str = "high", y: float = 0) -> Flag:
    return Flag(x, y, int(x), severity, f"finding at {x}", f"f{x}{severity}")


def pixel_of(x: float) -> float:
    """Seven pixels an offset."""
    return 7 * x


def offsets(*flags: Flag, marks: tuple[float, ...] = ()) -> list[list[int]]:
    groups = ring_groups(flags, pixel_of, {0.0: [pixel_of(mark) for mark in marks]})
    return [[each.offset for each in group] for group in groups]


def test_neighbours_share_a_ring_and_others_have_their_own() -> None:
    assert offsets(flag(1), flag(2), flag(4), flag(9)) == [[1, 2, 4], [9]]
    assert offsets(flag(1), flag(2, y=1)) == [[1], [2]]


def test_a_record_between_them_that_proves_nothing_keeps_rings_apart() -> None:
    assert offsets(flag(1), flag(3), marks=(1, 2, 3)) == [[1], [3]]
    assert offsets(flag(1), flag(3), marks=(1, 3, 4)) == [[1, 3]]


def test_findings_of_one_record_are_one_ring_of_the_worst() -> None:
    (group,) = ring_groups([flag(1, "low"), flag(1, "critical")], pixel_of, {})
    assert [each.severity for each in group] == ["critical"]


def test_records_of_the_same_time_count_one_each() -> None:
    same = replace(flag(4), offset=5)
    groups = ring_groups([flag(4), same, replace(flag(4, "low"), offset=5)], pixel_of, {})
    (count,) = ring_counts(groups, pixel_of, 300, "light")
    assert count["text"] == "2"


def test_a_ring_of_several_is_an_outline_with_their_number_and_its_points_are_not_seen() -> None:
    groups = ring_groups([flag(1), flag(2, "critical"), flag(9)], pixel_of, {})
    trace = finding_rings(groups, "light")
    assert [ring for _, _, ring, _ in trace["customdata"]] == [0, 0, 1], "points of one ring share its number"
    assert trace["marker"]["color"] == ["rgba(0,0,0,0)", "rgba(0,0,0,0)", "#8f5400"]
    (outline,) = joined_rings(groups, pixel_of, "light")
    assert (outline["xanchor"], outline["line"]["color"]) == (1, "#b03a00")
    assert "L7.0,8.5" in outline["path"]
    (count,) = ring_counts(groups, pixel_of, 300, "light")
    assert (count["text"], count["x"], count["xanchor"]) == ("2", 2, "left")


def test_a_number_without_room_to_the_right_stands_to_the_left() -> None:
    groups = ring_groups([flag(1), flag(2)], pixel_of, {})
    (count,) = ring_counts(groups, pixel_of, 30, "light")
    assert (count["x"], count["xanchor"]) == (1, "right")


def test_a_number_of_a_ring_stands_in_no_fold() -> None:
    groups = ring_groups([flag(20), flag(21)], pixel_of, {})  # 140 to 147 pixels
    (count,) = ring_counts(groups, pixel_of, 300, "light", [(160, 190)])
    assert (count["x"], count["xanchor"]) == (20, "right")
    assert ring_counts(groups, pixel_of, 300, "light", [(90, 125), (160, 190)]) == []


def test_a_number_covers_no_neighbour_of_its_ring() -> None:
    groups = ring_groups([flag(20), flag(21)], pixel_of, {})  # 140 to 147 pixels

    def place(*marks: float, above: float = 0) -> list[tuple[float, str, float]]:
        drawn = {0.0: [pixel_of(mark) for mark in marks], 1.0: [pixel_of(above)]}
        notes = ring_counts(groups, pixel_of, 300, "light", marks=drawn)
        return [(note["x"], note["xanchor"], note["yshift"]) for note in notes]

    assert place(20, 21) == [(21, "left", 0)]
    assert place(20, 21, 23) == [(20, "right", 0)]
    assert place(18, 20, 21, 23) == [(21, "left", 15)]
    assert place(18, 20, 21, 23, above=22) == []
