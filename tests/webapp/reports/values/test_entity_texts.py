"""Which entity comes before another one."""

from __future__ import annotations

import pytest

from webapp.reports.values.entity_texts import id_before


@pytest.mark.parametrize(
    ("entity_id", "before"),
    [("g/a/2", "g/a/1"), ("g/a/10", "g/a/9"), ("g/a/1", None), ("2", None), ("g/a/x", None), ("g/a/²", None)],
)
def test_the_number_at_the_end_counts(entity_id: str, before: str | None) -> None:
    assert id_before(entity_id) == before


def test_a_name_of_very_many_digits_is_no_number() -> None:
    assert id_before("g/a/" + "9" * 5000) is None
