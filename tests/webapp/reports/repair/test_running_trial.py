"""While a trial is queued or running, the table of victims does not say that nothing was tried."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from webapp.reports.repair.plan import RepairPlan


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (RepairPlan("Untested", "medium", "", ""), "not tried yet"),
        (RepairPlan("Untested", "medium", "", "", is_running=True), "trial running"),
        (RepairPlan("Tested", "high", "", ""), "not in the dumps here"),
    ],
)
def test_a_text_that_no_trial_found_yet(plan: RepairPlan, words: str) -> None:
    incident = {"first": {"repair": plan}, "has_texts": True, "is_same_for_all": True}
    row = SimpleNamespace(victim={"name": "content 13"}, text=None, chip_groups=[], needs=None)
    page = render_to_string("reports/parts/victims.html", {"incident": incident, "rows": [row]})
    assert f'<span class="quiet">{words}</span>' in page
