"""Looks of gaps: one for every cause, none like another."""

from __future__ import annotations

import pytest

from spark.stages.gaps import CAUSES
from webapp.reports.charts.look import GAP_LOOKS, gap_look

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
