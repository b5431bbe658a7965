"""Looks of gaps: one for every cause, none like another."""

from __future__ import annotations

import pytest

from spark.log.gaps import CAUSES
from webapp.reports.charts.log import CLEAN_SHADES, FORMAT_SHADES, SHADES
from webapp.reports.charts.look import GAP_LOOKS, gap_look, ink_on

EVERY = sorted({name for name, _ in CAUSES} | {"unexplained"})


@pytest.mark.parametrize("cause", EVERY)
def test_every_cause_has_words_and_a_look_of_its_own(cause: str) -> None:
    assert cause in GAP_LOOKS
    others = [look for name, look in GAP_LOOKS.items() if name != cause]
    mine = gap_look(cause)
    assert all(mine["name"] != look["name"] for look in others)
    assert all((mine["shape"], mine["light"]) != (look["shape"], look["light"]) for look in others)
    assert mine["text"].endswith(".")


def test_a_cause_that_is_not_known_needs_a_look() -> None:
    assert gap_look("cosmic rays") == GAP_LOOKS["unexplained"]


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


COLOURS = sorted(
    {look[theme] for look in GAP_LOOKS.values() for theme in ("light", "dark")}
    | {shade[theme] for shade in [*FORMAT_SHADES.values(), *CLEAN_SHADES.values()] for theme in shade}
    | {colour for shades in SHADES.values() for colour in shades}
)


@pytest.mark.parametrize("colour", COLOURS)
def test_words_on_a_colour_can_be_read(colour: str) -> None:
    dark, bright = sorted((luminance(colour), luminance(ink_on(colour))))
    assert (bright + 0.05) / (dark + 0.05) >= 3.8  # the lane's table says the same in plain text
