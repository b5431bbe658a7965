"""States of a comparison: as noted for the ends of the logs, else asked of the results: other offsets, swapped sides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webapp.reports.comparison.results import difference, noted, page_of, state, with_state

pytestmark = pytest.mark.django_db


def test_states_are_shown_as_of_two_offsets(inspected: Any, get: Any) -> None:
    left = inspected(with_state(state("content", "1", 2, config="a"), state("content", "4", 8)))
    right = inspected(with_state(state("content", "1", 2, config="a"), state("content", "4", 11)))
    page = page_of(left, right, noted([]), get, pair=0, before_at=9, after_at=10)
    assert "Between these dumps content 4 was lost." in page
    assert "Show the ends of the logs" in page
    earlier = " ".join(
        get(left, "report-comparison", right.pk, pair=0, before_at=7, after_at=10).content.decode().split()
    )
    assert "was lost" not in earlier
    assert "The service's state is the same on both sides." in earlier.replace("&#x27;", "'")


def test_sides_can_be_swapped(inspected: Any, get: Any) -> None:
    left = inspected(with_state(state("content", "1", 2)))
    right = inspected(with_state(state("content", "1", 2), state("content", "4", 11)))
    page = page_of(left, right, noted([]), get, before="right")
    assert "Between these dumps content 4 was lost." in page


def test_states_of_results_that_no_longer_exist_are_said_to_be_gone(inspected: Any, get: Any) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    (right.results / "tables.json").unlink()
    page = page_of(left, right, noted([]), get, pair=0, before_at=5, after_at=10)
    assert "The results of one of the two inspections no longer exist. Inspect that journal again." in page


def test_what_is_no_offset_in_the_address_is_left_out(inspected: Any, get: Any) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    shown = [difference("lost", "4", 3, None)]
    page = page_of(
        left, right, noted(shown, lost=1), get, pair="x", before_at="-1", after_at="9" * 30, before="up"
    )
    assert "Lost</h3>" in page
