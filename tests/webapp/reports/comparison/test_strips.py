"""Two strips on one axis: colours by consequence, nothing green."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from webapp.reports.comparison.sides import ComparedSide, SidePair
from webapp.reports.comparison.strips import strips

CSS = Path(__file__).resolve().parents[4] / "static/css/compare.css"


def pair() -> SidePair:
    """Before ends at offset 9, After at 19."""
    sides = [
        ComparedSide(side, name, None, {"last_offset": last})  # type: ignore[arg-type]
        for side, name, last in (("left", "Before", 9), ("right", "After", 19))
    ]
    return SidePair(*sides)


def entry(*ranges: tuple[str, int, int]) -> dict[str, Any]:
    """The ranges of a comparison."""
    return {
        "ranges": [
            {"kind": kind, "first_offset": first, "last_offset": last, "records": last - first + 1}
            for kind, first, last in ranges
        ]
    }


def test_what_one_side_alone_has_is_removed_or_new_and_a_record_of_a_lost_entity_is_drawn_last() -> None:
    both = strips(entry(("equal", 0, 4), ("left", 5, 9), ("right", 10, 19)), pair(), [7])
    assert both is not None
    before, after = ([(piece.look, piece.x, piece.width) for piece in strip.pieces] for strip in both.both)
    assert before == [
        ("same", "0.00", "250.00"),
        ("removed", "250.00", "250.00"),
        ("lost", "350.00", "50.00"),
    ]
    assert after == [("same", "0.00", "250.00"), ("new", "500.00", "500.00")]
    assert both.both[0].pieces[-1].title == "offset 7: record of a lost entity"
    assert [(one.look, one.words, one.records) for one in both.legend] == [
        ("same", "the same", 5),
        ("removed", "only in Before", 5),
        ("new", "new in After", 10),
        ("lost", "record of a lost entity", 1),
    ]


def test_records_of_lost_entities_are_counted_by_the_colour_that_they_have_besides() -> None:
    both = strips(entry(("equal", 0, 4), ("left", 5, 9), ("right", 10, 19)), pair(), [7, 2, 8, 7])
    assert both is not None
    assert both.legend[-1].also == "2 only in Before, 1 the same"
    assert [one.also for one in both.legend[:-1]] == ["", "", ""]


def test_what_after_alone_has_below_the_end_of_before_is_not_new() -> None:
    both = strips(entry(("right", 3, 3), ("equal", 4, 9)), pair(), [])
    assert both is not None
    assert [piece.look for piece in both.both[1].pieces] == ["same", "other"]


def test_without_records_there_are_no_strips() -> None:
    assert strips(entry(), pair(), []) is None


def test_no_colour_of_a_comparison_is_green() -> None:
    assert "healthy" not in CSS.read_text()
