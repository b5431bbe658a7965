"""How many of the records beside the victims the service rejects: the State page counts all rejected entries."""

from __future__ import annotations

import pytest

from webapp.reports.incident_cards import IncidentCard
from webapp.reports.incidents.short_steps import ShortPlan
from webapp.reports.incidents.victims import Chip, Entity, VictimRow


@pytest.mark.parametrize(
    ("rejected", "words"), [([4, 5, 6, 7], "these 4 records"), ([4, 5, 6], "3 of these records")]
)
def test_the_count_says_of_which_records_it_is(rejected: list[int], words: str) -> None:
    rows = [
        VictimRow(Entity(name), "lost", None, [Chip(offset), Chip(7)])
        for name, offset in zip("abc", (4, 5, 6), strict=True)
    ]
    card = IncidentCard("x", "critical", "3 lost", [], [], rows, [], 3, [], (), rejected, ShortPlan())
    assert card.rejected_words == words
