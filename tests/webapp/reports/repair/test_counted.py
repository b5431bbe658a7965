"""How many versions a repair is said to recover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from webapp.journals.models import Repair
from webapp.reports.repair.plan import RepairPlan, counted

EMPTY: dict[str, Any] = {"mended": [], "at_risk": [], "missing": [], "refused": [], "ways": []}
MISSING = {"entity": "content 23", "needed_by": ["b/b/1"], "wanted": ""}
REFUSED = {"entity": "a/a/1 as it was before offset 175", "needed_by": ["a/a/1"], "why": ""}


@pytest.mark.parametrize(
    ("outcome", "of"),
    [
        ({"mended": ["a/a/1", "a/a/2"], "at_risk": ["a/a/1", "a/a/2"]}, (2, 2)),
        ({"mended": ["a/a/1", "a/a/2"], "at_risk": ["a/a/2"]}, (1, 1)),
        ({"mended": ["a/a/2"], "at_risk": ["a/a/2"], "missing": [MISSING]}, (0, 1)),
        ({"mended": ["a/a/1"], "at_risk": ["a/a/1"], "missing": [MISSING], "refused": [REFUSED]}, (0, 2)),
        ({"mended": ["a/a/2", "b/b/2"], "missing": [MISSING]}, (2, 3)),
    ],
)
def test_lost_versions_are_counted_and_those_that_stay_only_where_none_is_lost(
    outcome: Mapping[str, Any], of: tuple[int, int]
) -> None:
    plan = counted(RepairPlan("Tested", "high", "", ""), Repair(), {**EMPTY, **outcome})
    assert (plan.recovered, plan.total) == of
