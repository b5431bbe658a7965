"""Marks that are drawn at one place of a time axis have their number beside them."""

from __future__ import annotations

from webapp.reports.charts.background import Flag
from webapp.reports.charts.marks import crowd_of
from webapp.reports.charts.piles import Pile, bare_rings, pile_counts, ringed_piles


def pixel_of(x: float) -> float:
    return x


def pile(x: float, records: int, y: float = 0) -> Pile:
    return Pile(x, y, x, x, records, x)


def counts(
    *piles: Pile, rings: tuple[list[Flag], ...] = (), bands: tuple[tuple[float, float], ...] = ()
) -> list[tuple[str, str]]:
    """Texts, and the side of the mark that they are on."""
    sides = {"left": "right", "right": "left", "center": "above"}
    notes = pile_counts(ringed_piles(piles, rings, pixel_of), 300, "light", bands)
    return [(note["text"], sides[note["xanchor"]]) for note in notes]


def test_a_single_mark_has_no_number() -> None:
    assert counts(pile(10, 1), pile(100, 4)) == [("4", "right")]


def test_a_number_keeps_clear_of_the_next_mark_and_of_the_end_of_the_figure() -> None:
    assert counts(pile(100, 4), pile(120, 1)) == [("4", "left")]
    assert counts(pile(295, 12)) == [("12", "left")]
    assert counts(pile(80, 1), pile(100, 4), pile(120, 1)) == []
    assert counts(pile(10, 5), pile(29, 5), rings=(flags(10),)) == [("5", "right")], "the ring's has no room"
    assert counts(pile(10, 5), pile(18, 5), pile(24, 2)) == [("12", "right")], "no room between them"
    assert counts(pile(74, 1), pile(100, 4, y=1), pile(126, 1)) == [("4", "right")], (
        "other lanes do not count"
    )


def test_a_number_stands_on_the_band_of_a_fold_only_where_no_other_room_is() -> None:
    assert counts(pile(100, 4), bands=((108, 132),)) == [("4", "left")]
    assert counts(pile(100, 4), bands=((68, 92), (108, 132))) == [("4", "above")]
    assert counts(pile(80, 1), pile(100, 4), bands=((108, 132),)) == [("4", "right")]
    ringed = counts(pile(100, 4), rings=(flags(100),), bands=((68, 92), (108, 132)))
    assert ringed == [("4", "right")], "a flag's line is above"


def flags(*xs: float) -> list[Flag]:
    return [Flag(x, 0, offset, "high", "finding", f"f{offset}") for offset, x in enumerate(xs)]


def test_a_ring_around_marks_has_one_number_that_counts_marks() -> None:
    assert counts(pile(100, 2), rings=(flags(100, 100),)) == [("2", "right")]
    assert counts(pile(100, 5), rings=(flags(100, 100),)) == [("5", "right")]
    assert counts(pile(100, 2), pile(108, 2), rings=(flags(100, 108, 108),)) == [("4", "right")]
    assert bare_rings([pile(100, 2)], [flags(100), flags(200)], pixel_of) == [flags(200)]


def test_the_tooltip_of_a_mark_says_how_many_are_drawn_at_its_place() -> None:
    piles = [pile(20, 1), pile(50, 3), pile(100, 2), pile(108, 2)]
    crowd = crowd_of(ringed_piles(piles, [flags(100, 108, 108)], pixel_of), pixel_of)
    assert [crowd(0, x) for x in (20, 50, 104)] == [
        "", "<br>3 records here", "<br>4 records here, 3 with findings",
    ]  # fmt: skip
