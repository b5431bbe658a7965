"""Marks that are drawn at one place of a time axis have their number beside them."""

from __future__ import annotations

from webapp.reports.charts.background import Flag
from webapp.reports.charts.marks import Pile, pile_counts


def pixel_of(x: float) -> float:
    return x


def pile(x: float, records: int, y: float = 0) -> Pile:
    return Pile(x, y, x, x, records)


def counts(*piles: Pile, rings: tuple[list[Flag], ...] = ()) -> list[tuple[str, str]]:
    """Texts, and the side of the mark that they are on."""
    sides = {"left": "right", "right": "left", "center": "above"}
    notes = pile_counts(piles, rings, pixel_of, 300, "light")
    return [(note["text"], sides[note["xanchor"]]) for note in notes]


def test_a_single_mark_has_no_number() -> None:
    assert counts(pile(10, 1), pile(100, 4)) == [("4", "right")]


def test_a_number_keeps_clear_of_the_next_mark_and_of_the_end_of_the_plot() -> None:
    assert counts(pile(100, 4), pile(120, 1)) == [("4", "left")]
    assert counts(pile(295, 12)) == [("12", "left")]
    assert counts(pile(80, 1), pile(100, 4), pile(120, 1)) == []
    assert counts(pile(74, 1), pile(100, 4, y=1), pile(126, 1)) == [("4", "right")], (
        "other lanes do not count"
    )


def test_a_ring_that_says_the_same_number_needs_no_second_one() -> None:
    flags = [Flag(100, 0, offset, "high", "finding", f"f{offset}") for offset in (7, 8)]
    assert counts(pile(100, 2), rings=(flags,)) == []
    assert counts(pile(100, 5), rings=(flags,)) == [("5", "left")]
