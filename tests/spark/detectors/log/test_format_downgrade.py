"""Formats that went back and stayed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spark.detectors.log.histories import log


def test_going_back_is_found_from_the_switch_to_the_end(inspect: Any) -> None:
    (finding,) = inspect("format-downgrade", batches=log(2, 2, 1, 1))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 20, 39)
    assert finding.evidence == [19, 20, 39]
    assert "KAFKA-7601" in finding.explanation


def test_two_steps_down_are_one_finding_from_the_first(inspect: Any) -> None:
    (finding,) = inspect("format-downgrade", batches=log(2, 1, 0))
    assert (finding.first_offset, finding.last_offset) == (10, 29)


def test_an_upgrade_before_it_does_not_hide_it(inspect: Any) -> None:
    found = inspect(batches=log(0, 2, 1))
    assert [one.detector for one in found] == ["format-downgrade", "old-format-tail"]
    assert found[1].consequence_of == found[0].id


@pytest.mark.parametrize("magics", [(2,), (1,), (0, 1, 2), (2, 1, 2)], ids=str)
def test_a_log_that_ends_in_its_newest_format_has_none(inspect: Any, magics: tuple[int, ...]) -> None:
    assert inspect("format-downgrade", batches=log(*magics)) == []
